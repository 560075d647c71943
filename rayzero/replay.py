"""The replay buffer: games durable on disk first, then positions of the newest ones to train on.

Games are kept as moves and sparse targets in rings, a few hundred bytes a position; the planes of a
sample are rebuilt by replaying its moves in compiled code. The batch of a step depends on the seed, the
step and the games added so far, and on nothing else: a resumed run draws the same one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rayzero.config import schema
from rayzero.gamelog import GameLog, read_games
from rayzero.games import rules
from rayzero.jit import kernel
from rayzero.records import Batch, GameRecord

_PROBABILITY_ONE = 65535  # probabilities are kept as uint16: compiled code has no float16


class Ring:
    """The newest rows of an endless array; row i lies at i modulo the capacity, a power of two."""

    def __init__(self, kind: Any, *shape: int, capacity: int = 1 << 12) -> None:
        self.rows = np.zeros((capacity, *shape), kind)
        self.start = self.end = 0  # of the rows that are kept

    def extend(self, rows: np.ndarray) -> None:
        """Append rows, growing where they would overwrite kept ones."""
        while self.end + len(rows) - self.start > len(self.rows):
            self._grow()
        at = self.end & (len(self.rows) - 1)
        first = min(len(rows), len(self.rows) - at)
        self.rows[at : at + first] = rows[:first]
        self.rows[: len(rows) - first] = rows[first:]
        self.end += len(rows)

    def __getitem__(self, index: int) -> Any:
        return self.rows[index & (len(self.rows) - 1)]

    def _grow(self) -> None:
        larger = np.zeros((2 * len(self.rows), *self.rows.shape[1:]), self.rows.dtype)
        index = np.arange(self.start, self.end)
        larger[index & (len(larger) - 1)] = self.rows[index & (len(self.rows) - 1)]
        self.rows = larger


class Replay:
    """Adds games and samples training positions."""

    def __init__(
        self, game: Any, config: schema.Replay, path: Path | None = None, seed: int = 0, symmetries: bool = True
    ) -> None:
        self.games = self.plies = self.positions = 0  # ever added
        self._game = game
        self._config = config
        self._seed = seed
        self._symmetries = len(game.action_symmetries) if symmetries else 1
        self._ids: set[str] = set()
        self._game_rows = Ring(np.int64, 5)  # moves' start and end, outcome, version, targets' end
        self._moves = Ring(np.int16)
        self._targets = Ring(np.int64, 4)  # game, ply, start and end of the policy
        self._values = Ring(np.float32)
        self._actions = Ring(np.int16)
        self._probabilities = Ring(np.uint16)
        self._log = GameLog(path) if path else None
        if path:
            for record in read_games(path):
                if record.id not in self._ids:
                    self._keep(record)

    @property
    def window(self) -> int:
        """How many of the newest positions samples are drawn from."""
        wanted = int(self._config.window_share * self.positions)
        return min(self.positions, max(self._config.window_min, min(wanted, self._config.window_max)))

    def add(self, records: Sequence[GameRecord]) -> list[str]:
        """Make games durable and count them; returns the ids of those that are new."""
        fresh = list({record.id: record for record in records if record.id not in self._ids}.values())
        if fresh and self._log:
            self._log.append(fresh)
        for record in fresh:
            self._keep(record)
        return [record.id for record in fresh]

    def sample(self, step: int, n: int) -> Batch:
        """N positions of the window, each under a random symmetry: always the same ones for a step."""
        random = np.random.default_rng((self._seed, step))
        picks = random.integers(self.positions - self.window, self.positions, n)
        images = random.integers(0, self._symmetries, n)
        game = self._game
        board = (n, game.plane_count, game.height, game.width)
        batch = Batch(
            planes=np.empty(board, np.uint8),
            policies=np.zeros((n, game.actions), np.float32),
            outcomes=np.empty(n, np.int8),
            search_values=np.empty(n, np.float32),
            moves_left=np.empty(n, np.int16),
            replies=np.zeros((n, game.actions), np.float32),
            legal=np.zeros((n, game.actions), np.bool_),
            age=self._age(step, picks),
        )
        _fill(
            game,
            picks,
            images,
            self._game_rows.rows,
            self._moves.rows,
            self._targets.rows,
            self._values.rows,
            self._actions.rows,
            self._probabilities.rows,
            self.positions,
            batch.planes,
            batch.policies,
            batch.outcomes,
            batch.search_values,
            batch.moves_left,
            batch.replies,
            batch.legal,
        )
        return batch

    def age(self, step: int) -> float:
        """Mean steps since the weights that played the window's positions."""
        picks = np.linspace(self.positions - self.window, self.positions - 1, 256).astype(np.int64)
        return self._age(step, picks) if self.positions else 0.0

    def close(self) -> None:
        """Stop writing."""
        if self._log:
            self._log.close()

    def _age(self, step: int, picks: np.ndarray) -> float:
        games = self._targets.rows[picks & (len(self._targets.rows) - 1), 0]
        versions = self._game_rows.rows[games & (len(self._game_rows.rows) - 1), 3]
        return float(np.maximum(step - versions, 0).mean())

    def _keep(self, record: GameRecord) -> None:
        self._ids.add(record.id)
        ends = self._actions.end + record.policy_ends.astype(np.int64)
        targets = np.empty((len(ends), 4), np.int64)
        targets[:, 0] = self.games
        targets[:, 1] = record.target_plies
        targets[1:, 2] = ends[:-1]
        targets[:1, 2] = self._actions.end
        targets[:, 3] = ends
        start = self._moves.end
        self._moves.extend(record.moves)
        self._targets.extend(targets)
        self._values.extend(record.search_values)
        self._actions.extend(record.policy_actions)
        self._probabilities.extend(np.rint(record.policy_probabilities.astype(np.float32) * _PROBABILITY_ONE))
        row = (start, self._moves.end, record.outcome, record.versions[1], self._targets.end)
        self._game_rows.extend(np.array([row], np.int64))
        self.games += 1
        self.plies += record.plies
        self.positions += len(targets)
        self._forget()

    def _forget(self) -> None:
        """Give up the oldest games that no window will reach again: windows never start earlier."""
        first = self.positions - self.window
        rows = self._game_rows
        while rows.end - rows.start > 1 and rows[rows.start][4] <= first:
            self._moves.start = int(rows[rows.start][1])
            self._targets.start = self._values.start = int(rows[rows.start][4])
            rows.start += 1
        if self._targets.start < self._targets.end:
            self._actions.start = self._probabilities.start = int(self._targets[self._targets.start][2])


