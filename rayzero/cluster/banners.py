"""What `launch.py` says at the start and at the end."""

from pathlib import Path

from rayzero.cluster.machine import Plan
from rayzero.config import Config
from rayzero.monitor.monitor import clock
from rayzero.reports import Progress


def start_banner(config: Config, plan: Plan, path: Path, progress: Progress, resumed: bool) -> list[str]:
    """What will happen on this machine, and where to look."""
    where = "the Ray that runs here" if plan.joined else "this machine"
    nets = f"{plan.servers} inference server(s)" if plan.servers else "the net inside each"
    options = ", ".join(f"{key}={value}" for key, value in config.game.options.items())
    lines = [
        f"{config.game.name}{f' ({options})' if options else ''} on {where}: {plan.cpus} CPUs, {plan.gpus} GPUs. "
        f"{plan.workers} self-play workers x {config.selfplay.games_per_worker} games, {nets}; "
        f"learner with {config.learner.threads} thread(s)."
    ]
    if resumed:
        lines.append(
            f"{path} goes on from step {progress.steps:,} after {clock(progress.seconds)} and {progress.games:,} games."
        )
    else:
        lines.append(f"A new run in {path}.")
    limits = config.run
    ends = [
        text
        for limit, text in (
            (limits.minutes, f"{limits.minutes:g} minutes" if limits.minutes else ""),
            (limits.games, f"{limits.games} games"),
            (limits.steps, f"{limits.steps} steps"),
        )
        if limit is not None
    ]
    lines.append(
        f"Ends after {' or '.join(ends)}."
        if ends
        else "Has no limit: stop it with Ctrl-C, go on with the same command."
    )
    lines.append(f"Curves: tensorboard --logdir {path / 'tensorboard'}")
    return lines


def end_banner(path: Path, progress: Progress, stopped: bool, best: str | None) -> list[str]:
    """What was reached, and what can be done now."""
    lines = [
        f"{'Stopped' if stopped else 'Done'} after {clock(progress.seconds)}: {progress.games:,} games, "
        f"{progress.positions:,} positions, {progress.steps:,} steps. Saved in {path}."
    ]
    if best:
        lines.append(best)
        lines.append(f"Play against it: python -m rayzero.play {path}")
    lines.append("The same command goes on from here" + ("." if stopped else " with a larger limit."))
    return lines
