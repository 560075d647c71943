"""Files and `key=value` texts to a checked Config; the only module that knows OmegaConf."""

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from rayzero.config.checks import check
from rayzero.config.schema import Config
from rayzero.errors import ConfigError

PACKAGE = Path(__file__).parent.parent
# Beside the package in a checkout, inside it when installed from a wheel.
FOLDERS = (PACKAGE.parent / "conf", PACKAGE / "conf")


def load_config(path: str | Path | None = None, overrides: Sequence[str] = ()) -> Config:
    """The defaults, changed by a file (or the name of one that is shipped), changed by `key=value` texts."""
    settings = OmegaConf.structured(Config)
    name = None
    if path is not None:
        file = find_config(str(path))
        name = file.parent.name if file.name == "config.yaml" else file.stem
        for key, value in _leaves(_read(file)):
            _set(settings, key, value, f"In {path}")
    for text in overrides:
        _set(settings, *_split(text), "On the command line")
    try:
        config: Config = OmegaConf.to_object(settings)  # type: ignore[assignment]
    except OmegaConfBaseException as error:
        raise ConfigError(f"{error.full_key}: {_first_line(error)}.") from None
    config.run.name = config.run.name or name
    check(config)
    return config


def config_names() -> list[str]:
    """The task files that are shipped."""
    return sorted({file.stem for folder in FOLDERS for file in folder.glob("*.yaml")} - {"default"})


def find_config(text: str) -> Path:
    """The file that a path or the name of a shipped task means."""
    if Path(text).is_file():
        return Path(text)
    if Path(text).is_dir():
        raise ConfigError(f"{text} is a folder; a config file is needed, such as conf/gomoku15.yaml.")
    named = Path(text).stem if Path(text).parent.name in ("", "conf") else ""
    for folder in FOLDERS:
        if (folder / f"{named}.yaml").is_file():
            return folder / f"{named}.yaml"
    close = difflib.get_close_matches(Path(text).stem, config_names(), n=1, cutoff=0.6)
    hint = f"Did you mean conf/{close[0]}.yaml?" if close else f"There are: {', '.join(config_names())}."
    raise ConfigError(f"There is no config file {text}. {hint}")


def dump(config: Config) -> str:
    """All settings as YAML that `load_config` reads back."""
    return OmegaConf.to_yaml(OmegaConf.structured(config))


def config_diff(config: Config) -> str:
    """The settings that differ from the defaults, as YAML."""
    different: dict[str, Any] = {}
    for section, default in dataclasses.asdict(Config()).items():
        values = dataclasses.asdict(config)[section]
        if changed := {key: value for key, value in values.items() if value != default[key]}:
            different[section] = changed
    return OmegaConf.to_yaml(OmegaConf.create(different)) if different else ""


def _read(file: Path) -> dict[str, Any]:
    try:
        content = OmegaConf.to_container(OmegaConf.create(file.read_text(encoding="utf-8")), resolve=False)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{file} is not valid YAML{where}: {error.problem}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError, OmegaConfBaseException) as error:
        raise ConfigError(f"{file} can't be read as YAML: {_first_line(error)}.") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{file} should hold sections such as `search:` with keys below them.")
    return typing.cast(dict[str, Any], content)


def _leaves(tree: dict[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _split(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise ConfigError(f"{text!r} is no setting: write key=value, such as search.simulations=200.")
    try:
        return key.strip(), OmegaConf.to_container(OmegaConf.create(f"value: {value}"), resolve=False)["value"]  # type: ignore[call-overload,index]
    except (yaml.YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"The value of {text!r} can't be understood: {_first_line(error)}.") from None


def _set(settings: Any, key: str, value: Any, where: str) -> None:
    wanted = _type_of(key)
    if int in wanted and isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e6 is a whole number too.
    try:
        OmegaConf.update(settings, key, value)
    except (ConfigKeyError, ConfigAttributeError) as error:
        raise ConfigError(f"{where}: there is no setting {key}. {_hint(key)}") from error
    except OmegaConfBaseException as error:
        raise ConfigError(f"{where}: {key} can't be {value!r}: {_first_line(error)}.") from error


def _type_of(key: str) -> tuple[Any, ...]:
    kind: Any = Config
    for name in key.split("."):
        if not dataclasses.is_dataclass(kind):
            return ()
        kind = typing.get_type_hints(kind).get(name)
    return typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)


def _hint(key: str) -> str:
    return key


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
