"""Settings: a typed schema, YAML files that hold differences, `key=value` overrides, plain errors.

`load_config("conf/gomoku15.yaml", ["search.simulations=3"])` gives a Config of plain dataclasses.
"""

from rayzero.config.load import config_diff, config_names, dump, load_config
from rayzero.config.schema import Config, Options

__all__ = ["Config", "Options", "config_diff", "config_names", "dump", "load_config"]
