"""What the port says to a browser, and which browsers' pages may speak to it."""

import ipaddress
import math
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from parlour_protocol.ids import parse_code
from parlour_server.net.door import TurnedAway

SERVER_NAME = "parlour"
"""In the header `Server` of every answer."""

_PAGE = """Parlour: a game server for two-player board games.

This address plays over WebSocket, in a terminal:

    parlour {command} {scheme}://{host}{path}
"""


def answer_http(
    request: Request, *, secure: bool = False, expect: Callable[[], bool] = lambda: True
) -> Response | None:
    """Answer a plain HTTP request; None for one that asks for a WebSocket.

    `expect` is called for one who is about to connect, and gives whether the server is still there then.
    """
    if request.headers.get("Upgrade", "").lower() == "websocket":
        return None if request.path == "/" else _text(HTTPStatus.NOT_FOUND, "The socket's path is /\n")
    path = urlsplit(request.path).path
    if path == "/health":
        return _text(HTTPStatus.OK, "ok\n")
    if path == "/arriving":
        if "Origin" in request.headers or "Sec-Fetch-Site" in request.headers:
            return _text(HTTPStatus.FORBIDDEN, "This is for programs, not for pages.\n")
        if expect():
            return _text(HTTPStatus.OK, "ok\n")
        return _text(HTTPStatus.SERVICE_UNAVAILABLE, "This server is ending.\n")
    if path == "/" or parse_code(path[1:]):
        host = request.headers.get("Host", "this-server")
        command, scheme = "rooms --server" if path == "/" else "join", "https" if secure else "http"
        page = _PAGE.format(command=command, scheme=scheme, host=host, path=path)
        return _text(HTTPStatus.OK, page)
    return _text(HTTPStatus.NOT_FOUND, "There is nothing here. A room's link ends with its code.\n")


def origin_allowed(request: Request, allowed: list[str], *, secure: bool) -> bool:
    """May the page that this request came from speak to us?

    Terminal clients send no Origin and may. A page must come from this very host and port, or be
    listed, to the letter: a prefix or suffix of a listed origin is another's.
    """
    origins = request.headers.get_all("Origin")
    if not origins:
        return True
    if len(origins) > 1:
        return False
    host = request.headers.get("Host", "")
    own = f"{'https' if secure else 'http'}://{host}"
    return origins[0] in allowed or (origins[0] == own and (secure or _cannot_be_rebound(host)))


def _cannot_be_rebound(host: str) -> bool:
    """Is this Host an address rather than a name?

    A stranger's name can be made to lead here, and then its page is of "the same origin"; an address
    can't, and under TLS the certificate tells them apart. A server with a name lists it in --origins.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def forbidden() -> Response:
    """The answer to a page of a foreign origin."""
    return _text(HTTPStatus.FORBIDDEN, "This page may not speak to this server. See --origins.\n")


def turned_away(why: TurnedAway) -> Response:
    """The answer to who is not let in."""
    answer = _text(why.status, f"{why.sentence}\n")
    answer.headers["Retry-After"] = str(math.ceil(why.retry_after))
    return answer


def _text(status: HTTPStatus, text: str) -> Response:
    body = text.encode()
    headers = Headers(
        {
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
