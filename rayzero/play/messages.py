"""What goes over the wire: the types of the service's interface."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rayzero.play.catalogue import Offer
from rayzero.play.formats import MAX_TEXT, formats_for
from rayzero.play.models import Entry
from rayzero.play.report import Report
from rayzero.play.session import Session

MAX_SIMULATIONS = 100_000
MAX_SECONDS = 60.0

Name = Annotated[str, Field(min_length=1, max_length=80)]
Player = Annotated[int, Field(ge=0, le=1)]
Action = Annotated[int, Field(ge=0, le=100_000)]
Ply = Annotated[int, Field(ge=0, le=100_000)]
Simulations = Annotated[int, Field(ge=1, le=MAX_SIMULATIONS)]
Seconds = Annotated[float, Field(gt=0, le=MAX_SECONDS, allow_inf_nan=False)]


class Message(BaseModel):
    """Every message: no unknown keys, no silent conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GameInfo(Message):
    """A game and how to draw it. Cells are numbered row by row from the top left."""

    name: str
    title: str
    width: int
    height: int
    board: Literal["points", "holes", "squares"]
    pieces: Literal["stones", "discs", "marks"]
    drop: bool  # an action is a column
    pass_action: int | None
    players: list[str]
    columns: list[str]
    rows: list[str]  # from the top; none where an action is a column
    formats: list[str]
    exact: bool  # a solver knows the true value of every move

    @classmethod
    def of(cls, offer: Offer, exact: bool) -> "GameInfo":
        """The description of an offer."""
        return cls(
            name=offer.name,
            title=offer.title,
            width=offer.game.width,
            height=offer.game.height,
            board=offer.board,  # type: ignore[arg-type]
            pieces=offer.pieces,  # type: ignore[arg-type]
            drop=offer.drop,
            pass_action=offer.pass_action,
            players=list(offer.players),
            columns=list(offer.columns),
            rows=list(offer.rows),
            formats=formats_for(offer),
            exact=exact,
        )


class LevelInfo(Message):
    """A step of strength."""

    simulations: int
    elo: float | None
    margin: float | None
    checkpoint: str | None


class ModelInfo(Message):
    """Somebody to play against."""

    id: str
    title: str
    kind: Literal["net", "mcts"]
    games: list[str]
    levels: list[LevelInfo]
    note: str
    followed: bool  # belongs to a run whose games can be watched

    @classmethod
    def of(cls, entry: Entry, followed: bool) -> "ModelInfo":
        """The description of an entry of the book."""
        levels = [LevelInfo(**vars(level)) for level in entry.levels]
        return cls(
            id=entry.id,
            title=entry.title,
            kind=entry.kind,  # type: ignore[arg-type]
            games=list(entry.games),
            levels=levels,
            note=entry.note,
            followed=followed and entry.kind == "net",
        )


class Opponent(Message):
    """Who shall move, and how long to think: a level, or simulations, or seconds."""

    model: Name
    level: Annotated[int, Field(ge=0, le=100)] | None = None
    simulations: Simulations | None = None
    seconds: Seconds | None = None


class NewSession(Message):
    """A game to start, from the beginning or from a text in any of its formats."""

    game: Name
    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""


class NewMove(Message):
    """A move, as an action or as people write it; `ply` says after which earlier ply."""

    action: Action | None = None
    text: Annotated[str, Field(max_length=20)] | None = None
    ply: Ply | None = None


class Undo(Message):
    """How many plies to take back."""

    plies: Annotated[int, Field(ge=1, le=1000)] = 1


class Resignation(Message):
    """Who gives up."""

    player: Player


class PlayedMove(Message):
    """A move of a session."""

    action: int
    text: str
    changes: list[tuple[int, int]]  # cell and whose piece is there now, the placed one first
    legal: list[int] | None  # before the move; None where every empty cell or open column was


class OutcomeInfo(Message):
    """How a game ended."""

    winner: int | None  # None: a draw
    reason: Literal["played", "resigned"]
    line: list[int]


class SessionInfo(Message):
    """A game in progress."""

    id: str
    game: str
    start: list[tuple[int, int]]
    moves: list[PlayedMove]
    legal: list[int]
    to_move: int
    text: str
    outcome: OutcomeInfo | None

    @classmethod
    def of(cls, id: str, session: Session) -> "SessionInfo":
        """The state of a session."""
        offer, outcome = session.offer, session.outcome
        listed = session.legal_lists()
        moves = [
            PlayedMove(action=move, text=offer.action_text(move), changes=session.changes(ply), legal=listed[ply])
            for ply, move in enumerate(session.moves)
        ]
        return cls(
            id=id,
            game=offer.name,
            start=session.start(),
            moves=moves,
            legal=session.legal,
            to_move=session.to_move,
            text=session.text(),
            outcome=outcome and OutcomeInfo(winner=outcome.winner, reason=outcome.reason, line=list(outcome.line)),  # type: ignore[arg-type]
        )


class MoveInfo(Message):
    """What the search found out about a move, for the player who would make it."""

    action: int
    visits: int
    share: float
    q: float | None
    prior: float


class ProofInfo(Message):
    """A result that follows from the rules, for the player to move."""

    result: Literal["win", "draw", "loss"]
    plies: int


class ReportInfo(Message):
    """A position as the search sees it, for the player to move."""

    simulations: int
    value: float
    wdl: tuple[float, float, float]
    moves_left: float
    best: int
    moves: list[MoveInfo]
    line: list[int]
    proven: ProofInfo | None
    done: bool

    @classmethod
    def of(cls, report: Report, done: bool) -> "ReportInfo":
        """The same as a message."""
        return cls(
            simulations=report.simulations,
            value=report.value,
            wdl=report.wdl,
            moves_left=report.moves_left,
            best=report.best,
            moves=[MoveInfo(**vars(move)) for move in report.moves[:40]],
            line=list(report.line),
            proven=report.proven and ProofInfo(result=report.proven.result, plies=report.proven.plies),  # type: ignore[arg-type]
            done=done,
        )


class Reply(Message):
    """The engine's move, already played, and what it thought before."""

    session: SessionInfo
    report: ReportInfo


class Truth(Message):
    """Exact scores by action: + wins, - loses, with so many stones to spare; null where a move is not legal."""

    scores: list[int | None]


class RatingInfo(Message):
    """A player of the run's matches with its Elo and 95 % interval."""

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    model: str | None  # its id, while the net is kept


class Curve(Message):
    """Numbers over the minutes of the run."""

    tag: str
    title: str
    points: list[tuple[float, float]]


class NewGame(Message):
    """A finished game of self-play."""

    id: str
    version: int
    plies: int
    outcome: int  # for the first player
    text: str


class RunInfo(Message):
    """A training run."""

    name: str
    game: str
    steps: int
    ratings: list[RatingInfo]  # the best first
    models: list[str]  # ids of the nets that can be downloaded
    curves: list[Curve]
    newest: list[NewGame]


class GameText(Message):
    """A game as text."""

    format: str
    text: str


class Problem(Message):
    """Why a request was refused."""

    detail: str


class Ask(Message):
    """A request on the socket; the newest one makes the service forget the others.

    position: stream reports on the position after the moves
    move:     the value of the last of the moves, for whoever made it
    game:     values of all positions and the biggest mistakes
    stop:     nothing more
    """

    number: Annotated[int, Field(ge=0, le=2**53)]
    kind: Literal["position", "move", "game", "stop"]
    game: Name = "gomoku15"
    moves: Annotated[list[Action], Field(max_length=2000)] = []
    model: Name = "mcts"
    simulations: Simulations = 200
