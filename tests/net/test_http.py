"""What the port says to a browser, and which pages may speak to it."""

import ipaddress

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from parlour_server.net.http import (
    forbidden,
    may_read_metrics,
    misread,
    origin_allowed,
    own_origin,
    page_allowed,
    plain_path,
    readiness,
    who_arrives,
)

HERE = "games.example:8765"
LISTED = ["https://page.example", "http://localhost:3000"]


def request(path: str = "/", **headers: str) -> Request:
    return Request(path, Headers({"Host": HERE, **headers}))


@pytest.mark.parametrize(
    ("origin", "secure", "allowed"),
    [
        # A name could be a stranger's that was made to lead here; TLS tells them apart.
        (f"http://{HERE}", False, False),
        (f"https://{HERE}", True, True),
        (f"https://{HERE}", False, False),
        (f"http://{HERE}", True, False),
        ("https://page.example", False, True),
        ("https://page.example", True, True),
        ("http://localhost:3000", False, True),
        ("http://page.example", False, False),
        ("https://page.example:443", False, False),
        ("https://page.example/", False, False),
        ("https://PAGE.example", False, False),
        ("https://page.example.evil.example", False, False),
        ("https://evil.example/https://page.example", False, False),
        ("https://evilpage.example", False, False),
        ("http://localhost:3001", False, False),
        ("http://localhost", False, False),
        (f"http://{HERE}.evil.example", False, False),
        (f"http://user@{HERE}", False, False),
        ("http://games.example", False, False),
        ("null", False, False),
        ("", False, False),
        ("file://", False, False),
        ("*", False, False),
    ],
)
def test_a_page_speaks_from_here_or_from_the_list(origin: str, secure: bool, allowed: bool) -> None:
    assert origin_allowed(request(Origin=origin), LISTED, secure=secure) is allowed


@pytest.mark.parametrize(
    ("host", "allowed"),
    [("127.0.0.1:8765", True), ("[::1]:8765", True), ("192.168.1.5", True), ("localhost:8765", True),
     ("evil.example:8765", False), ("127.0.0.1.evil.example", False), ("", False), ("[", False)],
)  # fmt: skip
def test_only_an_address_is_its_own_origin_without_tls(host: str, allowed: bool) -> None:
    rebound = Request("/", Headers({"Host": host, "Origin": f"http://{host}"}))
    assert origin_allowed(rebound, [], secure=False) is allowed


def test_a_terminal_sends_no_origin_and_may_speak() -> None:
    assert origin_allowed(request(), [], secure=False)


def test_two_origins_are_none() -> None:
    twice = request(Origin=f"http://{HERE}")
    twice.headers["Origin"] = f"http://{HERE}"
    assert not origin_allowed(twice, LISTED, secure=False)


def test_a_request_without_a_host_is_no_page_of_ours() -> None:
    stray = Request("/", Headers({"Origin": "http://"}))
    assert origin_allowed(Request("/", Headers()), [], secure=False)
    assert not origin_allowed(stray, [], secure=True)


@pytest.mark.parametrize("text", ["null", "", "*"])
def test_nobody_lists_everybody_by_an_odd_entry(text: str) -> None:
    assert not origin_allowed(request(Origin="https://evil.example"), [text], secure=False)


def test_a_plain_request_has_a_path() -> None:
    assert plain_path(request("/KMRTQA?x")) == "/KMRTQA"
    assert plain_path(request("/metrics/")) == "/metrics/"
    for upgrade in ("websocket", "WebSocket"):
        assert plain_path(request(Upgrade=upgrade)) is None


@pytest.mark.parametrize(("there", "status"), [(True, 200), (False, 503)])
def test_who_arrives_is_expected_while_the_server_is_there(there: bool, status: int) -> None:
    asked: list[bool] = []

    def expect() -> bool:
        asked.append(True)
        return there

    answer = who_arrives(request("/arriving"), expect)
    assert (answer.status_code, asked) == (status, [True])


