"""Who a person is on a server: a name, and the token that proves it.

All terminals of one person are one player. So the token stands in a file of the user's state folder,
one for each server and name, and the first terminal to write it decides for all of them. One address may be
another server's tomorrow, and the old one's again the day after: a token that is not known there is put
aside, and tried again before anybody becomes a new player.
"""

import getpass
import hashlib
import json
import os
import re
import secrets
import shlex
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from parlour_client.sdk.errors import UsageError
from parlour_protocol import LONGEST_NAME, RESERVED_NAMES, UNSEEN
from parlour_protocol.words import say, spoken, system_fault

MOST_ASIDE = 4
"""So many servers may take turns at one address."""

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Identity(Protocol):
    """A player as a connection needs it. Its methods don't raise."""

    name: str

    def token(self) -> str | None:
        """The player's secret, the next one to try after `forget`; None: not yet known on this server."""

    def keep(self, token: str) -> str:
        """Keep a new player's token. Returns the one that holds: another terminal may have been first."""

    def rename(self, name: str) -> None:
        """Go by this name from the next connection on."""

    def forget(self, token: str) -> None:
        """Put away a token that the server does not know. Who holds on to it is refused by that server."""


class GuestIdentity:
    """A player for as long as this process lives; with a `token`, the one that it belongs to or none."""

    def __init__(self, name: str, token: str | None = None) -> None:
        self.name = name
        self._given = token
        self._token = token

    def token(self) -> str | None:
        """The token, once there is one."""
        return self._token

    def keep(self, token: str) -> str:
        """Keep it in memory."""
        self._token = token
        return token

    def rename(self, name: str) -> None:
        """Go by this name from the next connection on."""
        self.name = name

    def forget(self, token: str) -> None:
        """Drop it, unless it was given: nobody else is meant then."""
        self._token = self._given


class StoredIdentity:
    """A player whose token stands in a file. `say` is called with what a person should know of that.

    `realm` is where the token counts: a server's address, or a data file's path.

    With a `token` of one's own it is the player that it belongs to, or none; `keep` writes it down.
    """

    def __init__(
        self, folder: Path, realm: str, name: str, say: Callable[[str], None], token: str | None = None
    ) -> None:
        self._given = token
        self.path = folder / "players" / _file_name(realm, name)
        # A player who was carried here is called as on the device before.
        self.name = _read(self.path, "name") or name
        self._realm = realm
        self._say = say
        # Where no file can be written, this terminal still is one player.
        self._unsaved: str | None = None
        self._tried: set[str] = set()
        """What was put aside since a token was last found in the file."""

    def token(self) -> str | None:
        """The token in the file, or one that was put aside and not tried since; None where there is none."""
        if self._given is not None:
            return self._given
        if (found := self._unsaved or _read(self.path)) is not None:
            self._tried.clear()
            return found
        for aside, token in self._aside():
            if token not in self._tried:
                with suppress(OSError):
                    _publish(aside, self.path)
                    aside.unlink(missing_ok=True)
                # Or what another terminal has put there meanwhile.
                return _read(self.path) or token
        return None

    def _aside(self) -> list[tuple[Path, str]]:
        """What was put aside, the last used first."""
        with suppress(OSError):
            paths = sorted(self.path.parent.glob(f"{self.path.stem}.*.aside"), key=_age)
            return [(path, token) for path in paths if (token := _read(path)) is not None]
        return []

    def keep(self, token: str) -> str:
        """Write the file, unless another terminal was first: then its token is adopted."""
        try:
            return self._write(token)
        except OSError as error:
            self._unsaved = token
            reason = spoken(system_fault(error))
            self._say(say("error.seat_not_kept", folder=str(self.path.parent), reason=reason))
            return token

    def rename(self, name: str) -> None:
        """Write it into the file, too, which is found by the name that it was made with."""
        self.name = name
        with suppress(OSError):
            if (token := _read(self.path)) is not None:
                self._draft(token).replace(self.path)

    def _draft(self, token: str) -> Path:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self.path.with_suffix(f".{secrets.token_hex(4)}.new")
        content = {"realm": self._realm, "name": self.name, "token": token}
        with os.fdopen(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(content, file)
        return draft

    def _write(self, token: str) -> str:
        draft = self._draft(token)
        try:
            _publish(draft, self.path)
        except FileExistsError:
            first = _read(self.path)
            if first is not None:
                return first
            # Unreadable, so nobody's: ours takes its place.
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)
        return token

    def forget(self, token: str) -> None:
        """Put it aside, and say so where there is no other to try."""
        self.put_aside(token)
        if self._given is None and all(one in self._tried for _, one in self._aside()):
            self._say(say("error.name_forgotten", name=self.name))

    def put_aside(self, token: str) -> None:
        """Put the file aside if it still holds this token; a newer one stays."""
        self._unsaved = None
        self._tried.add(token)
        claimed = self.path.with_suffix(f".{secrets.token_hex(4)}.old")
        with suppress(OSError):
            # Renamed first: between reading and moving, another terminal could write a new one.
            self.path.rename(claimed)
            held = _read(claimed)
            if held == token:
                os.utime(claimed)
                digest = hashlib.sha256(token.encode()).hexdigest()[:16]
                claimed.replace(self.path.with_suffix(f".{digest}.aside"))
            elif held is not None:
                with suppress(FileExistsError):
                    _publish(claimed, self.path)
            claimed.unlink(missing_ok=True)
            for path, _ in self._aside()[MOST_ASIDE:]:
                path.unlink(missing_ok=True)


