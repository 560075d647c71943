"""What a net's outputs mean."""

import numpy as np

from rayzero.records import Evaluation


def as_evaluation(priors: np.ndarray, value: np.ndarray, moves_left: np.ndarray | None = None) -> Evaluation:
    """From priors [B, A], value ([B, 3] as win, draw, loss or [B, 1]) and moves left [B, 1], all float32."""
    if value.shape[1] == 1:
        expectation = value[:, 0]
        wdl = np.stack([(1 + expectation) / 2, np.zeros_like(expectation), (1 - expectation) / 2], axis=1)
    else:
        wdl = value
        expectation = value[:, 0] - value[:, 2]
    plies = np.zeros(len(priors), np.float32) if moves_left is None else moves_left[:, 0]
    return Evaluation(priors, expectation, wdl, plies)
