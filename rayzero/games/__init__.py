"""Games: the contract, the built-in ones, and how to find them by name."""

from rayzero.games.registry import game_names, make_game

__all__ = ["game_names", "make_game"]
