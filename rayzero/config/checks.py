"""What no type can say: limits of numbers, and settings that contradict each other."""

from rayzero.config.schema import Config


def check(config: Config) -> None:
    """Raise a ConfigError that says what to change."""
