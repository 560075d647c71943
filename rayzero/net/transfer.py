"""Starting from another net's weights, of another board size too."""

import logging

import torch

from rayzero.errors import ModelError
from rayzero.net.files import load_weights
from rayzero.net.find import find_model
from rayzero.net.module import Net

log = logging.getLogger(__name__)


def start_from(net: Net, text: str) -> None:
    """Copy every layer that fits; the trunk must, heads that depend on the board's size need not."""
    folder, _, other, weights = load_weights(find_model(text))
    for key in ("planes", "architecture", "channels", "blocks"):
        wanted, found = getattr(net.blueprint, key), getattr(other, key)
        if wanted != found:
            raise ModelError(f"net.init_from: {folder} can't be the start of this net: {key} is {found}, not {wanted}.")
    arrays = other.split(weights.flat)
    state = net.state_dict()
    fresh = set()
    with torch.no_grad():
        for layer in net.blueprint.layers:
            if all(name in arrays and arrays[name].shape == shape for name, shape in layer.slots):
                for name, _ in layer.slots:
                    state[name].copy_(torch.from_numpy(arrays[name].copy()))
            else:
                fresh.add(layer.name)
    log.info("Started from %s; new layers: %s.", folder, ", ".join(sorted(fresh)) or "none")
