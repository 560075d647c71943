"""The numbers of a run as Ray's own metrics, for whoever watches a cluster."""

from collections.abc import Mapping

from ray.util.metrics import Gauge

from rayzero.monitor.tags import SCALARS


class Gauges:
    """One gauge per TensorBoard scalar, made when its first number comes."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._gauges: dict[str, Gauge] = {}

    def set(self, numbers: Mapping[str, float]) -> None:
        """Show the numbers of an interval."""
        for tag, value in numbers.items():
            if tag not in self._gauges:
                gauge = Gauge(gauge_name(tag), SCALARS.get(tag, tag), ("run",))
                gauge.set_default_tags({"run": self._run})
                self._gauges[tag] = gauge
            self._gauges[tag].set(value)


def gauge_name(tag: str) -> str:
    """Such as rayzero_selfplay_games_per_second."""
    return "rayzero_" + tag.replace("/", "_")
