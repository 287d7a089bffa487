"""Everything about a server that its host may decide, each with its default.

A setting is a command-line option of `parlour serve` and an environment variable (`PARLOUR_PORT`), in
that order. They come in groups, each of which is handed whole to the parts that it concerns.
"""

import re
from decimal import Decimal
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, IPvAnyNetwork, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from parlour_protocol import DEFAULT_PORT
from parlour_protocol.local.server_info import IN_MEMORY, is_database

_URL = re.compile(r"([a-z][a-z0-9+.-]+):/", re.ASCII | re.IGNORECASE)
"""How what is no file's name begins. One letter is a drive."""
_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_UNITS = {"d": 86_400.0, "h": 3600.0, "m": 60.0}


def default_data() -> str:
    """The file that keeps the rooms unless another is named."""
    return str(user_data_path("parlour") / "rooms.db")


def _seconds(text: str) -> float:
    """A time as a host writes it, `30d`. Raises what pydantic tells on."""
    if match := re.fullmatch(r"(\d{1,5})\s*([dhm])", text.strip(), re.ASCII):
        return int(match[1]) * _UNITS[match[2]]
    if text.strip() == "0":
        return 0.0
    raise PydanticCustomError(
        "no_time", "write days, hours or minutes, such as 30d, 12h or 90m; 0 keeps everything for ever"
    )


def _bytes(text: str) -> int:
    """A size as a host writes it, `2G`. Raises what pydantic tells on."""
    if match := re.fullmatch(
        r"(\d{1,15}(?:\.\d{1,3}(?=\s*[KMGT]))?)\s*([KMGT]?)B?", text.strip().upper(), re.ASCII
    ):
        return int(Decimal(match[1]) * _SIZES[match[2]])
    raise PydanticCustomError("no_size", "write a size such as 300K, 500M or 0.5G; 0: no limit")


def _split(given: object) -> object:
    """An environment variable, or one option, may hold several."""
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list):
        return texts
    return [one for text in texts for one in str(text).replace(",", " ").split()]


