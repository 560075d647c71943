"""rayzero trains AlphaZero players for board games on Ray."""

__version__ = "0.1.0"
