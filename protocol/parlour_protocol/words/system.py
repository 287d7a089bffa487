"""What the system, its resolver and OpenSSL say of an error, as the end of a sentence of ours."""

import errno
import os
import re
from collections.abc import Mapping

from parlour_protocol.words.sentence import Sentence

_BY_ERRNO: Mapping[int, str] = {
    errno.EADDRINUSE: "address_in_use",
    errno.EADDRNOTAVAIL: "not_this_machine",
    **dict.fromkeys((errno.EACCES, errno.EPERM), "not_allowed"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR), "not_there"),
    errno.EEXIST: "there_already",
    errno.EISDIR: "a_folder",
    errno.ENAMETOOLONG: "long_name",
    errno.ELOOP: "links_in_a_circle",
    errno.EROFS: "read_only",
    **dict.fromkeys((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)), "disk_full"),
    errno.EFBIG: "large_file",
    errno.EIO: "disk_broken",
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "many_files"),
    **dict.fromkeys((errno.ENOMEM, errno.EAGAIN), "no_memory"),
    errno.ECONNREFUSED: "nothing_listens",
    **dict.fromkeys((errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE), "ended"),
    errno.ETIMEDOUT: "silent",
    **dict.fromkeys((errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN), "no_way_there"),
}
_BY_REASON: Mapping[str | None, str] = {
    # So says Python where OpenSSL finds no certificate, or no key, between the lines of a file.
    None: "no_pem",
    "KEY_VALUES_MISMATCH": "other_key",
    **dict.fromkeys(("EE_KEY_TOO_SMALL", "CA_MD_TOO_WEAK"), "weak_key"),
    **dict.fromkeys(("WRONG_VERSION_NUMBER", "HTTP_REQUEST"), "no_tls"),
    "UNEXPECTED_EOF_WHILE_READING": "ended",
}
_BY_VERIFY_CODE: Mapping[int, str] = {
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    **dict.fromkeys((19, 20, 21), "unknown_authority"),
    23: "revoked",
    **dict.fromkeys((62, 64), "other_host"),
}
"""OpenSSL's `X509_V_ERR_...`."""


def system_fault(error: OSError) -> str:
    """What was wrong: a `Sentence` without its full stop, or the system's own words where we have none."""
    # Not for the start of every command.
    import socket
    import ssl

    own = str(error)
    if isinstance(own, Sentence):
        return own
    match error:
        case ssl.SSLCertVerificationError():
            name, words = _BY_VERIFY_CODE.get(error.verify_code), error.verify_message
        case ssl.SSLError():
            # Its `errno` is a number of OpenSSL's own.
            name, words = _BY_REASON.get(error.reason), (error.reason or "").replace("_", " ").lower()
        case socket.gaierror():
            name, words = "no_resolver" if error.errno == socket.EAI_AGAIN else "no_host", ""
        case TimeoutError():
            name, words = "silent", ""
        case _:
            # Of an attempt at several addresses only the text has the numbers.
            found = re.search(r"\[Errno (\d+)\]", own)
            number = error.errno or (int(found[1]) if found else 0)
            # `strerror` may hold more than the system says: asyncio puts an address there.
            name, words = _BY_ERRNO.get(number), os.strerror(number) if number else own
    return words if name is None else Sentence(f"system.{name}")
