"""Mistakes people can make, told in a sentence instead of a traceback."""


class UserError(Exception):
    """What was wrong, where, and what would be right; commands print it and exit with 2."""


class ConfigError(UserError):
    """A setting that does not exist, does not fit, or contradicts another one."""


class GameError(UserError):
    """A game that is unknown, breaks the contract, or was given an illegal move."""


class ModelError(UserError):
    """A model file that is missing, damaged, or made for something else."""


class RunError(UserError):
    """A run that can't start, go on, or be resumed as asked."""


class EngineError(UserError):
    """An external engine that can't be started or does not keep to its protocol."""