_Texts = Annotated[list[str], NoDecode, BeforeValidator(_split)]
_Networks = Annotated[list[IPvAnyNetwork], NoDecode, BeforeValidator(_split)]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ListenSettings(_Group):
    """Where a server is reached, and what it keeps its games in."""

    host: str = Field("127.0.0.1", description="The address to listen on; 0.0.0.0 for every network.")
    port: int = Field(DEFAULT_PORT, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    data: str = Field(
        default_factory=default_data,
        description="The file that keeps rooms and players, or a postgresql:// URL; :memory: keeps nothing.",
    )
    processes: int = Field(
        1,
        ge=1,
        le=64,
        description="How many processes serve at the port; more than one need a postgresql:// URL.",
    )
    insecure: bool = Field(
        False, description="Listen beyond this machine without TLS: on a network that you trust."
    )
    tls_cert: Path | None = Field(None, description="The certificate chain (PEM) for TLS.")
    tls_key: Path | None = Field(None, description="The certificate's private key (PEM).")
    tls_check_seconds: float = Field(
        60.0, gt=0, description="How often the certificate's files are looked at for a new one."
    )
    origins: _Texts = Field(
        default_factory=list,
        description="Origins of pages that may speak to this server, beside its own; commas between several.",
    )

    admin: bool = Field(
        True,
        description="Let `parlour admin` on this machine reach it, through a socket beside the data file.",
    )

    @field_validator("data")
    @classmethod
    def _is_no_foreign_url(cls, given: str) -> str:
        url = _URL.match(given)
        if url is not None and not is_database(given):
            # No more of it, since it may hold a password.
            raise PydanticCustomError(
                "no_data",
                "write a file's name or a postgresql:// URL, not one of {scheme}:",
                {"scheme": url[1]},
            )
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
    """What a connection, a player, an address and all of them may ask for, and how long rooms are kept."""

    message_bytes: int = Field(16 * 1024, ge=1024, description="The largest message taken, in bytes.")
    messages_per_second: float = Field(
        20.0, ge=0, description="What one connection may send in the long run; 0: no limit."
    )
    burst: int = Field(40, ge=1, description="What one connection may send at once.")
    handshake_seconds: float = Field(10.0, gt=0, description="How long a WebSocket handshake may take.")
    hello_seconds: float = Field(10.0, gt=0, description="How long a connection may wait with its hello.")
    heartbeat_seconds: float = Field(
        6.0, gt=0, description="Between pings; a peer silent for twice as long is gone."
    )
    trusted_proxy: _Networks = Field(
        default_factory=list,
        description="Networks of proxies, whose X-Forwarded-For is believed; commas between several.",
    )
    connections: int = Field(10_000, ge=1, description="How many connections there may be.")
    address_connections: int = Field(
        400, ge=0, description="How many connections one address may have; 0: no limit."
    )
    address_handshakes_per_minute: float = Field(
        600.0, ge=0, description="How often one address may connect in the long run; 0: no limit."
    )
    address_players_per_minute: float = Field(
        60.0, ge=0, description="How many new players may come from one address in the long run; 0: no limit."
    )
    address_rooms_per_minute: float = Field(
        100.0, ge=0, description="How many rooms one address may make in the long run; 0: no limit."
    )
    address_rooms: int = Field(
        200, ge=0, description="How many rooms of one address may be awake, half of all at most; 0: no limit."
    )
    wrong_codes_per_minute: float = Field(
        20.0,
        ge=0,
        description="How many codes that lead nowhere one connection may try in the long run; 0: no limit.",
    )
    address_wrong_codes_per_minute: float = Field(
        200.0, ge=0, description="The same for one address; 0: no limit."
    )
    carry_seconds: float = Field(
        120.0,
        gt=0,
        description="For how long a code that carries a player to another device can be used.",
    )
    rooms: int = Field(2000, ge=1, description="How many rooms there may be.")
    rooms_per_minute: float = Field(
        5.0, ge=0, description="How many rooms one player may make in the long run; 0: no limit."
    )
    player_milliseconds: float = Field(
        50.0, ge=0, description="Of the server's time, for one player's queries in a second; 0: no limit."
    )
    address_milliseconds: float = Field(
        200.0, ge=0, description="The same for all players who share an address; 0: no limit."
    )
    spectators: int = Field(200, ge=0, description="How many may watch one room.")
    idle_room_seconds: float = Field(
        3600.0,
        gt=0,
        description="After how long an empty room without a running game sleeps; one without any closes.",
    )
    away_room_seconds: float = Field(
        7 * 86400.0, gt=0, description="After how long an empty room with a running game goes to sleep."
    )
    kept_room_seconds: float = Field(
        300.0,
        ge=0,
        description="For how long an empty room where a player has a seat makes place for no other.",
    )
    keep: str = Field(
        "0",
        description="How long a room in which nothing happens is kept: 30d, 12h or 90m; 0: for ever.",
    )

    keep_visitors: str = Field(
        "1d", description="How long a player who never did anything is kept; 0: for ever."
    )
    data_limit: str = Field(
        "0",
        description="How large the data file may be where new rooms begin: 500M or 2G; 0: any size.",
    )

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

    search_executor: Literal["auto", "process", "thread"] = Field(
        "auto",
        description="Where searches run: auto takes processes, in machine code where possible; process "
        "leaves that out; thread has all in the server's own process.",
    )
    search_workers: int = Field(
        2, ge=1, le=64, description="How many searches run at once, in all --processes together."
    )
    search_queue: int = Field(
        64, ge=1, description="How many questions from one address may wait for their search."
    )
    searches_per_player: int = Field(
        8, ge=1, description="How many questions of one player may wait for their search."
    )
    longest_search_seconds: float = Field(
        5.0, ge=0, description="How long one search may take; 0: as long as it was asked to."
    )
    longest_analysis_seconds: float = Field(
        60.0, ge=0, description="How long an analysis may go on while no one else waits for a search."
    )
    compiled: bool = Field(True, description="Search in compiled code where numba is installed.")


class MonitoringSettings(_Group):
    """What a server reports of itself."""

    metrics_from: _Networks = Field(
        default_factory=list,
        description="Networks that may read /metrics, beside this machine; commas between several.",
    )
    log_format: Literal["console", "json", "logfmt"] = Field("logfmt", description="How the log is written.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least that is logged; debug names every connection."
    )
    log_repeats: int = Field(
        20, ge=0, description="How many lines a minute one event may write to the log; 0: no limit."
    )


class ServerSettings(MonitoringSettings, SearchSettings, ServerLimits, ListenSettings, BaseSettings):
    """One server's settings: all groups, in the order of the options from the last base to the first."""

    model_config = SettingsConfigDict(env_prefix="PARLOUR_", extra="ignore", frozen=True, allow_inf_nan=False)