@pytest.mark.parametrize("header", ["Origin", "Sec-Fetch-Site"])
def test_no_page_in_a_browser_keeps_a_server_up(header: str) -> None:
    asked = request("/arriving")
    asked.headers[header] = "http://evil.example"
    answer = who_arrives(asked, lambda: pytest.fail("a page was expected"))
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("host", "secure", "allowed"),
    [
        (HERE, True, True),
        (HERE, False, False),
        ("192.168.1.5:8765", False, True),
        ("[fe80::1]:8765", False, True),
        ("localhost:8765", False, True),
        # Listed by its origin; a proxy may have TLS, another port, and pass on a name without one.
        ("page.example", False, True),
        ("Page.Example", False, True),
        ("page.example:8443", False, True),
        ("page.example.evil.example", False, False),
        ("evilpage.example", False, False),
        ("", False, False),
        ("[", False, False),
    ],
)
def test_a_page_opens_where_it_may_speak(host: str, secure: bool, allowed: bool) -> None:
    asked = Request("/", Headers({"Host": host}))
    assert page_allowed(asked, [*LISTED, "null", "", "http://[", "odd"], secure=secure) is allowed


def test_a_page_that_may_not_is_of_the_origin_that_a_browser_would_send() -> None:
    assert own_origin(request()) == f"http://{HERE}"
    assert own_origin(request(**{"Sec-Fetch-Mode": "navigate"})) == f"https://{HERE}"


NEIGHBOURS = [ipaddress.ip_network("10.1.0.0/16"), ipaddress.ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("peer", "host", "allowed"),
    [
        ("127.0.0.1", "localhost:8765", True),
        ("127.0.0.9", "127.0.0.1:8765", True),
        ("::1", "[::1]:8765", True),
        # What a proxy on this machine passes on for others: by its name, or the address it is known by.
        ("127.0.0.1", "games.example", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "192.0.2.7:8765", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "[", False),
        ("10.1.2.3", "games.example", True),
        ("fd00::1", "games.example", True),
        ("10.2.0.1", "localhost", False),
        ("192.0.2.7", "localhost", False),
        ("2001:db8::1", "[::1]", False),
        ("", "localhost", False),
    ],
)
def test_metrics_are_for_this_machine_and_for_listed_networks(peer: str, host: str, allowed: bool) -> None:
    asked = Request("/metrics", Headers({"Host": host}))
    assert may_read_metrics(asked, peer, NEIGHBOURS) is allowed


@pytest.mark.parametrize(
    "header", ["Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Real-IP", "Via"]
)
@pytest.mark.parametrize("peer", ["127.0.0.1", "10.1.2.3"])
def test_whoever_asks_for_somebody_else_gets_no_metrics(header: str, peer: str) -> None:
    asked = Request("/metrics", Headers({"Host": "localhost", header: "192.0.2.7"}))
    assert not may_read_metrics(asked, peer, NEIGHBOURS)


@pytest.mark.parametrize("header", ["Host", "Upgrade"])
def test_a_header_that_is_read_as_one_value_is_there_once(header: str) -> None:
    twice = request(Upgrade="websocket")
    assert misread(twice) is None
    twice.headers[header] = "websocket"
    answer = misread(twice)
    assert answer is not None
    assert (answer.status_code, header.encode() in (answer.body or b"")) == (400, True)


@pytest.mark.parametrize(("method", "status"), [("POST", 405), ("OPTIONS", 405), ("get", 405)])
def test_only_get_is_answered(method: str, status: int) -> None:
    answer = misread(Request("/healthz", Headers({"Host": HERE}), method))
    assert answer is not None
    assert (answer.status_code, answer.headers["Allow"]) == (status, "GET, HEAD")
    assert misread(Request("/healthz", Headers(), "HEAD")) is None


def test_what_is_no_path_is_no_fault_of_ours() -> None:
    answer = misread(request("//["))
    assert answer is not None
    assert answer.status_code == 400


def test_a_server_that_is_not_ready_says_why() -> None:
    answer = readiness(["the store can't save", "the rooms are not loaded yet"])
    assert answer.status_code == 503
    assert answer.body == b"the store can't save\nthe rooms are not loaded yet\n"
    assert readiness([]).status_code == 200


def test_a_foreign_page_reads_why_it_is_turned_away() -> None:
    assert forbidden().status_code == 403
    assert b"--origins" in (forbidden().body or b"")
