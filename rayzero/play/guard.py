"""What every request passes first: whose it is, from where, and how large."""

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 256 * 1024
COOKIE = "rayzero_token"
_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-cache",
}
LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


class Guard:
    """Refuses large bodies, requests that other sites make a browser send, and those without the token."""

    def __init__(self, app: ASGIApp, token: str | None = None, hosts: frozenset[str] | None = LOCAL) -> None:
        self.app = app
        self.token = token
        self.hosts = hosts  # None: any, where the token is the lock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request pass, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        problem = self._problem(scope, headers)
        if problem is not None:
            return await _refuse(scope, receive, send, *problem)
        if scope["type"] == "websocket":
            return await self.app(scope, receive, send)
        if self.token and "token" in parse_qs(scope["query_string"].decode("latin-1")):
            response = RedirectResponse(scope["path"] or "/")  # The token leaves the address and its history.
            response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", max_age=30 * 86400)
            return await response(scope, receive, send)
        body = await _read_body(receive) if headers.get("content-length", "0") != "0" or _chunked(headers) else b""
        if body is None:
            return await _refuse(scope, receive, send, 413, f"The body is too large: at most {MAX_BODY} bytes.")
        await self.app(scope, _replay(body, receive), _with_headers(send))
        return None

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = _host(headers.get("host", ""))
        if self.hosts is not None and host not in self.hosts:
            return 421, "This service answers on this machine only, under the name localhost."
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host", ""):
            return 403, "Requests from other sites are not answered."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            return 413, f"The body is too large: at most {MAX_BODY} bytes."
        if self.token and not self._known(scope, headers):
            return 401, "A token is needed: open the address with ?token=... as it was printed at the start."
        return None

    def _known(self, scope: Scope, headers: Headers) -> bool:
        query = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        token = (self.token or "").encode()
        return any(hmac.compare_digest(one.encode(), token) for one in (query, bearer, _cookie(headers)))


def _cookie(headers: Mapping[str, str]) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _host(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _chunked(headers: Headers) -> bool:
    return "transfer-encoding" in headers


async def _read_body(receive: Receive) -> bytes | None:
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return body
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        if not message.get("more_body"):
            return body


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _with_headers(send: Send) -> Send:
    async def send_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            extra = [(name, value) for name, value in _HEADERS.items() if name not in known]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return send_on


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, detail: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": detail})
        return
    await JSONResponse({"detail": detail}, status)(scope, receive, _with_headers(send))
