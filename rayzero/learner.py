"""The learner: one optimizer step after another, from batches handed to it."""

import json
import logging
import time
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from rayzero.config.schema import Learner as LearnerConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ModelError
from rayzero.net.evaluators import available_cpus
from rayzero.net.losses import Losses, Targets, divergence, losses
from rayzero.net.module import build_net, flatten_tensors, float_state
from rayzero.net.rates import LearningRate
from rayzero.net.tensors import read_tensors, write_tensors
from rayzero.net.training import autocast, make_optimizer, pick_training_precision, statistics_kept
from rayzero.net.transfer import start_from
from rayzero.records import Batch, Weights

log = logging.getLogger(__name__)
MEASURE_EVERY = 50  # steps between measurements of the KL divergence where no rule needs it
STOP_AT = 4.0  # times the KL target: no more passes over this batch


@dataclass(frozen=True)
class StepReport:
    """What one step did; losses are those before it."""

    step: int  # steps done, this one included
    loss: float
    policy_loss: float
    value_loss: float
    moves_left_loss: float
    reply_loss: float
    entropy: float  # of the net's policy
    target_entropy: float  # of the search's policy: the policy loss can't fall below it
    value_error: float  # mean squared error of the value to the outcome
    outcome_variance: float  # the same of the best constant: a value head that is no better knows nothing
    kl: float  # KL(old, new) of the policy; nan where not measured
    grad_norm: float  # before clipping
    learning_rate: float
    multiplier: float  # of the kl schedule
    passes: int  # updates made with this batch; 0: its gradient was not finite and it was left out
    age: float  # mean steps between the weights that made the samples and the newest
    seconds: float


