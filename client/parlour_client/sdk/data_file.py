"""The file that keeps this machine's games unless another is named, and the server that has it open."""

import os
import time
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from parlour_protocol import DEFAULT_PORT
from parlour_protocol.local.server_info import IN_MEMORY, ServerInfo, is_database, read_note

LOOK_SECONDS = 0.02


def data_file() -> str:
    """What `parlour serve` keeps its games in: PARLOUR_DATA, else a file in the user's data folder.

    That one too where PARLOUR_DATA is a database: several servers share it, and none ends with its players.
    """
    named = os.environ.get("PARLOUR_DATA")
    if named and not is_database(named):
        return named if named == IN_MEMORY else str(Path(named).absolute())
    return _in_the_users_folder()


@cache
def _in_the_users_folder() -> str:
    from platformdirs import user_data_path

    return str(user_data_path("parlour") / "rooms.db")


def usual_port() -> int:
    """Where `parlour serve` listens: PARLOUR_PORT, else 8765; 0: on any."""
    named = os.environ.get("PARLOUR_PORT", "")
    return int(named) if named.isascii() and named.isdigit() and int(named) < 65536 else DEFAULT_PORT


def usual_server() -> str:
    """The address of a server on this machine's usual port."""
    return f"ws://127.0.0.1:{usual_port()}"


def holder() -> ServerInfo | None:
    """The server that has the data file open, or had it when it was killed."""
    data = data_file()
    return None if data == IN_MEMORY else read_note(Path(data))


def wait_until_free(data: str, before: ServerInfo, seconds: float) -> None:
    """Wait until the server that had a data file open has closed it, so many seconds at most."""
    deadline = time.monotonic() + seconds
    while read_note(Path(data)) == before and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)


def in_the_users_folder(data: str) -> bool:
    """Is it the file in the user's data folder, which is made where it is missing?"""
    return data == _in_the_users_folder()


def log_file(data: str) -> Path:
    """Where a server that the players of this machine share writes its log, by its data file."""
    return Path(f"{data}.log")


def player_realm(server: str) -> str:
    """Where a player's token counts: at a server's address, or in the data file, whatever the port is."""
    held = holder()
    # A killed server leaves its note, and another one may be at its port by now.
    if held is None or not is_running(held.pid) or urlsplit(server).port is None:
        return server
    same_machine = server.replace("//localhost:", "//127.0.0.1:")
    return data_file() if same_machine in (held.url, *held.addresses) else server


def is_running(pid: int) -> bool:
    """Is there a process of this number, that has not ended? On Windows the answer is always yes."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return not _awaits_its_parent(pid)


def _awaits_its_parent(pid: int) -> bool:
    """Has a process ended, and is there only because its parent has not asked how? Told on Linux alone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    # After its name, which may hold anything.
    return stat.rpartition(")")[2].split()[:1] == ["Z"]
