"""The options of a search as numbers, the form in which compiled code takes them."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rayzero.errors import ConfigError

if TYPE_CHECKING:
    from rayzero.config.schema import Search as SearchConfig

PUCT, GUMBEL = 0, 1
FPU_REDUCTION, FPU_PARENT, FPU_FIXED = 0, 1, 2

KINDS = {"puct": PUCT, "gumbel": GUMBEL}
FPUS = {"reduction": FPU_REDUCTION, "parent": FPU_PARENT, "fixed": FPU_FIXED}


class SearchSettings(NamedTuple):
    """One number per option; conf/default.yaml gives the reason of each, docs/algorithm.md the formula."""

    kind: int = PUCT
    simulations: int = 96
    c_puct: float = 1.5
    c_base: float = 0.0
    fpu: int = FPU_REDUCTION
    fpu_value: float = 0.2
    discount: float = 1.0
    moves_left_slope: float = 0.0
    moves_left_cap: float = 0.15
    solver: bool = True
    lookahead: int = 1
    reuse_tree: bool = True
    leaves: int = 1
    virtual_loss: float = 1.0
    root_temperature: float = 1.0
    forced_playouts: float = 0.0
    gumbel_considered: int = 16
    gumbel_c_visit: float = 50.0
    gumbel_c_scale: float = 1.0
    cache: int = 0
    cache_symmetry: bool = False

    @classmethod
    def from_config(cls, config: "SearchConfig") -> "SearchSettings":
        """Translate the `search` section of a config; words become numbers."""
        values = {name: getattr(config, name) for name in cls._fields}
        values["kind"] = _number("kind", config.kind, KINDS)
        values["fpu"] = _number("fpu", config.fpu, FPUS)
        return cls(**values).checked()

    def checked(self) -> "SearchSettings":
        """The same with every field of its own type, so that kernels are compiled once; or a ConfigError."""
        typed: list[Any] = [type(default)(value) for default, value in zip(SearchSettings(), self, strict=True)]
        settings = SearchSettings(*typed)
        for name in ("simulations", "leaves", "gumbel_considered"):
            if getattr(settings, name) < 1:
                raise ConfigError(f"search.{name} is {getattr(settings, name)}; it must be at least 1.")
        for name in ("c_puct", "c_base", "moves_left_cap", "lookahead", "virtual_loss", "forced_playouts", "cache"):
            if getattr(settings, name) < 0:
                raise ConfigError(f"search.{name} is {getattr(settings, name)}; it can't be negative.")
        if not 0 < settings.discount <= 1:
            raise ConfigError(f"search.discount is {settings.discount}; it must be above 0 and at most 1.")
        if settings.root_temperature <= 0:
            raise ConfigError(f"search.root_temperature is {settings.root_temperature}; it must be above 0.")
        return settings

    def numbers(self) -> np.ndarray:
        """A record array [1] with these fields: kernels are called with one argument instead of twenty."""
        kinds = {int: np.int64, float: np.float64, bool: np.bool_}
        fields = [(name, kinds[type(value)]) for name, value in self._asdict().items()]
        return np.array([tuple(self)], np.dtype((np.record, np.dtype(fields, align=True))))


def _number(name: str, word: str, numbers: dict[str, int]) -> int:
    if word not in numbers:
        raise ConfigError(f"search.{name} is {word!r}; it can be {', '.join(numbers)}.")
    return numbers[word]
