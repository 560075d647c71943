"""The one interface between search and nets: planes in, evaluations out."""

from typing import Protocol

import numpy as np

from rayzero.records import Evaluation, Weights


class Evaluator(Protocol):
    """Numpy in, numpy out, any batch size; the arrays of an answer belong to the caller."""

    version: int  # of the weights in use

    def load(self, weights: Weights) -> None:
        """Use these weights from the next evaluation on."""

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Evaluate uint8 planes [B, C, H, W]."""


class UniformEvaluator:
    """Knows nothing: equal priors, value 0. For tests, and to measure the search alone."""

    def __init__(self, actions: int) -> None:
        self.actions = actions
        self.version = 0

    def load(self, weights: Weights) -> None:
        """Only the version is of interest."""
        self.version = weights.version

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """The same for every position."""
        n = len(planes)
        priors = np.full((n, self.actions), 1 / self.actions, np.float32)
        wdl = np.full((n, 3), 1 / 3, np.float32)
        return Evaluation(priors, np.zeros(n, np.float32), wdl, np.zeros(n, np.float32))
