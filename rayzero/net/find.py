"""Where a model is: the one way in which commands read the word MODEL."""

import re
from importlib.resources import files
from pathlib import Path

from rayzero.errors import ModelError
from rayzero.net.files import CARD_FILE, WEIGHTS_FILE


def shipped_models() -> list[str]:
    """The names of the models that come with rayzero."""
    root = Path(str(files("rayzero"))) / "models"
    return sorted(path.parent.name for path in root.glob(f"*/{CARD_FILE}"))


def find_model(text: str | Path) -> Path:
    """The directory of a model.

    `text` is a model's directory or file, a checkpoint's directory, a run's directory (its best model, else its
    newest checkpoint), the name of a run in `runs/`, or the name of a model that comes with rayzero.
    """
    path = Path(text)
    if path.name == WEIGHTS_FILE and path.is_file():
        return path.parent
    for base in (path, Path("runs") / path):
        found = _inside(base)
        if found is not None:
            return found
    if str(text) in shipped_models():
        return Path(str(files("rayzero"))) / "models" / str(text)
    if path.is_file():
        raise ModelError(f"{text} is no model file: a model is a directory with {WEIGHTS_FILE} and {CARD_FILE}.")
    if path.is_dir():
        raise ModelError(f"{text} holds no model yet: neither {WEIGHTS_FILE}, nor best/, nor checkpoints/.")
    shipped = ", ".join(shipped_models()) or "none"
    raise ModelError(f"There is no model {text}: no such directory, no such run in runs/; models shipped: {shipped}.")


def _inside(base: Path) -> Path | None:
    def step(path: Path) -> int:
        match = re.fullmatch(r"step-(\d+)", path.name)
        return int(match[1]) if match else -1

    checkpoints = sorted((base / "checkpoints").glob("step-*"), key=step, reverse=True)
    for candidate in (base, base / "best", *checkpoints):
        if (candidate / WEIGHTS_FILE).is_file():
            return candidate
    return None
