"""Plain sentences about what is wrong with a run, and what to do; docs/tuning.md says more about each."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

REPEAT_AFTER = 600.0  # seconds until the same sentence is said again

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Sign:
    """Something that may be wrong; `name` is a heading of docs/tuning.md."""

    name: str
    wrong: Callable[[Numbers, Any], bool]  # of the numbers of an interval and the game
    sentence: str  # with numbers by tag in braces
    patience: int = 3  # intervals in a row until it is said


def _above(tag: str, limit: float) -> Callable[[Numbers, Any], bool]:
    return lambda numbers, game: numbers.get(tag, -math.inf) > limit


def _value_knows_nothing(numbers: Numbers, game: Any) -> bool:
    if numbers.get("learner/step", 0) < 500 or "loss/value_error" not in numbers:
        return False
    variance = numbers["loss/outcome_variance"]
    return variance > 0.05 and numbers["loss/value_error"] > 0.98 * variance


def _one_colour_wins(numbers: Numbers, game: Any) -> bool:
    score = numbers.get("selfplay/first_player_score", 0.5)
    return numbers.get("selfplay/games", 0) >= 50 and not 0.03 < score < 0.97


def _multiplier_at_bound(numbers: Numbers, game: Any) -> bool:
    return not 0.11 < numbers.get("learner/multiplier", 1.0) < 9.9


def _entropy_collapsed(numbers: Numbers, game: Any) -> bool:
    entropy, target = numbers.get("learner/entropy"), numbers.get("learner/target_entropy")
    if entropy is None or target is None or numbers.get("learner/step", 0) < 200:
        return False
    return entropy < 0.02 * math.log(game.actions) or entropy < 0.25 * target


SIGNS = (
    Sign(
        "policy-collapsed",
        _entropy_collapsed,
        "The policy has collapsed: its entropy is {learner/entropy:.2f}, the search's {learner/target_entropy:.2f}. "
        "Raise selfplay.noise_epsilon or search.root_temperature, or lower learner.learning_rate.",
    ),
    Sign(
        "one-colour-wins",
        _one_colour_wins,
        "One colour wins nearly all games (the first player scores {selfplay/first_player_score:.0%}): little can be "
        "learned from them. Set selfplay.random_plies to 2 or more, or raise selfplay.temperature_plies.",
    ),
    Sign(
        "games-repeat",
        lambda numbers, game: game.max_plies > 20 and numbers.get("replay/repeated", 0) > 0.3,
        "{replay/repeated:.0%} of the last games repeat another one: self-play explores too little. Raise "
        "selfplay.temperature_plies, selfplay.noise_epsilon or selfplay.random_plies.",
    ),
    Sign(
        "selfplay-waits",
        lambda numbers, game: numbers.get("selfplay/busy", 1) < 0.5 and numbers.get("health/unspent_steps", 0) > 0,
        "Self-play waits for the learner most of the time (it ran {selfplay/busy:.0%} of it). Lower "
        "replay.samples_per_position, give the learner more threads, or use a GPU.",
    ),
    Sign(
        "learner-starves",
        lambda numbers, game: numbers.get("health/seconds_without_games", 0) > 300,
        "No game has finished for {health/seconds_without_games:.0f} seconds: the learner starves. Lower "
        "search.simulations or selfplay.games_per_worker, or add workers.",
    ),
    Sign(
        "multiplier-at-bound",
        _multiplier_at_bound,
        "The learning-rate multiplier is at its bound ({learner/multiplier:.2f}): set learner.learning_rate to "
        "{learner/learning_rate:.1e}, or change learner.kl_target.",
    ),
    Sign(
        "value-knows-nothing",
        _value_knows_nothing,
        "The value head is no better than always guessing the mean (error {loss/value_error:.2f}, variance "
        "{loss/outcome_variance:.2f}). Raise learner.value_weight, or lower replay.samples_per_position.",
    ),
    Sign(
        "batch-fill-low",
        lambda numbers, game: numbers.get("inference/queue_ms", 0) > 0 and numbers.get("inference/batch", 1e9) < 16,
        "Forward passes hold only {inference/batch:.0f} positions on average. Raise selfplay.games_per_worker or "
        "search.leaves, or add workers.",
    ),
    Sign(
        "actors-die",
        _above("health/restarts_now", 4),
        "{health/restarts_now:.0f} actors died within one interval. Look at the memory of the machine "
        "({health/memory_mb:.0f} MB in use by this run).",
        patience=1,
    ),
    Sign(
        "disk-nearly-full",
        lambda numbers, game: numbers.get("health/disk_free_gb", 1e9) < 1,
        "Only {health/disk_free_gb:.1f} GB are free where the run is saved; it ends when nothing is left.",
        patience=1,
    ),
)


class Health:
    """Which sentences hold now, and which are news."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self._said: dict[str, float] = {}
        self._seen: dict[str, int] = {}  # intervals in a row

    def check(self, numbers: Numbers) -> tuple[list[str], list[str]]:
        """All sentences that hold for an interval, and those that were not said lately."""
        held, news = [], []
        now = time.monotonic()
        for sign in SIGNS:
            seen = self._seen[sign.name] = self._seen.get(sign.name, 0) + 1 if sign.wrong(numbers, self._game) else 0
            if seen < sign.patience:
                continue
            sentence = _fill(sign.sentence, numbers)
            held.append(sentence)
            if now - self._said.get(sign.name, -math.inf) > REPEAT_AFTER:
                self._said[sign.name] = now
                news.append(f"{sentence} (docs/tuning.md#{sign.name})")
        return held, news


def _fill(sentence: str, numbers: Numbers) -> str:
    return sentence.format_map(dict(numbers))