@kernel
def _fill(
    game,
    picks,
    images,
    game_rows,
    moves,
    targets,
    values,
    actions,
    probabilities,
    positions,
    planes,
    policies,
    outcomes,
    search_values,
    moves_left,
    replies,
    legal,
):
    """Rebuild the picked positions under their symmetries; see Replay and Batch for the arrays."""
    state = np.empty(game.state_size, np.int64)
    plain = np.empty(planes.shape[1:], np.uint8)
    cells = plain.reshape(game.plane_count, game.height * game.width)
    images_of = planes.reshape(len(picks), game.plane_count, game.height * game.width)
    dense = np.empty(game.actions, np.float32)
    found = np.empty(game.actions, np.int16)
    for i in range(len(picks)):
        target = targets[picks[i] & (len(targets) - 1)]
        row = game_rows[target[0] & (len(game_rows) - 1)]
        ply = target[1]
        rules.init(game, state)
        for at in range(row[0], row[0] + ply):
            rules.play(game, state, moves[at & (len(moves) - 1)])
        rules.planes(game, state, plain)
        cell_image = game.cell_symmetries[images[i]]
        for plane in range(game.plane_count):
            for cell in range(len(cell_image)):
                images_of[i, plane, cell] = cells[plane, cell_image[cell]]
        action_image = game.action_symmetries[images[i]]
        dense[:] = 0
        for k in range(rules.legal(game, state, found)):
            dense[found[k]] = 1
        for action in range(game.actions):
            legal[i, action] = dense[action_image[action]] > 0
        _policy(target, actions, probabilities, action_image, dense, policies[i])
        outcomes[i] = row[2] if ply % 2 == 0 else -row[2]
        search_values[i] = values[picks[i] & (len(values) - 1)]
        moves_left[i] = row[1] - row[0] - ply
        if picks[i] + 1 < positions:
            reply = targets[(picks[i] + 1) & (len(targets) - 1)]
            if reply[0] == target[0] and reply[1] == ply + 1:
                _policy(reply, actions, probabilities, action_image, dense, replies[i])


@kernel
def _policy(target, actions, probabilities, action_image, dense, out):
    """Write a target's policy, summing to 1, under a symmetry; `dense` is scratch space."""
    dense[:] = 0
    total = 0
    for at in range(target[2], target[3]):
        total += probabilities[at & (len(probabilities) - 1)]
    for at in range(target[2], target[3]):
        share = np.float32(probabilities[at & (len(probabilities) - 1)]) / np.float32(total)
        dense[actions[at & (len(actions) - 1)]] = share
    for action in range(len(out)):
        out[action] = dense[action_image[action]]
