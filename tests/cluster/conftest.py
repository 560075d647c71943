import sys

import pytest


@pytest.fixture(scope="module")
def ray_here(tmp_path_factory):
    """A small Ray of this module's own."""
    import ray

    ray.init(
        address="local",
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=200 << 20,
        namespace="test",
    )
    yield ray
    ray.shutdown()


@pytest.fixture
def launch():
    """The command line of a training with tiny settings, whose Ray is its own."""

    def command(*settings):
        return [sys.executable, "launch.py", "conf/tictactoe.yaml", "cluster.address=local", *settings]

    return command
