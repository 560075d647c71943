"""What a net is trained towards."""

from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from rayzero.config.schema import Learner as LearnerConfig
from rayzero.net.ops import Heads
from rayzero.records import Batch


class Targets(NamedTuple):
    """A batch as tensors on the device of the net."""

    planes: Tensor  # uint8 [n, C, H, W]
    policies: Tensor  # [n, A]
    outcomes: Tensor  # [n]: 1, 0, -1
    search_values: Tensor  # [n]
    moves_left: Tensor  # int64 [n]
    replies: Tensor  # [n, A]
    has_reply: Tensor  # [n]: 1 where the reply is a target, else 0

    @classmethod
    def of(cls, batch: Batch, device: torch.device) -> "Targets":
        """Copies of the arrays, which may be read-only."""

        def tensor(array: np.ndarray, dtype: type) -> Tensor:
            return torch.from_numpy(np.array(array, dtype)).to(device, non_blocking=True)

        replies = tensor(batch.replies, np.float32)
        return cls(
            planes=tensor(batch.planes, np.uint8),
            policies=tensor(batch.policies, np.float32),
            outcomes=tensor(batch.outcomes, np.float32),
            search_values=tensor(batch.search_values, np.float32),
            moves_left=tensor(batch.moves_left, np.int64),
            replies=replies,
            has_reply=(replies.sum(1) > 0).float(),
        )


class Losses(NamedTuple):
    """Scalars of one batch, before their weights; 0 for a head that the net has not."""

    policy: Tensor  # cross-entropy to the search's policy
    value: Tensor  # cross-entropy to the outcome mixed with squared error to the search's value; or squared error alone
    moves_left: Tensor  # cross-entropy to the true plies left
    reply: Tensor  # cross-entropy to the next position's policy, where it is known
    entropy: Tensor  # of the net's policy
    target_entropy: Tensor  # of the search's policy
    value_error: Tensor  # mean squared error of the value to the outcome
    outcome_variance: Tensor  # the same error of the best constant

    def total(self, config: LearnerConfig) -> Tensor:
        """The weighted sum that is minimised."""
        return (
            config.policy_weight * self.policy
            + config.value_weight * self.value
            + config.moves_left_weight * self.moves_left
            + config.reply_weight * self.reply
        )


def losses(heads: Heads, targets: Targets, search_value_share: float) -> Losses:
    """All losses of a batch, in float32."""
    none = targets.outcomes.new_zeros(())
    log_policy = F.log_softmax(heads.policy.float(), 1)
    value, value_loss = _value(heads.value.float(), targets, search_value_share)
    moves_left = none
    if heads.moves_left is not None:
        plies = targets.moves_left.clamp(0, heads.moves_left.shape[1] - 1)
        moves_left = F.cross_entropy(heads.moves_left.float(), plies)
    reply = none
    if heads.reply is not None:
        crosses = -(targets.replies * F.log_softmax(heads.reply.float(), 1)).sum(1)
        reply = (crosses * targets.has_reply).sum() / targets.has_reply.sum().clamp(min=1)
    return Losses(
        policy=_cross_entropy(targets.policies, log_policy),
        value=value_loss,
        moves_left=moves_left,
        reply=reply,
        entropy=-(log_policy.detach().exp() * log_policy.detach()).sum(1).mean(),
        target_entropy=-torch.xlogy(targets.policies, targets.policies).sum(1).mean(),
        value_error=F.mse_loss(value.detach(), targets.outcomes),
        outcome_variance=targets.outcomes.var(unbiased=False),
    )


def _cross_entropy(probabilities: Tensor, log_probabilities: Tensor) -> Tensor:
    return -(probabilities * log_probabilities).sum(1).mean()


def _value(logits: Tensor, targets: Targets, share: float) -> tuple[Tensor, Tensor]:
    """The value and its loss."""
    if logits.shape[1] == 1:
        value = torch.tanh(logits[:, 0])
        mixed = (1 - share) * targets.outcomes + share * targets.search_values
        return value, F.mse_loss(value, mixed)
    wdl = F.softmax(logits, 1)
    value = wdl[:, 0] - wdl[:, 2]
    classes = (1 - targets.outcomes).long()  # win, draw, loss
    outcome_loss = F.cross_entropy(logits, classes)
    return value, (1 - share) * outcome_loss + share * F.mse_loss(value, targets.search_values)


def divergence(old: Tensor, new: Tensor) -> Tensor:
    """Mean KL(old, new) of policies given as logits."""
    old, new = F.log_softmax(old.float(), 1), F.log_softmax(new.float(), 1)
    return (old.exp() * (old - new)).sum(1).mean()
