"""What a run tells: console, TensorBoard, JSON lines, health."""

from rayzero.monitor.monitor import Monitor

__all__ = ["Monitor"]
