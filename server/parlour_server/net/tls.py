"""The server's certificate, read anew without a restart."""

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import structlog

from parlour_protocol.words import Sentence, system_fault
from parlour_server.hosting.context import Timer

log = structlog.get_logger()


class TlsUnusable(Exception):
    """The certificate or its key can't be loaded; a sentence says why."""


class Certificate:
    """A certificate chain with its key. New handshakes get what was read last.

    Raises `TlsUnusable` when it is made. Later one that can't be used is logged, and the one before it stays.
    """

    def __init__(self, chain: Path, key: Path | None) -> None:
        self._chain, self._key = chain, key
        self._read = self._stamps()
        self._newest = self.context = self._load()
        # A listening socket keeps the context that it was given: that one passes each handshake on.
        self.context.sni_callback = self._choose
        self._timer: Timer | None = None

    def reload(self) -> None:
        """Read the files anew."""
        self._read = self._stamps()
        try:
            self._newest = self._load()
        except TlsUnusable as error:
            log.error("the new certificate can't be used, the old one stays", reason=str(error))
        else:
            log.info("the certificate was read anew", file=str(self._chain))

    def watch(self, seconds: float, later: Callable[[float, Callable[[], None]], Timer]) -> None:
        """Read the files anew when they have changed; they are looked at every `seconds` until `stop`."""

        def look() -> None:
            if self._stamps() != self._read:
                self.reload()
            self._timer = later(seconds, look)

        self._timer = later(seconds, look)

    def stop(self) -> None:
        """Look at the files no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _choose(self, connection: ssl.SSLObject, name: str, context: ssl.SSLContext) -> None:
        connection.context = self._newest

    def _load(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self._chain, self._key, password=_no_password)
        except OSError as error:
            raise TlsUnusable(
                Sentence("tls.unusable", file=str(self._chain), why=system_fault(error))
            ) from error
        return context

    def _stamps(self) -> list[tuple[int, int, int]]:
        """What differs where a file was written or replaced; through links, as certbot's are."""
        found = []
        for path in (self._chain, self._key or self._chain):
            try:
                file = path.stat()
                found.append((file.st_mtime_ns, file.st_size, file.st_ino))
            except OSError:
                found.append((0, 0, 0))
        return found


def _no_password() -> NoReturn:
    # Else OpenSSL would ask for it on the terminal, and the whole server would wait.
    raise OSError(Sentence("tls.encrypted"))
