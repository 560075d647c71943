"""Workers come and go with the machines of a cluster."""

import time

import pytest
import ray
from ray.cluster_utils import Cluster

from rayzero.cluster.crew import Crew
from rayzero.cluster.machine import make_plan
from rayzero.cluster.run import RunDirectory
from rayzero.config import load_config
from rayzero.gamelog import read_games


@pytest.fixture
def cluster():
    ray.shutdown()
    one = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=one.address, log_to_driver=False, logging_level="ERROR", namespace="test")
    yield one
    ray.shutdown()
    one.shutdown()


def eventually(what, seconds=60):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.5)
    return what()


@pytest.mark.slow
def test_workers_follow_the_nodes(tmp_path, cluster):
    config = load_config("tictactoe", [f"run.dir={tmp_path}", "evaluation.enabled=false"])
    run = RunDirectory(config)
    crew = Crew(config, make_plan(config, joined=True), run, None)
    weights, version = crew.learner.actor.weights.options(num_returns=2).remote()
    crew.complete(weights, ray.get(version))
    assert len(crew.workers) == 1
    node = cluster.add_node(num_cpus=2)

    def followed(count):
        crew.follow_cluster()
        return len(crew.workers) == count

    assert eventually(lambda: followed(3))
    assert len({worker.name for worker in crew.workers}) == 3
    cluster.remove_node(node)
    crew.workers[0].answered()
    survivor = crew.workers[0]
    assert eventually(lambda: followed(1)) and crew.workers == [survivor]
    crew.stop()
    assert list(read_games(run.games)) == []
