"""Play against a model: in the browser, or in the terminal."""

import ipaddress
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Sequence

from rayzero.cli import make_parser
from rayzero.errors import ConfigError
from rayzero.play.models import ModelBook


def main(argv: Sequence[str]) -> int | None:
    """Open the board of a model."""
    parser = make_parser("play", "Play against a model and analyse games, in the browser or in the terminal.")
    parser.add_argument("model", nargs="?", help="a run directory, a model, or the name of a shipped one")
    parser.add_argument("--terminal", action="store_true", help="play here instead of in a browser")
    parser.add_argument("--game", help="the game to open, such as connect4")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; any but this machine's needs --token"
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: 8000, or a free one)")
    parser.add_argument("--token", help="a word that visitors must bring; 'new' makes one")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--level", type=int, help="terminal: level of the opponent, from 1")
    parser.add_argument("--second", action="store_true", help="terminal: let the opponent move first")
    given = parser.parse_args(argv)
    if not is_local(given.host) and not given.token:
        raise ConfigError(f"--host {given.host} lets others in: it needs a --token WORD as well (or --token new).")
    book = ModelBook(given.model)
    if given.terminal:
        from rayzero.play.terminal import play_in_terminal

        return play_in_terminal(book, given.game, given.level, given.second)
    return serve(book, given.host, given.port, given.token, given.game, not given.no_browser)


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve(book: ModelBook, host: str, port: int, token: str | None, game: str | None, browser: bool) -> int:
    """Run the service until it is interrupted."""
    try:
        import uvicorn

        from rayzero.play.guard import LOCAL, MAX_BODY
        from rayzero.play.service import make_app
    except ImportError as error:
        raise ConfigError(f"The web board needs more packages: pip install 'rayzero[play]' ({error.name}).") from error
    token = secrets.token_urlsafe(16) if token == "new" else token
    app = make_app(book, token, LOCAL if is_local(host) else None)
    listener = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/" + (f"?token={token}" if token else "") + f"#{game or ''}"
    print(f"Play at {address.removesuffix('#')}   (Ctrl-C ends)", flush=True)
    if browser and (os.environ.get("DISPLAY") or os.name == "nt" or os.uname().sysname == "Darwin"):
        threading.Timer(0.5, webbrowser.open, [address]).start()
    config = uvicorn.Config(
        app, log_level="warning", ws_max_size=MAX_BODY, timeout_graceful_shutdown=2, limit_concurrency=2000
    )
    uvicorn.Server(config).run([listener])
    return 0


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port,) if port else (8000, 0):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            return listener
        except OSError as error:
            listener.close()
            if candidate == port:
                raise ConfigError(f"Can't listen on {host}:{port}: {error.strerror}.") from error
    raise AssertionError
