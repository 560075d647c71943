"""Settings: a typed schema, YAML files that hold differences, `key=value` overrides, plain errors.

    from rayzero.config import load_config
    config = load_config("conf/gomoku15.yaml", ["search.simulations=3"])
"""

from rayzero.config.load import config_diff, config_names, dump, load_config
from rayzero.config.schema import Config, Options

__all__ = ["Config", "Options", "config_diff", "config_names", "dump", "load_config"]
