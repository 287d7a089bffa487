"""Everything about a server that its host may decide, each with its default.

A setting is a command-line option of `parlour serve` and an environment variable (`PARLOUR_PORT`), in
that order; what it does is `serve.option.NAME` in the catalogue. They come in groups, each of which is
handed whole to the parts that it concerns.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    ValidationError,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from parlour_protocol import DEFAULT_PORT
from parlour_protocol.local.server_info import IN_MEMORY, is_database
from parlour_protocol.words import Sentence, what_is_wrong

_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[^\s/?#@:]+)(:\d{1,5})?/?", re.ASCII | re.IGNORECASE)
_URL = re.compile(r"([a-z][a-z0-9+.-]+):/", re.ASCII | re.IGNORECASE)
"""How what is no file's name begins. One letter is a drive."""
_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_UNITS = {"d": 86_400.0, "h": 3600.0, "m": 60.0}


def default_data() -> str:
    """The file that keeps the rooms unless another is named."""
    return str(user_data_path("parlour") / "rooms.db")


def _seconds(text: str) -> float:
    """A time as a host writes it, `30d`. Raises `ValueError`."""
    if match := re.fullmatch(r"(\d{1,5})\s*([dhm])", text.strip(), re.ASCII):
        return int(match[1]) * _UNITS[match[2]]
    if text.strip() == "0":
        return 0.0
    raise ValueError(Sentence("invalid.time"))


def _bytes(text: str) -> int:
    """A size as a host writes it, `2G`. Raises `ValueError`."""
    if match := re.fullmatch(
        r"(\d{1,15}(?:\.\d{1,3}(?=\s*[KMGT]))?)\s*([KMGT]?)B?", text.strip().upper(), re.ASCII
    ):
        return int(Decimal(match[1]) * _SIZES[match[2]])
    raise ValueError(Sentence("invalid.size"))


def _split(given: object) -> object:
    """An environment variable, or one option, may hold several."""
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list):
        return texts
    return [one for text in texts for one in str(text).replace(",", " ").split()]


def _origin(text: str) -> str:
    """An origin as a browser writes it."""
    if not _ORIGIN.fullmatch(text):
        raise ValueError(Sentence("invalid.origin", given=repr(text[:80])))
    return text.rstrip("/").lower()


_Texts = Annotated[list[str], NoDecode, BeforeValidator(_split)]
_Origins = Annotated[list[Annotated[str, AfterValidator(_origin)]], NoDecode, BeforeValidator(_split)]
_Networks = Annotated[list[IPvAnyNetwork], NoDecode, BeforeValidator(_split)]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ListenSettings(_Group):
    """Where a server is reached, and what it keeps its games in."""

    host: str = "127.0.0.1"
    port: int = Field(DEFAULT_PORT, ge=0, le=65535)
    data: str = Field(default_factory=default_data)
    processes: int = Field(1, ge=1, le=64)
    insecure: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_check_seconds: float = Field(60.0, gt=0)
    origins: _Origins = Field(default_factory=list)

    admin: bool = True

    @field_validator("data")
    @classmethod
    def _is_no_foreign_url(cls, given: str) -> str:
        url = _URL.match(given)
        if url is not None and not is_database(given):
            # No more of it, since it may hold a password.
            raise ValueError(Sentence("invalid.data", scheme=url[1]))
        return given

    @property
    def database(self) -> str | None:
        """`data` as the URL of a database, which may hold a password; None: it is none."""
        return self.data if is_database(self.data) else None

    @property
    def data_file(self) -> Path | None:
        """`data` as a path; None: nothing is kept, or not in a file."""
        return None if self.data == IN_MEMORY or self.database else Path(self.data).absolute()

    @property
    def data_shown(self) -> str:
        """`data` for people, logs and programs: of a URL no user and no password."""
        if self.database is None:
            return self.data
        # Not for every start.
        from parlour_server.store.database_url import shown

        return shown(self.database)

    @property
    def own_files(self) -> Path | None:
        """A path beside which this server keeps files of its own: its bans, its audit log; None: nowhere."""
        if self.database is None:
            return self.data_file
        return user_data_path("parlour") / re.sub(r"[^\w.-]+", "-", self.data_shown)