class Learner:
    """Trains a net; the weights it hands out are an average over the last steps."""

    def __init__(self, game: Any, net: NetConfig, config: LearnerConfig, seed: int) -> None:
        self.config = config
        self.step_count = 0
        self.rate = LearningRate(config)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.set_num_threads(config.threads or available_cpus())
        torch.manual_seed(seed)
        self.net = build_net(game, net).to(self.device)
        self.precision = pick_training_precision(config.precision, self.net, self.device)
        log.info("Training on %s in %s, %d threads.", self.device, self.precision, torch.get_num_threads())
        if net.init_from:
            start_from(self.net, net.init_from)
        self._optimizer = make_optimizer(self.net, config)
        self._live = float_state(self.net)
        self._average = [tensor.clone() for tensor in self._live] if config.ema else self._live

    def step(self, batch: Batch) -> StepReport:
        """Train on one batch: one pass, or up to `passes` with the kl schedule."""
        start = time.perf_counter()
        targets = Targets.of(batch, self.device)
        rate = self.rate.at(self.step_count)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self.net.train()
        numbers, grad_norm, kl, passes = self._passes(targets)
        self.step_count += 1
        self._update_average()
        loss, policy, value, moves_left, reply, entropy, target_entropy, error, variance = numbers
        self.rate.observe(kl, policy, entropy, target_entropy)
        return StepReport(
            step=self.step_count,
            loss=loss,
            policy_loss=policy,
            value_loss=value,
            moves_left_loss=moves_left,
            reply_loss=reply,
            entropy=entropy,
            target_entropy=target_entropy,
            value_error=error,
            outcome_variance=variance,
            kl=kl,
            grad_norm=grad_norm,
            learning_rate=rate,
            multiplier=self.rate.multiplier,
            passes=passes,
            age=batch.age,
            seconds=time.perf_counter() - start,
        )

    def _passes(self, targets: Targets) -> tuple[list[float], float, float, int]:
        """The first pass's losses and gradient norm, the divergence after the last, and the number of updates."""
        controlled = self.config.schedule == "kl"
        measured = controlled or (self.step_count + 1) % MEASURE_EVERY == 0
        numbers: list[float] = []
        grad_norm, kl, updates = nan, nan, 0
        old: Tensor | None = None
        while updates < self.config.passes:
            policy, found, total = self._forward(targets)
            if old is None:
                old = policy.detach()
                numbers = torch.stack([total.detach(), *(loss.detach() for loss in found)]).tolist()
            elif controlled:
                kl = divergence(old, policy.detach()).item()
                if kl > STOP_AT * self.config.kl_target:
                    return numbers, grad_norm, kl, updates
            norm = self._update(total)
            grad_norm = norm if updates == 0 else grad_norm
            if not isfinite(norm):
                return numbers, grad_norm, kl, updates
            updates += 1
        if measured and old is not None:
            kl = self._measure(old, targets)
        return numbers, grad_norm, kl, updates

    def _forward(self, targets: Targets) -> tuple[Tensor, Losses, Tensor]:
        with autocast(self.device, self.precision):
            heads = self.net(targets.planes, reply=True)
        found = losses(heads, targets, self.config.search_value_share)
        return heads.policy, found, found.total(self.config)

    def _update(self, total: Tensor) -> float:
        """One update unless the gradient is not finite; returns the gradient's norm before clipping."""
        self._optimizer.zero_grad(set_to_none=True)
        total.backward()
        limit = self.config.clip or float("inf")
        norm = float(nn.utils.clip_grad_norm_(self.net.parameters(), limit))
        if isfinite(norm):
            self._optimizer.step()
        else:
            log.warning("Step %d was left out: its gradient is not finite.", self.step_count + 1)
        return norm

    @torch.no_grad()
    def _measure(self, old: Tensor, targets: Targets) -> float:
        with statistics_kept(self.net), autocast(self.device, self.precision):
            return divergence(old, self.net(targets.planes).policy).item()

    @torch.no_grad()
    def _update_average(self) -> None:
        """Average weights and statistics; early on over fewer steps, so that the first random weights are soon gone."""
        if self.config.ema:
            keep = min(self.config.ema, self.step_count / (self.step_count + 9))
            torch._foreach_lerp_(self._average, self._live, 1 - keep)

    def weights(self) -> Weights:
        """The averaged weights, for self-play and matches."""
        return flatten_tensors(self._average, self.step_count)

    def save(self, path: Path) -> None:
        """Write all state into a directory: `restore` continues as if there had been no break."""
        path.mkdir(parents=True, exist_ok=True)
        write_tensors(path / "learner.safetensors", {name: t.cpu().numpy() for name, t in self._state().items()})
        numbers = {"step": self.step_count, "multiplier": self.rate.multiplier, "usual_loss": self.rate.usual_loss}
        (path / "learner.json").write_text(json.dumps(numbers, indent=2) + "\n")

    def restore(self, path: Path) -> None:
        """Continue from what `save` wrote."""
        try:
            numbers = json.loads((path / "learner.json").read_text())
            self.step_count = int(numbers["step"])
            self.rate.multiplier = float(numbers["multiplier"])
            self.rate.usual_loss = None if numbers["usual_loss"] is None else float(numbers["usual_loss"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path} is no checkpoint of a learner: {error}.") from error
        state = self._state()
        found = read_tensors(path / "learner.safetensors", {name: tuple(t.shape) for name, t in state.items()})
        with torch.no_grad():
            for name, tensor in state.items():
                tensor.copy_(torch.from_numpy(found[name]))

    def _state(self) -> dict[str, Tensor]:
        """Every tensor that a checkpoint holds; writing into them restores one."""
        names = [name for name, _ in self.net.blueprint.slots]
        state = {f"weights.{name}": tensor for name, tensor in zip(names, self._live, strict=True)}
        state |= {f"average.{name}": tensor for name, tensor in zip(names, self._average, strict=True)}
        for i, parameter in enumerate(self.net.parameters()):
            for key, value in self._optimizer.state[parameter].items():
                state[f"optimizer.{i}.{key}"] = value
        return state
