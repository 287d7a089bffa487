"""What the port says to a browser, and which browsers' pages may speak to it."""

import ipaddress
import math
from collections.abc import Callable, Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from parlour_protocol.ids import parse_code
from parlour_server.net.addresses import is_loopback
from parlour_server.net.door import TurnedAway
from parlour_server.net.peers import Network

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")
"""What proxies add to the requests that they pass on."""

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
    if path == "/healthz":
        return healthy()
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
    return nothing_here()


def healthy() -> Response:
    """The answer to /healthz, by which a supervisor knows that the process answers."""
    return _text(HTTPStatus.OK, "ok\n")


def nothing_here() -> Response:
    """The answer where nothing is to be found."""
    return _text(HTTPStatus.NOT_FOUND, "There is nothing here. A room's link ends with its code.\n")


def asks_for(request: Request, path: str) -> bool:
    """Is it a plain request for this path?"""
    return urlsplit(request.path).path == path and "Upgrade" not in request.headers


def readiness(unready: list[str]) -> Response:
    """The answer to /readyz: 503 with the reasons, where there are any."""
    if unready:
        return _text(HTTPStatus.SERVICE_UNAVAILABLE, "".join(f"{reason}\n" for reason in unready))
    return _text(HTTPStatus.OK, "ok\n")


def metrics(page: bytes) -> Response:
    """The answer to /metrics."""
    return _answer(HTTPStatus.OK, page, "text/plain; version=0.0.4; charset=utf-8")


def may_read_metrics(request: Request, peer: str, networks: Collection[Network]) -> bool:
    """May this peer see the server's numbers? Programs on this machine may, and the networks that are listed.

    A proxy on this machine is none of them, or all the world would read what it passes on: it adds headers
    that say for whom it asks, or passes on the name by which it was called.
    """
    if any(header in request.headers for header in _FORWARDED):
        return False
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    if any(address in network for network in networks):
        return True
    return address.is_loopback and is_loopback(_host_name(request.headers.get("Host", "")))


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
    name = _host_name(host)
    try:
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _host_name(host: str) -> str:
    """A Host header without its port; empty where it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def forbidden() -> Response:
    """The answer to a page of a foreign origin."""
    return _text(HTTPStatus.FORBIDDEN, "This page may not speak to this server. See --origins.\n")


def turned_away(why: TurnedAway) -> Response:
    """The answer to who is not let in."""
    answer = _text(why.status, f"{why.sentence}\n")
    answer.headers["Retry-After"] = str(math.ceil(why.retry_after))
    return answer


def shut_out() -> Response:
    """The answer to an address that is banned."""
    return _text(HTTPStatus.FORBIDDEN, "The host of this server has shut your address out.\n")


def _text(status: HTTPStatus, text: str) -> Response:
    return _answer(status, text.encode(), "text/plain; charset=utf-8")


def _answer(status: HTTPStatus, body: bytes, kind: str) -> Response:
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
