"""The contract of a game: what the rest of rayzero may ask of it.

A game is a NamedTuple of parameters and tables, and a handful of functions found by the type of that
tuple. The functions below are callable from Python and, at no cost, from any compiled kernel.

Every game has these fields:
    height, width           board size: the spatial size of the planes
    plane_count             input planes of the net
    actions                 number of action indices, 0..actions-1
    state_size              words of a state
    max_plies               no game is longer
    cell_symmetries         int16 [S, height*width]: symmetric plane s has at cell i the value of cell [s, i]
    action_symmetries       int16 [S, actions]: symmetric policy s has at action a the value of action [s, a]
and, as the first row of both tables, the identity.

A state is an int64 array of `state_size` words. Its first three have the same meaning in every game:
    state[PLY]      plies played so far; even: the first player is to move, odd: the second
    state[LAST]     the last action, or NO_ACTION
    state[RESULT]   ONGOING, or the outcome *for the player to move*: WIN, DRAW or LOSS
Players alternate strictly: a game with passes has an action for it.
"""

import inspect
from collections.abc import Callable, Collection
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from rayzero.chance import draw
from rayzero.errors import GameError
from rayzero.jit import depends_on, jit_options

PLY, LAST, RESULT, HEADER = 0, 1, 2, 3
WIN, DRAW, LOSS, ONGOING = 1, 0, -1, 2
NO_ACTION = -1

# What look-ahead through the rules can find out about a position without a net.
FREE, FORCED, WON = 0, 1, 2


class Rules(NamedTuple):
    """The functions of one game; see the functions of the same names in this module."""

    init: Callable[..., None]
    legal: Callable[..., int]
    play: Callable[..., None]
    planes: Callable[..., None]
    lookahead: Callable[..., tuple[int, int, int]]
    rollout: Callable[..., int]


_rules: dict[type, Rules] = {}
_bare: dict[type, frozenset[str]] = {}


def init(game, state):
    """Write the initial position into a state."""
    _rules[type(game)].init(game, state)


def legal(game, state, actions):
    """Write the legal actions in increasing order into an int16 array; return their number.

    A finished game has none; an unfinished one has at least one.
    """
    return _rules[type(game)].legal(game, state, actions)


def play(game, state, action):
    """Play a legal action: updates the whole state, PLY, LAST and RESULT included."""
    _rules[type(game)].play(game, state, action)


def planes(game, state, out):
    """Write the net's input into a uint8 array [plane_count, height, width] that may hold anything.

    Plane 0 has the pieces of the player to move, plane 1 the other's, as zeros and ones; the rest is free.
    """
    _rules[type(game)].planes(game, state, out)


def lookahead(game, state, depth, found):
    """See what the rules alone decide for the player to move of an unfinished position.

    Returns (kind, n, plies), with n actions written into the int16 array `found`:
        WON     each of them wins by force; the game then lasts `plies` more (an upper bound)
        FORCED  every other action loses at once; n == 0: whatever is played, it is lost in `plies`
        FREE    nothing is known; n == 0
    depth 1 sees wins and threats of one move; larger depths may follow forcing sequences.
    """
    return _rules[type(game)].lookahead(game, state, depth, found)


def rollout(game, state, actions, random):
    """Play random legal actions to the end, destroying the state: only its PLY and RESULT are right then.

    Returns the outcome for the player who was to move at the start. `actions` is int16 scratch space of
    game.actions entries, `random` the state of the random numbers (see rayzero.chance).
    """
    return _rules[type(game)].rollout(game, state, actions, random)


def _dispatch(rule: Callable[..., Any]) -> None:
    """Let kernels call a rule: numba asks for the function that belongs to the type of the game.

    There are two ways to compile it, and a function takes one of them: see `register`.
    """
    for bare in (False, True):

        @wraps(rule)
        def choose(game: Any, *_: Any, bare: bool = bare) -> Callable[..., Any] | None:
            if (rule.__name__ in _bare[game.instance_class]) != bare:
                return None
            return getattr(_rules[game.instance_class], rule.__name__)

        overload(rule, jit_options=jit_options(counted=not bare, inline=bare and rule is play))(choose)


RULES: tuple[Callable[..., Any], ...] = (init, legal, play, planes, lookahead, rollout)
for _rule in RULES:
    _dispatch(_rule)


def winning_actions(game, state, depth, found):
    """Look-ahead of one ply for any game: try every action."""
    trial = np.empty_like(state)
    actions = np.empty(game.actions, np.int16)
    n = 0
    for i in range(legal(game, state, actions)):
        trial[:] = state
        play(game, trial, actions[i])
        if trial[RESULT] == LOSS:
            found[n] = actions[i]
            n += 1
    if n:
        return WON, n, 1
    return FREE, 0, 0


def random_rollout(game, state, actions, random):
    """Rollout for any game: ask for the legal actions at every ply."""
    start = state[PLY]
    while state[RESULT] == ONGOING:
        n = legal(game, state, actions)
        play(game, state, actions[draw(random, n)])
    return state[RESULT] if (state[PLY] - start) % 2 == 0 else -state[RESULT]


def is_registered(game: type) -> bool:
    """Whether a type of game is known."""
    return game in _rules


def register(
    game: type,
    *,
    init: Callable[..., None],
    legal: Callable[..., int],
    play: Callable[..., None],
    planes: Callable[..., None],
    lookahead: Callable[..., tuple[int, int, int]] = winning_actions,
    rollout: Callable[..., int] = random_rollout,
    bare: Collection[str] = (),
) -> None:
    """Make a game known by the type of its NamedTuple; call it once, in the file of the game.

    `bare` names functions that make no arrays and no slices: no references are counted in them, which
    saves about 100 ns a call.
    """
    given: list[Any] = [
        getattr(function, "py_func", function) for function in (init, legal, play, planes, lookahead, rollout)
    ]
    for rule, function in zip(RULES, given, strict=True):
        expected = list(inspect.signature(rule).parameters)
        actual = list(inspect.signature(function).parameters)
        if actual != expected:
            raise GameError(
                f"{game.__name__}: {rule.__name__}({', '.join(actual)}) should be "
                f"{rule.__name__}({', '.join(expected)}), with the parameters named so."
            )
    _rules[game] = Rules(*given)
    _bare[game] = frozenset(bare)
    depends_on(game.__module__, Path(inspect.getfile(_rules[game].play)).resolve())