class ServerLimits(_Group):
    """What a connection, a player, an address and all of them may ask for, and what becomes of rooms."""

    message_bytes: int = Field(16 * 1024, ge=1024)
    messages_per_second: float = Field(20.0, ge=0)
    burst: int = Field(40, ge=1)
    handshake_seconds: float = Field(10.0, gt=0)
    hello_seconds: float = Field(10.0, gt=0)
    heartbeat_seconds: float = Field(6.0, gt=0)
    trusted_proxy: _Networks = Field(default_factory=list)
    connections: int = Field(10_000, ge=1)
    address_connections: int = Field(400, ge=0)
    address_handshakes_per_minute: float = Field(600.0, ge=0)
    address_players_per_minute: float = Field(60.0, ge=0)
    address_rooms_per_minute: float = Field(100.0, ge=0)
    address_rooms: int = Field(200, ge=0)
    wrong_codes_per_minute: float = Field(20.0, ge=0)
    address_wrong_codes_per_minute: float = Field(200.0, ge=0)
    carry_seconds: float = Field(120.0, gt=0)
    rooms: int = Field(2000, ge=1)
    rooms_per_minute: float = Field(5.0, ge=0)
    player_milliseconds: float = Field(50.0, ge=0)
    address_milliseconds: float = Field(200.0, ge=0)
    spectators: int = Field(200, ge=0)
    idle_room_seconds: float = Field(3600.0, gt=0)
    away_room_seconds: float = Field(7 * 86400.0, gt=0)
    kept_room_seconds: float = Field(300.0, ge=0)
    keep: str = "0"

    keep_visitors: str = "1d"
    data_limit: str = "0"

    rated: bool = False

    @property
    def rooms_of_an_address(self) -> int:
        """How many rooms of one address may be awake: never more than half of all; 0: no limit."""
        return min(self.address_rooms, max(1, self.rooms // 2))

    @cached_property
    def keep_seconds(self) -> float:
        """`keep`, in seconds; 0: for ever."""
        return _seconds(self.keep)

    @cached_property
    def keep_visitors_seconds(self) -> float:
        """`keep_visitors`, in seconds; 0: for ever."""
        return _seconds(self.keep_visitors)

    @property
    def idle_seconds(self) -> float:
        """`idle_room_seconds`, but no longer than a room is kept: to be forgotten it has to leave memory."""
        return min(self.idle_room_seconds, self.keep_seconds or inf)

    @property
    def away_seconds(self) -> float:
        """`away_room_seconds`, but no longer than a room is kept."""
        return min(self.away_room_seconds, self.keep_seconds or inf)

    @property
    def data_limit_bytes(self) -> int:
        """`data_limit`, in bytes; 0: no limit."""
        return _bytes(self.data_limit)

    @field_validator("keep", "keep_visitors")
    @classmethod
    def _is_a_time(cls, given: str) -> str:
        _seconds(given)
        return given.strip()

    @field_validator("data_limit")
    @classmethod
    def _is_a_size(cls, given: str) -> str:
        _bytes(given)
        return given.strip()


class SearchSettings(_Group):
    """Where searches run, how many at once, and how long each."""

    search_executor: Literal["auto", "process", "thread"] = "auto"
    search_workers: int = Field(2, ge=1, le=64)
    search_queue: int = Field(64, ge=1)
    searches_per_player: int = Field(8, ge=1)
    longest_search_seconds: float = Field(5.0, ge=0)
    longest_analysis_seconds: float = Field(60.0, ge=0)
    compiled: bool = True


class MonitoringSettings(_Group):
    """What a server reports of itself."""

    metrics_from: _Networks = Field(default_factory=list)
    log_format: Literal["console", "json", "logfmt"] = "logfmt"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_repeats: int = Field(20, ge=0)


class ServerSettings(MonitoringSettings, SearchSettings, ServerLimits, ListenSettings, BaseSettings):
    """One server's settings: all groups, in the order of the options from the last base to the first."""

    model_config = SettingsConfigDict(env_prefix="PARLOUR_", extra="ignore", frozen=True, allow_inf_nan=False)


def explain(error: ValidationError, given: Mapping[str, Any]) -> Sentence:
    """Which setting is wrong, and why: by its option where it was `given` one, else by its variable."""
    found = error.errors(include_url=False)[0]
    name = str(found["loc"][0]) if found["loc"] else "settings"
    setting = f"--{name.replace('_', '-')}" if name in given else f"PARLOUR_{name.upper()}"
    why = what_is_wrong(found)
    if len(found["loc"]) > 1:
        # One of several.
        return Sentence("serve.error.one_of_setting", given=repr(found["input"]), setting=setting, why=why)
    return Sentence("invalid.field", field=setting, why=why)
