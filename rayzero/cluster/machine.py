"""Ray on this machine or a cluster: joined or started, quiet, with what the run needs."""

import logging
import os
import socket
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ray

from rayzero.config import Config
from rayzero.errors import RunError

# The memory of activations and batches stays with the process instead of being given back and faulted in anew.
_ENVIRONMENT = {
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}
_STORE_BYTES = 1 << 30
_WATCH_EVERY, _WATCH_PATIENCE = 5.0, 3  # seconds, and how many misses are one too many


@dataclass(frozen=True)
class Plan:
    """What runs where."""

    workers: int
    servers: int  # 0: the net runs in the workers
    gpus: int
    cpus: int
    joined: bool  # a Ray that was there before


def start_ray(config: Config) -> bool:
    """Join the Ray that runs here or at the given address, else start one; whether it was there before."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    common: dict[str, Any] = {
        "namespace": f"rayzero-{uuid.uuid4().hex[:8]}",
        "logging_level": logging.ERROR,
        "log_to_driver": False,
        "configure_logging": True,
    }
    address = config.cluster.address
    if address not in (None, "auto", "local"):
        _check_address(address)
    if address != "local":
        try:
            ray.init(address=address or "auto", **common)
        except ConnectionError as error:
            if address:
                raise _no_ray(address) from error
        else:
            return True
    ray.init(
        address="local",
        num_cpus=max(available_cpus(), config.selfplay.workers or 0),
        include_dashboard=False,
        object_store_memory=_STORE_BYTES,
        **common,
    )
    return False


def _check_address(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise _no_ray(address) from error


def _no_ray(address: str) -> RunError:
    return RunError(f"There is no Ray at {address} (cluster.address): start it, or leave the setting out.")


def stop_ray() -> None:
    """Leave Ray, or end the one that was started."""
    ray.shutdown()


@contextmanager
def ray_errors_to(path: Path) -> Iterator[None]:
    """Send what Ray's native code prints to a file; Python's own messages still reach the person."""
    sys.stderr.flush()
    before = os.dup(2)
    python_stderr = sys.stderr
    with open(path, "ab") as file:
        os.dup2(file.fileno(), 2)
    sys.stderr = os.fdopen(os.dup(before), "w", buffering=1)
    try:
        yield
    finally:
        sys.stderr = python_stderr
        os.dup2(before, 2)
        os.close(before)


@contextmanager
def watched_ray(farewell: str) -> Iterator[None]:
    """Leave with a sentence when the head of the Ray cluster is gone: nothing can be called or saved then."""
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    over = threading.Event()

    def watch() -> None:
        missed = 0
        while missed < _WATCH_PATIENCE:
            if over.wait(_WATCH_EVERY):
                return
            try:
                socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
                missed = 0
            except OSError:
                missed += 1
        print(farewell, file=sys.stderr, flush=True)
        os._exit(2)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def make_plan(config: Config, joined: bool) -> Plan:
    """Fit the run to the machines that are there, or say what is missing."""
    total = ray.cluster_resources()
    cpus, gpus = total.get("CPU", 0.0), int(total.get("GPU", 0.0))
    share = config.cluster.cpus_per_worker
    free = ray.available_resources().get("CPU", 0.0)
    workers = config.selfplay.workers or max(1, int(free / share + 1e-6))
    if workers * share > free + 1e-6:
        fitting = int(free / share + 1e-6)
        advice = (
            f"set selfplay.workers={fitting}" if fitting else "another run has them: wait, set cluster.address=local"
        )
        raise RunError(
            f"{workers} self-play workers with {share:g} CPUs each need {workers * share:g} CPUs, and this Ray has "
            f"{free:g} free of {cpus:g}: {advice}, or add machines."
        )
    if config.learner.gpus > gpus:
        raise RunError(f"learner.gpus is {config.learner.gpus}, and this Ray has {gpus}.")
    place = config.inference.place
    if place == "auto":
        place = "server" if gpus else "worker"
    servers = (config.cluster.servers or max(1, gpus - config.learner.gpus)) if place == "server" else 0
    return Plan(workers, servers, gpus, int(cpus), joined)


def with_threads(config: Config, plan: Plan) -> Config:
    """Threads set for every part: one for a net in a worker, all for a server on CPUs, one for the learner."""
    cores = available_cpus()
    inference = replace(config.inference, threads=config.inference.threads or (cores if plan.servers else 1))
    learner = replace(config.learner, threads=config.learner.threads or max(1, cores // 2))
    return replace(config, inference=inference, learner=learner)


def available_cpus() -> int:
    """CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