def _publish(draft: Path, path: Path) -> None:
    """Give a finished file its name, whole or not at all. Raises FileExistsError if the name is taken."""
    if os.name == "nt":
        draft.rename(path)
        return
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: then the last one wins.
        draft.replace(path)


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _read(path: Path, field: str = "token") -> str | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))[field]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) and found else None


def _file_name(realm: str, name: str) -> str:
    """Readable for people, and one of its own for each realm and name."""
    parts = urlsplit(realm)
    if "://" in realm:
        host = "127.0.0.1" if parts.hostname in _LOOPBACK else parts.hostname or ""
        where = f"{host} {parts.port or (443 if parts.scheme == 'wss' else 80)}"
    else:
        where = realm
    digest = hashlib.sha256(f"{where} {name}".encode()).hexdigest()[:16]
    readable = re.sub(r"[^A-Za-z0-9.]+", "_", f"{where[-40:]}_{name}").strip("_")[:60]
    return f"{readable}-{digest}.json"


def is_loopback(server: str) -> bool:
    """Does this address lead to the machine that we run on?"""
    return urlsplit(server).hostname in _LOOPBACK


def state_folder() -> Path:
    """The user's folder for what Parlour remembers; PARLOUR_STATE names another."""
    chosen = os.environ.get("PARLOUR_STATE")
    if chosen:
        return Path(chosen)
    from platformdirs import user_state_dir

    return Path(user_state_dir("parlour", appauthor=False))


def as_name(text: str) -> str:
    """The text cut and cleaned to what a server takes for a name; empty if nothing is left."""
    spaced = " ".join(unicodedata.normalize("NFKC", text).split())
    seen = "".join(character for character in spaced if unicodedata.category(character) not in UNSEEN)
    return " ".join(seen.split())[:LONGEST_NAME].rstrip()


def default_name() -> str:
    """The login name unless no player may be called so, else Player."""
    login = ""
    # Which of these it raises where nobody is logged in depends on the system and on Python's version.
    with suppress(OSError, KeyError, ImportError):
        login = as_name(getpass.getuser())
    if login.casefold() in RESERVED_NAMES:
        login = ""
    return login or "Player"


def chosen_name(text: str | None) -> str:
    """The name given with `--as`, else by PARLOUR_NAME, else the default one.

    Raises `UsageError` for what can't be a name: nothing of it is cut off in silence.
    """
    given = os.environ.get("PARLOUR_NAME", "") if text is None else text
    if text is None and not given.strip():
        return default_name()
    name = as_name(given)
    if not name or len(given.strip()) > LONGEST_NAME:
        raise UsageError(say("error.bad_name", name=repr(given[:40]), most=LONGEST_NAME))
    if name != unicodedata.normalize("NFC", " ".join(given.split())):
        raise UsageError(say("error.odd_name", name=ascii(given[:40]), clean=shlex.quote(name)))
    return name
