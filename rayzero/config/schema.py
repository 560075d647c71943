"""Every setting there is, with its type and default; conf/default.yaml gives each one's reason."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass
class Game:
    """What is played."""

    name: str = "gomoku"
    options: dict[str, Any] = field(default_factory=dict)  # such as width, height, in_a_row


@dataclass
class Net:
    """The policy-value net."""

    architecture: Literal["plain", "resnet", "nested"] = "resnet"
    channels: int = 32
    blocks: int = 6
    heads: Literal["auto", "pooled", "flat"] = "auto"
    value_head: Literal["wdl", "tanh"] = "wdl"
    moves_left: bool = True
    reply: bool = True  # auxiliary head: the opponent's reply
    init_from: str | None = None


@dataclass
class Search:
    """How a move is searched for."""

    kind: Literal["puct", "gumbel"] = "puct"
    simulations: int = 96
    c_puct: float = 1.5
    c_base: float = 0.0  # 0: c_puct is constant
    fpu: Literal["reduction", "parent", "fixed"] = "reduction"
    fpu_value: float = 0.2
    discount: float = 1.0
    moves_left_slope: float = 0.0
    moves_left_cap: float = 0.15
    solver: bool = True
    lookahead: int = 1  # 0: none; 1: wins and threats of one move; more: forcing sequences of so many own moves
    reuse_tree: bool = True
    leaves: int = 1
    virtual_loss: float = 1.0
    root_temperature: float = 1.0
    forced_playouts: float = 0.0
    gumbel_considered: int = 16
    gumbel_c_visit: float = 50.0
    gumbel_c_scale: float = 1.0
    cache: int = 0  # entries of the evaluation cache of a worker; 0: none
    cache_symmetry: bool = False


@dataclass
class SelfPlay:
    """How games are made."""

    workers: int | None = None  # None: what this machine has
    games_per_worker: int = 64
    full_share: float = 0.25
    fast_simulations: int = 16
    noise_epsilon: float = 0.25
    noise_alpha: float | None = None  # None: 10 / number of legal actions
    move_noise: bool = False
    temperature: float = 1.0
    temperature_plies: int = 30
    temperature_end: float = 0.0
    random_plies: int = 0


@dataclass
class Replay:
    """Which positions are trained on, and how often."""

    window_min: int = 20_000
    window_max: int = 1_000_000
    window_share: float = 0.5
    samples_per_position: float = 4.0
    max_lead: int = 20


@dataclass
class Learner:
    """How the net is trained."""

    batch: int = 256
    optimizer: Literal["adamw", "adam", "sgd"] = "adamw"
    learning_rate: float = 2e-3
    schedule: Literal["constant", "cosine", "steps", "kl"] = "constant"
    schedule_steps: int = 100_000
    warmup_steps: int = 100
    weight_decay: float = 1e-4
    clip: float = 1.0
    policy_weight: float = 1.0
    value_weight: float = 1.0
    moves_left_weight: float = 0.1
    reply_weight: float = 0.15
    search_value_share: float = 0.25
    ema: float = 0.99
    passes: int = 1
    kl_target: float = 0.02
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    threads: int | None = None
    gpus: int = 0
    symmetries: bool = True
    min_positions: int = 2_000


@dataclass
class Inference:
    """Where and how the net is run during self-play."""

    place: Literal["auto", "worker", "server"] = "auto"
    engine: Literal["auto", "torch", "openvino"] = "auto"
    precision: Literal["auto", "float32", "bfloat16", "int8"] = "auto"
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    threads: int | None = None
    max_batch: int = 1024


@dataclass
class Evaluation:
    """How strength is measured."""

    enabled: bool = True
    every_minutes: float = 5.0
    every_games: int | None = None
    games: int = 40
    simulations: int = 200
    opening_plies: int = 2
    ladder_start: int = 1000
    ladder: Literal["double", "add"] = "double"
    ladder_step: int = 1000
    ladder_max: int | None = None
    sprt: bool = False
    sprt_elo: float = 20.0
    sprt_error: float = 0.05
    solver_positions: int = 0


@dataclass
class Run:
    """Where results go, and when training ends."""

    name: str | None = None  # None: the name of the config file
    dir: str = "runs"
    minutes: float | None = None
    games: int | None = None
    steps: int | None = None
    seed: int = 1
    checkpoint_minutes: float = 2.0
    keep_checkpoints: int = 3


@dataclass
class Cluster:
    """How actors are placed."""

    address: str | None = None  # None: join a running Ray, else start one
    cpus_per_worker: float = 1.0
    servers: int | None = None  # None: one per GPU
    follow_autoscaler: bool = True


@dataclass
class Monitor:
    """What is reported."""

    interval_seconds: float = 10.0
    images: bool = True


@dataclass
class Config:
    """All of it; made by `rayzero.config.load_config`."""

    game: Game = field(default_factory=Game)
    net: Net = field(default_factory=Net)
    search: Search = field(default_factory=Search)
    selfplay: SelfPlay = field(default_factory=SelfPlay)
    replay: Replay = field(default_factory=Replay)
    learner: Learner = field(default_factory=Learner)
    inference: Inference = field(default_factory=Inference)
    evaluation: Evaluation = field(default_factory=Evaluation)
    run: Run = field(default_factory=Run)
    cluster: Cluster = field(default_factory=Cluster)
    monitor: Monitor = field(default_factory=Monitor)


@dataclass(frozen=True)
class Options:
    """How to start this time: asked on the command line, never part of a run's settings."""

    new: bool = False  # start over where the run exists already
    quiet: bool = False
