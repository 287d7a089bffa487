"""What a host may decide: by option, by the environment, by default, in that order."""

import re
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from parlour_protocol import DEFAULT_PORT
from parlour_protocol.words import ENGLISH
from parlour_server.settings import ServerSettings, default_data
from tests.server.process import run

FLOATS = [name for name, info in ServerSettings.model_fields.items() if info.annotation is float]


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ServerSettings.model_fields:
        monkeypatch.delenv(f"PARLOUR_{name.upper()}", raising=False)


def made(**given: Any) -> ServerSettings:
    return ServerSettings(**given)


def test_by_default_a_server_is_for_this_machine() -> None:
    settings = made()
    assert (settings.host, settings.port, settings.data) == ("127.0.0.1", DEFAULT_PORT, default_data())
    assert (settings.insecure, settings.tls_cert, settings.origins) == (False, None, [])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("host", "::1", "::1"),
        ("port", "1234", 1234),
        ("data", "/tmp/x.db", "/tmp/x.db"),
        ("insecure", "true", True),
        ("tls_cert", "/tmp/x.pem", Path("/tmp/x.pem")),
        ("messages_per_second", "0.5", 0.5),
        ("rooms", "7", 7),
        ("search_executor", "thread", "thread"),
        ("origins", "https://a.example, https://b.example", ["https://a.example", "https://b.example"]),
    ],
)
def test_the_environment_sets_what_no_option_does(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: object
) -> None:
    monkeypatch.setenv(f"PARLOUR_{name.upper()}", text)
    assert getattr(made(), name) == value


def test_networks_are_read_from_one_text_or_several() -> None:
    networks = [ip_network("10.0.0.0/8"), ip_network("192.0.2.7/32"), ip_network("fd00::/8")]
    assert made(metrics_from="10.0.0.0/8, 192.0.2.7 fd00::/8").metrics_from == networks
    assert made(metrics_from=["10.0.0.0/8", "192.0.2.7,fd00::/8"]).metrics_from == networks


async def test_what_is_no_network_is_refused_in_a_sentence() -> None:
    end = await run("--metrics-from", "everybody")
    assert end.code == 2
    assert end.complained.startswith("'everybody' in --metrics-from is wrong. An address or a network")


def test_an_option_stands_above_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_PORT", "1234")
    monkeypatch.setenv("PARLOUR_ROOMS", "7")
    settings = made(port=0)
    assert (settings.port, settings.rooms) == (0, 7)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", -1),
        ("port", 65536),
        ("message_bytes", 1023),
        ("burst", 0),
        ("rooms", 0),
        ("search_workers", 0),
    ]
    + [("search_workers", 65), ("search_queue", 0), ("spectators", -1), ("search_executor", "cluster")]
    + [(name, value) for name in FLOATS for value in (-1.0, float("inf"), float("nan"))],
)
def test_what_makes_no_sense_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        made(**{name: value})
    assert caught.value.errors()[0]["loc"] == (name,)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30d", 30 * 86_400), ("12h", 43_200), (" 90 m ", 5_400), ("0", 0), ("0d", 0), ("00000m", 0)],
)
def test_how_long_rooms_are_kept(text: str, seconds: float) -> None:
    assert made(keep=text).keep_seconds == seconds


@pytest.mark.parametrize(
    "text", ["", "30", "d", "-1d", "30 days", "1.5d", "30s", "\u0663d", "1e3d", "999999d"]
)
async def test_a_time_that_is_none_is_reported_in_a_sentence(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        made(keep=text)
    (fault,) = caught.value.errors()
    assert fault["loc"] == ("keep",)
    assert "such as 30d, 12h or 90m" in fault["msg"]


async def test_a_wrong_time_on_the_command_line_is_bad_input() -> None:
    reported = await run("--keep", "30 days")
    assert (reported.code, reported.said) == (2, "")
    wanted = "Write days, hours or minutes, such as 30d, 12h or 90m; 0 keeps everything for ever."
    assert reported.complained == f"--keep is wrong. {wanted}\n"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("4096", 4096),
        ("500M", 500 << 20),
        (" 2 G ", 2 << 30),
        ("1kB", 1024),
        ("300K", 300 << 10),
        ("0.5g", 1 << 29),
    ],
)
def test_how_large_the_file_may_be(text: str, size: int) -> None:
    assert made(data_limit=text).data_limit_bytes == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "1.5", "1.G", ".5G", "2 gigabytes", "\u0663G", "1e3"])
def test_a_size_that_is_none_is_reported_in_a_sentence(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        made(data_limit=text)
    (fault,) = caught.value.errors()
    assert fault["loc"] == ("data_limit",)
    assert "a size such as 300K, 500M or 0.5G" in fault["msg"]


async def test_every_setting_is_shown_with_its_default() -> None:
    shown = await run("--help")
    assert (shown.code, shown.complained) == (0, "")
    assert "Example: parlour serve" in shown.said
    lines = shown.said.splitlines()
    for name, info in ServerSettings.model_fields.items():
        (line,) = [one for one in lines if re.match(rf"\W*--{name.replace('_', '-')}[ ,]", one)]
        assert ENGLISH.say(f"serve.option.{name}") in line
        default = info.get_default(call_default_factory=True)
        said = {True: "true", False: "false"}.get(default) if isinstance(default, bool) else str(default)
        assert f"(default: {'none' if default in (None, []) else said})" in line
    assert "--with-parent" not in shown.said
