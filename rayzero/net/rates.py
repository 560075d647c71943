"""The learning rate over time: fixed schedules, and the one that keeps the policy's change near a target."""

from dataclasses import dataclass
from math import cos, isfinite, pi

from rayzero.config.schema import Learner as LearnerConfig

FACTOR, LOWEST, HIGHEST = 1.5, 0.1, 10.0
SLOW = 0.01  # weight of a new batch in the running mean of the policy loss


@dataclass
class LearningRate:
    """The rate of the next step; all of its state survives a checkpoint."""

    config: LearnerConfig
    multiplier: float = 1.0
    usual_loss: float | None = None  # running mean of the policy loss

    def at(self, step: int) -> float:
        """The rate of the step that follows `step` finished ones."""
        warmup = min(1.0, (step + 1) / max(self.config.warmup_steps, 1))
        return self.config.learning_rate * warmup * self._factor(step / max(self.config.schedule_steps, 1))

    def _factor(self, progress: float) -> float:
        match self.config.schedule:
            case "cosine":
                return (1 + cos(pi * min(progress, 1.0))) / 2
            case "steps":
                return 1.0 if progress < 0.5 else 0.1 if progress < 0.75 else 0.01
            case "kl":
                return self.multiplier
        return 1.0

    def observe(self, kl: float, policy_loss: float, entropy: float, target_entropy: float) -> None:
        """Adapt to how far the policy moved on one batch: smaller steps when too far, larger when hardly.

        A net that has collapsed to one answer hardly moves either, and larger steps would keep it there for
        good. So the rate rises only while the policy is no worse than usual and not far more certain than the
        search; otherwise what was raised is taken back.
        """
        usual = policy_loss if self.usual_loss is None else self.usual_loss
        healthy = policy_loss <= 1.1 * usual and entropy >= 0.25 * target_entropy
        if isfinite(policy_loss):
            self.usual_loss = usual + SLOW * (policy_loss - usual)
        if self.config.schedule != "kl" or not isfinite(kl):
            return
        if kl > 2 * self.config.kl_target:
            self.multiplier = max(self.multiplier / FACTOR, LOWEST)
        elif not healthy:
            self.multiplier = min(self.multiplier, max(self.multiplier / FACTOR, 1.0))
        elif kl < self.config.kl_target / 2:
            self.multiplier = min(self.multiplier * FACTOR, HIGHEST)
