"""What PostgreSQL's errors mean: is it known that nothing stands, and what is to be done?"""

import ssl

import asyncpg

from parlour_protocol.words import Sentence, system_fault
from parlour_server.store import database_url

FAILURES = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    # Of a connection that was ended while it was idle, until that is noticed.
    asyncpg.InternalClientError,
    OSError,
    # No answer in time.
    TimeoutError,
)
"""All that a connection raises."""

_UNKNOWN_CLASSES = ("08", "57", "XX")
"""Connections that break, operators who interfere, internal errors: by then the commit may have been made."""


def is_definite(error: BaseException) -> bool:
    """Is it certain that nothing of the statement stands, and that its connection is of further use?"""
    if isinstance(error, asyncpg.PostgresError):
        return not _sqlstate(error).startswith(_UNKNOWN_CLASSES)
    return is_unfit(error)


def is_unfit(error: BaseException) -> bool:
    """Is it the fault of a value, which can't be written whatever is done?"""
    if isinstance(error, asyncpg.PostgresError):
        return _sqlstate(error).startswith("22")
    # It was never sent.
    return isinstance(error, asyncpg.InterfaceError) and isinstance(error, ValueError)


def is_read_only(error: BaseException) -> bool:
    """Does the connection only read? Another one may write: the primary's, or one made later."""
    return isinstance(error, asyncpg.ReadOnlySQLTransactionError)


def explain(url: str, error: BaseException) -> Sentence:
    """One or two sentences on what an error of a URL's database means, and what to do."""
    shown = database_url.shown(url)
    # Its details and hints would stand on lines of their own.
    said = str(error).partition("\n")[0] or type(error).__name__
    why = system_fault(error) if isinstance(error, OSError) else said
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            name = "password"
        case asyncpg.InvalidCatalogNameError():
            return Sentence("store.postgres.no_database", why=said)
        case asyncpg.TooManyConnectionsError():
            name = "connections"
        case asyncpg.DiskFullError() | asyncpg.OutOfMemoryError():
            name = "no_room_left"
        case asyncpg.ReadOnlySQLTransactionError():
            return Sentence("store.postgres.read_only", data=shown)
        case asyncpg.InsufficientPrivilegeError():
            name = "not_allowed"
        case asyncpg.CannotConnectNowError():
            name = "starting"
        case asyncpg.TargetServerAttributeNotMatched():
            return Sentence("store.postgres.target", data=shown)
        case ssl.SSLCertVerificationError():
            name = "certificate"
        case ssl.SSLError() | FileNotFoundError() | IsADirectoryError() | PermissionError() if (
            # They don't name it; and a missing socket is no different.
            wrong := database_url.fault_of_files(url)
        ) is not None:
            return wrong
        case ssl.SSLError():
            name = "tls"
        case ConnectionError() if "SSL" in said:
            return Sentence("store.postgres.no_tls", data=shown)
        case ConnectionError() if error.errno is None:
            return Sentence("store.postgres.ended", data=shown)
        case TimeoutError():
            return Sentence("store.postgres.silent", data=shown)
        case OSError():
            return Sentence("store.postgres.unreachable", data=shown, why=why)
        case _:
            return Sentence("store.unusable", file=shown, why=said)
    return Sentence(f"store.postgres.{name}", data=shown, why=why)


def _sqlstate(error: asyncpg.PostgresError) -> str:
    return getattr(error, "sqlstate", None) or "XX000"
