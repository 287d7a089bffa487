"""What PostgreSQL's errors mean: is it known that nothing stands, and what is to be done?"""

import ssl

import asyncpg

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


def explain(url: str, error: BaseException) -> str:
    """One or two sentences on what an error of a URL's database means, and what to do."""
    shown = database_url.shown(url)
    # Its details and hints would stand on lines of their own.
    said = str(error).partition("\n")[0] or type(error).__name__
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return (
                f"{shown} refuses the user or the password: {said}. Name the user in --data, the password in "
                "PGPASSWORD or in ~/.pgpass."
            )
        case asyncpg.InvalidCatalogNameError():
            return f"There is no such database: {said}. Make it (createdb), or name another with --data."
        case asyncpg.TooManyConnectionsError():
            return f"{shown} takes no more connections: {said}. Raise its max_connections."
        case asyncpg.DiskFullError() | asyncpg.OutOfMemoryError():
            return f"{shown} has no room left: {said}. Free some; play then goes on by itself."
        case asyncpg.ReadOnlySQLTransactionError():
            return f"{shown} is a standby or set to read only. Name the primary with --data."
        case asyncpg.InsufficientPrivilegeError():
            return f"{shown} doesn't let its user do that: {said}. Let the user own the database."
        case asyncpg.CannotConnectNowError():
            return f"{shown} is starting or stopping: {said}. Try again in a moment."
        case asyncpg.TargetServerAttributeNotMatched():
            return f"{shown} is not what target_session_attrs in --data asks for. Is the primary running?"
        case ssl.SSLCertVerificationError():
            return (
                f"{shown} has a certificate that is not trusted: {said}. Name its authority in sslrootcert "
                "in --data, or mend the certificate."
            )
        case ssl.SSLError() | FileNotFoundError() | IsADirectoryError() | PermissionError() if (
            # They don't name it; and a missing socket is no different.
            wrong := database_url.fault_of_files(url)
        ) is not None:
            return wrong
        case ssl.SSLError():
            return (
                f"TLS with {shown} can't begin: {said}. See the database's log, and that sslcert and sslkey "
                "in --data fit each other."
            )
        case ConnectionError() if "SSL" in said:
            return f"{shown} takes no TLS, which sslmode in --data asks for. Turn it on there."
        case ConnectionError() if error.errno is None:
            return f"{shown} has ended the connection. Is it restarting, or is there something between us?"
        case TimeoutError():
            return f"{shown} does not answer. See that it runs, and that host and port are right."
        case OSError():
            reason = error.strerror or said
            return f"{shown} can't be reached: {reason}. See that it runs, and that host and port are right."
        case _:
            return f"{shown} can't be used: {said}."


def _sqlstate(error: asyncpg.PostgresError) -> str:
    return getattr(error, "sqlstate", None) or "XX000"
