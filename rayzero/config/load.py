"""Files and `key=value` texts to a checked Config; the only module that knows OmegaConf."""

import dataclasses
import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import (
    ConfigAttributeError,
    ConfigKeyError,
    GrammarParseError,
    InterpolationResolutionError,
    OmegaConfBaseException,
)

from rayzero.config.checks import check
from rayzero.config.describe import default_of, keys, say_type, types_of, written
from rayzero.config.schema import Config
from rayzero.errors import ConfigError

PACKAGE = Path(__file__).parent.parent
# Inside the package when installed from a wheel, beside it in a checkout.
SHIPPED = PACKAGE / "conf" if (PACKAGE / "conf").is_dir() else PACKAGE.parent / "conf"


def load_config(path: str | Path | None = None, overrides: Sequence[str] = ()) -> Config:
    """The defaults, changed by a file (or a shipped one by its name), changed by `key=value` texts."""
    settings = OmegaConf.structured(Config)
    name = None
    if path is not None:
        file = find_config(str(path))
        name = file.stem
        for key, value in _leaves(_read(file)):
            _set(settings, key, value, f"in {path}")
    for text in overrides:
        _set(settings, *_split(text), "on the command line")
    try:
        config: Config = OmegaConf.to_object(settings)  # type: ignore[assignment]
    except OmegaConfBaseException as error:
        raise ConfigError(f"{error.full_key} has no value: {_first_line(error)}.") from None
    config.run.name = config.run.name or name
    check(config)
    return config


def config_names() -> list[str]:
    """The task files that are shipped."""
    return sorted({file.stem for file in SHIPPED.glob("*.yaml")} - {"default"})


def find_config(text: str) -> Path:
    """The file that a path or the name of a shipped task means."""
    path = Path(text)
    if path.is_file():
        return path
    if path.is_dir():
        raise ConfigError(f"{text} is a folder; a config file is needed, such as conf/gomoku15.yaml.")
    if "=" in text:
        raise ConfigError(f"The config file comes before settings such as {text}: conf/gomoku15.yaml {text}")
    shipped = SHIPPED / f"{path.stem}.yaml"
    if shipped.is_file() and str(path.parent) in (".", "conf") and path.suffix in ("", ".yaml"):
        return shipped
    close = difflib.get_close_matches(path.stem, config_names(), n=1)
    hint = f"Did you mean conf/{close[0]}.yaml?" if close else f"Shipped are: {', '.join(config_names())}."
    raise ConfigError(f"There is no config file {text}. {hint}")


def dump(config: Config) -> str:
    """All settings as YAML that `load_config` reads back."""
    return OmegaConf.to_yaml(OmegaConf.structured(config))


def config_diff(config: Config) -> str:
    """The settings that differ from the defaults, as YAML."""
    different: dict[str, Any] = {}
    values, defaults = dataclasses.asdict(config), dataclasses.asdict(Config())
    for section in defaults:
        changed = {key: value for key, value in values[section].items() if value != defaults[section][key]}
        if changed:
            different[section] = changed
    return OmegaConf.to_yaml(OmegaConf.create(different)) if different else ""


def _read(file: Path) -> dict[Any, Any]:
    try:
        content = OmegaConf.to_container(OmegaConf.create(file.read_text(encoding="utf-8")))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{file} is not valid YAML{where}: {error.problem}.") from None
    except (yaml.YAMLError, ValueError, OSError, OmegaConfBaseException) as error:
        raise ConfigError(f"{file} can't be read as YAML: {_first_line(error)}.") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{file} should hold sections such as `search:` with keys below them.")
    return content


def _leaves(tree: dict[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _split(text: str) -> tuple[str, Any]:
    key, sign, _ = text.partition("=")
    if not sign or not key.strip():
        raise ConfigError(f"{text!r} is no setting: write key=value, such as search.simulations=200.")
    try:
        tree = OmegaConf.to_container(OmegaConf.from_dotlist([f"value{text[len(key) :]}"]))
    except (yaml.YAMLError, OmegaConfBaseException) as error:
        problem = getattr(error, "problem", None) or _first_line(error)
        raise ConfigError(f"The value in {text!r} can't be understood: {problem}.") from None
    return key.strip(), tree["value"]  # type: ignore[call-overload,index]


def _set(settings: Any, key: str, value: Any, where: str) -> None:
    kinds = types_of(key)
    text = f"{key}={written(value)} ({where})"
    if any(dataclasses.is_dataclass(kind) for kind in kinds):
        if value is not None and not isinstance(value, dict):
            raise ConfigError(f"{text}: this is a section; set a key of it, such as {_first_key(key)}.")
        for leaf, inner in _leaves(value or {}, f"{key}."):  # None: all keys of the section are commented out.
            _set(settings, leaf, inner, where)
        return
    if int in kinds or key.startswith("game.options"):
        value = _whole(value)
    mistake = f"{text}: it should be {say_type(key)}; the default is {default_of(key)}."
    if str in kinds and isinstance(value, bool):
        raise ConfigError(mistake)  # `off` is false in YAML, hardly what was meant.
    try:
        OmegaConf.update(settings, key, value, merge=False)
    except (ConfigKeyError, ConfigAttributeError):
        raise ConfigError(f"There is no setting {key} ({where}). {_suggestion(key)}") from None
    except (GrammarParseError, InterpolationResolutionError) as error:
        raise ConfigError(f"{text} can't be resolved: {_first_line(error)}.") from None
    except OmegaConfBaseException:
        raise ConfigError(mistake) from None


def _whole(value: Any) -> Any:
    """1e6 as a whole number."""
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _first_key(section: str) -> str:
    return next(f"{key}={default_of(key)}" for key in keys() if key.startswith(f"{section}."))


def _suggestion(key: str) -> str:
    """Keys of the same name in other sections, or else those most like this one."""
    names = {known: known.rpartition(".")[2] for known in keys()}
    last = key.rpartition(".")[2]
    close = [known for known, name in names.items() if name == last]
    close = close or difflib.get_close_matches(key, names, n=1, cutoff=0.75)
    if not close:
        like = difflib.get_close_matches(last, names.values(), n=1, cutoff=0.75)
        close = [known for known, name in names.items() if name in like]
    if close:
        return f"Did you mean {' or '.join(close[:3])}?"
    section = key.partition(".")[0]
    inside = [name for known, name in names.items() if known.startswith(f"{section}.")]
    if inside:
        return f"In {section} there are: {', '.join(inside)}."
    return f"The sections are: {', '.join(dict.fromkeys(known.partition('.')[0] for known in keys()))}."


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
