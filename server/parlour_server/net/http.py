"""What the port says to a browser, and which browsers' pages may speak to it."""

import ipaddress
import math
from collections.abc import Callable, Collection
from functools import partial
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from parlour_protocol import words
from parlour_protocol.errors import Code
from parlour_server.net.addresses import is_loopback
from parlour_server.net.connection_limiter import TurnedAway
from parlour_server.net.peers import Network
from parlour_server.refusals import Refusal

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")
"""What proxies add to the requests that they pass on."""

_ONLY_ONCE = ("Host", "Upgrade")
"""What is read as one value: with two of them, a proxy before us may have read the other one."""

SERVER_NAME = "parlour"
"""In the header `Server` of every answer."""


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


ending = partial(_text, HTTPStatus.SERVICE_UNAVAILABLE, "This server is ending.\n")
"""The answer to a request that comes too late."""
healthy = partial(_text, HTTPStatus.OK, "ok\n")
"""The answer to /healthz, by which a supervisor knows that the process answers."""
malformed = partial(
    _text, HTTPStatus.BAD_REQUEST, "This is no request that is understood here. It may have no body.\n"
)
"""The answer to what is no HTTP request, or one with a body."""
wrong_path = partial(_text, HTTPStatus.NOT_FOUND, "The socket's path is /\n")
"""The answer to a request for a WebSocket at another path."""
forbidden = partial(_text, HTTPStatus.FORBIDDEN, "This page may not speak to this server. See --origins.\n")
"""The answer to a page of a foreign origin."""


def shut_out(language: words.Catalogue) -> Response:
    """The answer to an address that is banned."""
    return _text(HTTPStatus.FORBIDDEN, f"{language.say('refusal.banned.for_good')}\n")


def plain_path(request: Request) -> str | None:
    """The path that a plain request asks for, as it was written; None where a WebSocket is asked for.

    The request was not `misread`.
    """
    wanted = request.headers.get("Upgrade", "").lower()
    return None if wanted == "websocket" else urlsplit(request.path).path


def who_arrives(request: Request, expect: Callable[[], bool]) -> Response:
    """The answer to /arriving. `expect` says whether the server is still there for a client that comes."""
    if "Origin" in request.headers or "Sec-Fetch-Site" in request.headers:
        return _text(HTTPStatus.FORBIDDEN, "This is for programs, not for pages.\n")
    return healthy() if expect() else ending()


def misread(request: Request) -> Response | None:
    """The answer to a request that can't be meant so; None to all others."""
    for header in _ONLY_ONCE:
        if len(request.headers.get_all(header)) > 1:
            return _text(HTTPStatus.BAD_REQUEST, f"The header {header} may be there once.\n")
    try:
        urlsplit(request.path)
    except ValueError:
        return _text(HTTPStatus.BAD_REQUEST, "That is no path.\n")
    if request.method not in {"GET", "HEAD"}:
        answer = _text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is answered here.\n")
        answer.headers["Allow"] = "GET, HEAD"
        return answer
    return None


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
    if was_forwarded(request):
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


def page_allowed(request: Request, allowed: list[str], *, secure: bool) -> bool:
    """May a page speak to us that was opened by the name in this request's Host?

    Whether with TLS is not known where a proxy has it, nor by which port.
    """
    host = request.headers.get("Host", "")
    listed = {_host_name(one.partition("://")[2]) for one in allowed} - {""}
    return secure or _cannot_be_rebound(host) or _host_name(host) in listed


def own_origin(request: Request) -> str:
    """The origin of the page that this request opens. A proxy before us may have TLS, where we have none."""
    # Browsers send this to where they trust, and so not over plain HTTP.
    scheme = "https" if "Sec-Fetch-Mode" in request.headers else "http"
    return f"{scheme}://{request.headers.get('Host', '')}"


def public_origin(request: Request, allowed: list[str], *, secure: bool) -> str:
    """The origin of links to the page that this request opens. That of a proxy with TLS is listed."""
    host = request.headers.get("Host", "")
    return f"{'https' if secure or f'https://{host}' in allowed else 'http'}://{host}"


def refused(refusal: Refusal, language: words.Catalogue = words.ENGLISH) -> Response:
    """The answer to what can't be had now, but may be later."""
    too_fast = refusal.code is Code.TOO_FAST
    status = HTTPStatus.TOO_MANY_REQUESTS if too_fast else HTTPStatus.SERVICE_UNAVAILABLE
    return _later(status, refusal.message, refusal.retry_after or 1.0, language)


def _later(status: HTTPStatus, sentence: str, seconds: float, language: words.Catalogue) -> Response:
    said = words.translated(words.made_of(sentence), sentence, language)
    answer = _text(status, f"{said}\n")
    answer.headers["Retry-After"] = str(math.ceil(seconds))
    return answer


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


def was_forwarded(request: Request) -> bool:
    """Did a proxy pass this request on?"""
    return any(header in request.headers for header in _FORWARDED)


def turned_away(why: TurnedAway, language: words.Catalogue = words.ENGLISH) -> Response:
    """The answer to a connection that is not let in."""
    return _later(why.status, why.sentence, why.retry_after, language)


def serialized(answer: Response) -> bytes:
    """An answer as it is sent, where no protocol of the library's sends it."""
    answer.headers["Server"] = SERVER_NAME
    return answer.serialize()
