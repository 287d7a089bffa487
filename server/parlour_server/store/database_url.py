"""The URL of a database: what of it may be shown, and what is wrong with it."""

import os
import re
import ssl
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from parlour_protocol.words import Sentence, system_fault


def shown(url: str) -> str:
    """A database's URL without the user, the password and the options that may hold one."""
    if _is_ambiguous(url):
        return "postgresql://..."
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    folder = dict(parse_qsl(parts.query)).get("host", "") if not host else ""
    return f"postgresql://{host}{parts.path}" + (f"?host={folder}" if folder else "")


def fault(url: str) -> Sentence | None:
    """What is wrong with a URL, as a sentence; None: nothing that can be seen."""
    try:
        parts = urlsplit(url)
        database = parts.path.strip("/")
    except ValueError:
        return Sentence("store.postgres.form")
    if _is_ambiguous(url):
        return Sentence("store.postgres.escape", form=Sentence("store.postgres.form"))
    if database and "/" not in database:
        return None
    return Sentence("store.postgres.no_name", form=Sentence("store.postgres.form"))


def fault_of_files(url: str) -> Sentence | None:
    """What is wrong with a file that TLS shall take, named in a URL or by the environment; None: nothing."""
    options = dict(parse_qsl(urlsplit(url).query))
    for option in ("sslrootcert", "sslcrl", "sslcert", "sslkey"):
        file = options.get(option) or os.environ.get(f"PG{option.upper()}")
        if not file:
            continue
        try:
            Path(file).open("rb").close()
            if option in ("sslrootcert", "sslcrl"):
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
        except ssl.SSLError:
            return Sentence("store.postgres.file_without_certificate", file=file, option=option)
        except OSError as error:
            return Sentence(
                "store.postgres.file_unreadable", file=file, option=option, why=system_fault(error)
            )
    return None


_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(:\d{1,5})?", re.ASCII)


def _is_ambiguous(url: str) -> bool:
    # Part of what was meant as a password would be taken for something that may be shown.
    try:
        parts = urlsplit(url)
    except ValueError:
        return True
    user, _, hosts = parts.netloc.rpartition("@")
    plain = all(_HOST.fullmatch(host) for host in hosts.split(","))
    return not plain or "#" in url or "@" in user + parts.path + parts.query
