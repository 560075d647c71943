"""Self-play with mctx (Gumbel MuZero policy) on pgx's rules, with a residual net of any size and random weights.

Batch norm is left out, as if folded into the convolutions: the net costs no more than ours does.

Requests: game (of pgx), blocks, channels, simulations, batch (games at once), seconds; the answer:
simulations, seconds, games.
"""

import json
import sys
import time
from functools import partial

import jax
import jax.numpy as jnp
import mctx
import pgx


def make_weights(key, planes, cells, actions, blocks, channels):
    """Convolutions of the tower, then the layers of the two heads."""
    shapes = {"stem": (3, 3, planes, channels), "policy": (1, 1, channels, 2), "value": (1, 1, channels, 1)}
    shapes |= {f"block{i}{half}": (3, 3, channels, channels) for i in range(blocks) for half in "ab"}
    shapes |= {"policy_out": (2 * cells, actions), "value_hidden": (cells, 256), "value_out": (256, 1)}
    keys = jax.random.split(key, len(shapes))
    return {name: 0.05 * jax.random.normal(k, shape) for k, (name, shape) in zip(keys, shapes.items(), strict=True)}


def convolve(x, weights):
    """A convolution that keeps the size of the board."""
    return jax.lax.conv_general_dilated(x, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def net(weights, blocks, observation):
    """Policy logits and values of a batch of positions."""
    x = jax.nn.relu(convolve(observation.astype(jnp.float32), weights["stem"]))
    for i in range(blocks):
        inner = jax.nn.relu(convolve(x, weights[f"block{i}a"]))
        x = jax.nn.relu(x + convolve(inner, weights[f"block{i}b"]))
    policy = jax.nn.relu(convolve(x, weights["policy"])).reshape(len(x), -1) @ weights["policy_out"]
    hidden = jax.nn.relu(jax.nn.relu(convolve(x, weights["value"])).reshape(len(x), -1) @ weights["value_hidden"])
    return policy, jnp.tanh(hidden @ weights["value_out"])[:, 0]


def evaluate(weights, blocks, state):
    """The net's answer with illegal actions masked."""
    logits, value = net(weights, blocks, state.observation)
    return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min), value


def make_step(game, blocks, simulations):
    """One move in every game of a batch; finished games start anew."""

    def look(weights, key, action, state):
        player = state.current_player
        state = jax.vmap(game.step)(state, action)
        logits, value = evaluate(weights, blocks, state)
        reward = state.rewards[jnp.arange(len(player)), player]
        over = state.terminated
        output = mctx.RecurrentFnOutput(
            reward=reward, discount=jnp.where(over, 0.0, -1.0), prior_logits=logits, value=jnp.where(over, 0.0, value)
        )
        return output, state

    @partial(jax.jit, donate_argnums=1)
    def step(weights, state, key):
        search_key, reset_key = jax.random.split(key)
        logits, value = evaluate(weights, blocks, state)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        policy = mctx.gumbel_muzero_policy(
            weights, search_key, root, look, simulations, invalid_actions=~state.legal_action_mask
        )
        state = jax.vmap(game.step)(state, policy.action)
        over = state.terminated | state.truncated
        new = jax.vmap(game.init)(jax.random.split(reset_key, len(over)))
        pick = jax.vmap(lambda stop, fresh, old: jax.tree.map(lambda a, b: jnp.where(stop, a, b), fresh, old))
        return pick(over, new, state), over.sum()

    return step


def answer(request):
    """Play for so many seconds."""
    game = pgx.make(request["game"])
    key = jax.random.PRNGKey(0)
    state = jax.vmap(game.init)(jax.random.split(key, request["batch"]))
    height, width, planes = state.observation.shape[1:]
    weights = make_weights(key, planes, height * width, game.num_actions, request["blocks"], request["channels"])
    step = make_step(game, request["blocks"], request["simulations"])
    state, _ = step(weights, state, key)
    jax.block_until_ready(state.observation)
    moves, games = 0, 0
    start = time.perf_counter()
    while time.perf_counter() - start < request["seconds"]:
        key, step_key = jax.random.split(key)
        state, over = step(weights, state, step_key)
        games += int(over)
        moves += request["batch"]
    seconds = time.perf_counter() - start
    return {"simulations": moves * request["simulations"], "seconds": seconds, "games": games}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
