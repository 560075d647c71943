"""Who works on a run: every actor, how it is placed, and what a newcomer is given."""

from functools import partial
from typing import Any

import numpy as np
import ray

from rayzero.cluster.machine import Plan
from rayzero.cluster.run import RunDirectory
from rayzero.cluster.server import InferenceServer
from rayzero.cluster.services import EvaluatorService, LearnerService, ReplayService
from rayzero.cluster.supervision import Member
from rayzero.cluster.workers import SelfPlayWorker, server_name
from rayzero.config import Config
from rayzero.evaluator import Evaluator


class Crew:
    """The members of a run; `files` and `weights` are references that whoever is started anew begins with."""

    def __init__(
        self,
        config: Config,
        plan: Plan,
        run: RunDirectory,
        files: dict[str, bytes] | None,
        evaluator: Evaluator | None = None,
    ) -> None:
        self.config = config
        self.plan = plan
        self.files = ray.put(files) if files else None
        self.weights: Any = None
        self.version = -1
        self._run = run
        self._served = evaluator  # what servers use in the place of the net
        self._starts = self._hired = 0
        self._given: dict[str, tuple[int, int]] = {}  # by name: incarnation and version of the weights it has
        self.replay = Member("replay", self._start_replay)
        self.learner = Member("learner", self._start_learner)
        self.servers: list[Member] = []
        self.workers: list[Member] = []
        self._evaluator: Member | None = None

    def complete(self, weights: Any, version: int) -> None:
        """Start everyone who needs weights."""
        self.weights, self.version = weights, version
        names = [f"server-{i}" for i in range(self.plan.servers)]
        self.servers = [Member(name, partial(self._start_server, name)) for name in names]
        for _ in range(self.plan.workers):
            self._hire()

    def follow_cluster(self) -> None:
        """As machines come and go, have as many workers as there is room for."""
        share = self.config.cluster.cpus_per_worker
        most = max(1, int(ray.cluster_resources().get("CPU", 0.0) / share + 1e-6))
        room = int(ray.available_resources().get("CPU", 0.0) / share + 1e-6)
        for _ in range(min(room, most - len(self.workers))):
            self._hire()
        # Of workers that have no place any more, the last answer is the longest ago.
        for worker in sorted(self.workers, key=lambda member: member.answered_at)[: max(0, len(self.workers) - most)]:
            self.workers.remove(worker)
            worker.retire()

    def _hire(self) -> None:
        number = self._hired
        self._hired += 1
        self.workers.append(Member(f"worker-{number}", partial(self._start_worker, number)))

    @property
    def evaluator(self) -> Member:
        """Started for the first match: until then its memory and its share of the cores are of more use elsewhere."""
        if self._evaluator is None:
            self._evaluator = Member("evaluator", self._start_evaluator)
        return self._evaluator

    @property
    def members(self) -> list[Member]:
        """All who were started."""
        some = [self.replay, self.learner, *self.servers, *self.workers]
        return [*some, self._evaluator] if self._evaluator else some

    def stop(self) -> None:
        """End all of them."""
        for member in self.members:
            member.stop()

    def news_for(self, member: Member) -> Any:
        """The reference of the newest weights if the member does not have them yet; it counts as given then."""
        newest = (member.incarnation, self.version)
        if self._given.get(member.name) == newest:
            return None
        self._given[member.name] = newest
        return self.weights

    def _start_replay(self, incarnation: int) -> Any:
        return _place(ReplayService).remote(self.config, str(self._run.games))

    def _start_learner(self, incarnation: int) -> Any:
        return _place(LearnerService, num_gpus=self.config.learner.gpus).remote(self.config, self.files)

    def _start_evaluator(self, incarnation: int) -> Any:
        return _place(EvaluatorService).remote(self.config, str(self._run.path))

    def _start_server(self, name: str, incarnation: int) -> Any:
        name = server_name(name, incarnation)
        gpus = 1 if self.plan.gpus > self.config.learner.gpus else 0
        return _place(InferenceServer, num_gpus=gpus, name=name).remote(self.config, self.weights, self._served)

    def _start_worker(self, index: int, incarnation: int) -> Any:
        servers = {member.name: member.incarnation for member in self.servers}
        self._starts += 1
        seed = np.random.SeedSequence(self.config.run.seed, spawn_key=(self._run.starts, self._starts))
        placed = _place(SelfPlayWorker, num_cpus=self.config.cluster.cpus_per_worker)
        return placed.remote(self.config, int(seed.generate_state(1)[0]), servers, index)


def _place(service: type, num_cpus: float = 0.0, **options: Any) -> Any:
    return ray.remote(service).options(num_cpus=num_cpus, max_restarts=0, max_task_retries=0, **options)
