"""What no type can say: limits of numbers, and settings that contradict each other."""

import os
from importlib.util import find_spec
from math import inf, isfinite
from pathlib import Path
from typing import Any, NoReturn

from rayzero.config.describe import keys, written
from rayzero.config.schema import Config
from rayzero.errors import ConfigError, GameError

SMALLEST = 1e-12  # stands for "more than 0"
AT_LEAST_1, POSITIVE, SHARE, POSITIVE_SHARE = (1, inf), (SMALLEST, inf), (0, 1), (SMALLEST, 1)
# Every number is finite and within these limits, or at least 0 where it is not listed.
LIMITS: dict[str, tuple[float, float]] = {
    "net.channels": AT_LEAST_1,
    "net.blocks": AT_LEAST_1,
    "search.simulations": AT_LEAST_1,
    "search.fpu_value": (-1, 1),
    "search.discount": POSITIVE_SHARE,
    "search.leaves": AT_LEAST_1,
    "search.root_temperature": POSITIVE,
    "search.gumbel_considered": AT_LEAST_1,
    "selfplay.workers": AT_LEAST_1,
    "selfplay.games_per_worker": AT_LEAST_1,
    "selfplay.full_share": POSITIVE_SHARE,
    "selfplay.fast_simulations": AT_LEAST_1,
    "selfplay.noise_epsilon": SHARE,
    "selfplay.noise_alpha": POSITIVE,
    "replay.window_min": AT_LEAST_1,
    "replay.window_max": AT_LEAST_1,
    "replay.window_share": POSITIVE_SHARE,
    "replay.samples_per_position": POSITIVE,
    "replay.max_lead": AT_LEAST_1,
    "learner.batch": AT_LEAST_1,
    "learner.learning_rate": POSITIVE,
    "learner.schedule_steps": AT_LEAST_1,
    "learner.search_value_share": SHARE,
    "learner.ema": (0, 1 - 1e-9),
    "learner.passes": AT_LEAST_1,
    "learner.kl_target": POSITIVE,
    "learner.threads": AT_LEAST_1,
    "inference.threads": AT_LEAST_1,
    "inference.max_batch": AT_LEAST_1,
    "evaluation.every_minutes": POSITIVE,
    "evaluation.every_games": AT_LEAST_1,
    "evaluation.games": (2, inf),
    "evaluation.simulations": AT_LEAST_1,
    "evaluation.ladder_start": AT_LEAST_1,
    "evaluation.ladder_step": AT_LEAST_1,
    "evaluation.ladder_max": AT_LEAST_1,
    "evaluation.sprt_elo": POSITIVE,
    "evaluation.sprt_error": (SMALLEST, 0.5),
    "run.minutes": POSITIVE,
    "run.games": AT_LEAST_1,
    "run.steps": AT_LEAST_1,
    "run.checkpoint_minutes": POSITIVE,
    "run.keep_checkpoints": AT_LEAST_1,
    "cluster.servers": AT_LEAST_1,
    "monitor.interval_seconds": POSITIVE,
}


def check(config: Config) -> None:
    """Raise a ConfigError that says what to change."""
    for key in keys():
        _check_limits(key, get(config, key))
    _check_order(config)
    _check_uses(config)
    _check_game(config)
    _check_hardware(config)


def get(config: Config, key: str) -> Any:
    """The value of a key written as section.name."""
    section, _, name = key.partition(".")
    return getattr(getattr(config, section), name)


def _check_limits(key: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low, high = LIMITS.get(key, (0, inf))
    if isfinite(value) and low <= value <= high:
        return
    least = "more than 0" if low == SMALLEST else f"at least {low:g}"
    if not isfinite(value):
        right = f"a finite number, {least}"
    elif high == inf:
        right = least
    elif low == SMALLEST or high < 1:
        right = f"{least} and {'at most' if high in (0.5, 1) else 'below'} {high:g}"
    else:
        right = f"from {low:g} to {high:g}"
    raise ConfigError(f"{key}={value} is out of range: it should be {right}.")


def _check_order(config: Config) -> None:
    """Pairs of numbers of which the first may not be larger."""
    for small, large in (
        ("replay.window_min", "replay.window_max"),
        ("learner.batch", "replay.window_max"),
        ("learner.min_positions", "replay.window_max"),
        ("evaluation.ladder_start", "evaluation.ladder_max"),
    ):
        least, most = get(config, small), get(config, large)
        if least is not None and most is not None and least > most:
            _clash(config, small, large, f"make {small} at most {most}, or {large} at least {least}")


def _check_uses(config: Config) -> None:
    """Settings that have no effect, or can't work, beside another one."""
    if config.search.moves_left_slope and not config.net.moves_left:
        _clash(config, "search.moves_left_slope", "net.moves_left", "the search needs that head, or a slope of 0")
    if config.search.cache_symmetry and not config.search.cache:
        _clash(config, "search.cache_symmetry", "search.cache", "give the cache a size, such as search.cache=100000")
    if config.search.forced_playouts and config.search.kind == "gumbel":
        _clash(config, "search.forced_playouts", "search.kind", "forced playouts belong to puct")
    if config.inference.engine == "openvino" and config.inference.device not in ("auto", "cpu"):
        _clash(config, "inference.engine", "inference.device", "OpenVINO runs on the CPU here; use engine torch")
    if config.inference.precision == "int8" and config.inference.engine == "torch":
        _clash(config, "inference.precision", "inference.engine", "int8 needs OpenVINO")
    if config.inference.engine == "openvino" and not find_spec("openvino"):
        raise ConfigError("inference.engine=openvino, but it is not installed: pip install openvino, or use auto.")
    name = config.run.name or ""
    if Path(name).name != name or name == "..":
        raise ConfigError(f"run.name={name} should be a plain folder name; the place of all runs is run.dir.")


def _check_game(config: Config) -> None:
    from rayzero.games import make_game  # Compiled code takes a moment to import: last of all.

    try:
        game = make_game(config.game.name, **config.game.options)
    except GameError as error:
        options = ", ".join(f"{name}: {written(value)}" for name, value in config.game.options.items())
        raise ConfigError(f"game.name={config.game.name}, game.options={{{options}}}: {error}") from None
    for key in ("selfplay.random_plies", "evaluation.opening_plies"):
        if get(config, key) >= game.max_plies:
            raise ConfigError(f"{key}={get(config, key)} is the whole game: at most {game.max_plies - 1} here.")


def _check_hardware(config: Config) -> None:
    """Whether the GPUs are there; on a Ray cluster they may be elsewhere, and Ray knows."""
    wanted, device = config.learner.gpus, config.inference.device
    if not (wanted or device in ("cuda", "mps")) or _on_a_cluster(config):
        return
    import torch  # Seconds, so only where it is asked for.

    there = torch.cuda.device_count()
    if wanted > there:
        raise ConfigError(f"learner.gpus={wanted}, but this machine has {there}: set learner.gpus={there}.")
    if (device == "cuda" and not there) or (device == "mps" and not torch.backends.mps.is_available()):
        raise ConfigError(f"inference.device={device} is not there on this machine: use cpu or auto.")


def _on_a_cluster(config: Config) -> bool:
    address = config.cluster.address or os.environ.get("RAY_ADDRESS")
    marker = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster"
    return address not in (None, "", "local") or marker.exists()


def _clash(config: Config, first: str, second: str, advice: str) -> NoReturn:
    one, two = f"{first}={written(get(config, first))}", f"{second}={written(get(config, second))}"
    raise ConfigError(f"{one} does not go with {two}: {advice}.")
