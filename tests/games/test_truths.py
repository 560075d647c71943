"""Counts that others have published: of tic-tac-toe games, Connect4 positions and Othello sequences."""

import numpy as np
import pytest

from rayzero.games import make_game
from rayzero.games.rules import HEADER, ONGOING, RESULT, init, legal, play
from rayzero.jit import kernel

CONNECT4_POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623]
OTHELLO_SEQUENCES = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216]


@kernel
def sequences(game, states, actions, indices, depth):
    """Move sequences of `depth` plies, and of those games that have ended by then; states has depth + 1 rows."""
    running, ended = 0, 0
    level = 0
    indices[0] = -1
    while level >= 0:
        if indices[level] == -1:
            indices[level] = 0
            if level == depth or states[level, RESULT] != ONGOING:
                running += states[level, RESULT] == ONGOING
                ended += states[level, RESULT] != ONGOING
                level -= 1
                continue
            actions[level, game.actions] = legal(game, states[level], actions[level])
        if indices[level] == actions[level, game.actions]:
            level -= 1
            continue
        states[level + 1] = states[level]
        play(game, states[level + 1], actions[level, indices[level]])
        indices[level] += 1
        level += 1
        indices[level] = -1
    return running, ended


@kernel
def children(game, states, out):
    """Write every position after one more ply; returns how many there are."""
    actions = np.empty(game.actions, np.int16)
    n = 0
    for i in range(len(states)):
        for j in range(legal(game, states[i], actions)):
            out[n] = states[i]
            play(game, out[n], actions[j])
            n += 1
    return n


def count_sequences(name: str, depth: int) -> tuple[int, int]:
    game = make_game(name)
    states = np.zeros((depth + 1, game.state_size), np.int64)
    init(game, states[0])
    actions = np.zeros((depth + 1, game.actions + 1), np.int16)
    return sequences(game, states, actions, np.zeros(depth + 1, np.int64), depth)


def positions_by_ply(name: str, plies: int) -> list[int]:
    """Different positions after 0, 1, ... plies; a position is its stones, row by row."""
    game = make_game(name)
    states = np.zeros((1, game.state_size), np.int64)
    init(game, states[0])
    counts = [1]
    for ply in range(1, plies + 1):
        kept, stones = [], []
        for chunk in np.array_split(states, 1 + len(states) // 50_000):
            out = np.empty((len(chunk) * game.actions, game.state_size), np.int64)
            out = out[: children(game, chunk, out)]
            rows, first = np.unique(out[:, HEADER : HEADER + game.height], axis=0, return_index=True)
            stones.append(rows)
            if ply < plies:
                kept.append(out[first])
        unique, first = np.unique(np.concatenate(stones), axis=0, return_index=True)
        counts.append(len(unique))
        if ply < plies:
            states = np.concatenate(kept)[first]
    return counts


def test_tictactoe_games():
    assert sum(count_sequences("tictactoe", 9)) == 255168


def test_tictactoe_positions():
    assert sum(positions_by_ply("tictactoe", 9)) == 5478


def test_connect4_positions():
    assert positions_by_ply("connect4", 8) == CONNECT4_POSITIONS[:9]


@pytest.mark.long
def test_more_connect4_positions():
    assert positions_by_ply("connect4", 10) == CONNECT4_POSITIONS


@pytest.mark.parametrize("depth", range(1, 9))
def test_othello_sequences(depth):
    assert sum(count_sequences("othello", depth)) == OTHELLO_SEQUENCES[depth]
