"""The certificate, and the next one."""

import asyncio
import shutil
import ssl
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from parlour_server.net.tls import Certificate, TlsUnusable
from tests.hosting.harness import Clock

FOLDER = Path(__file__).parents[1] / "server"
FIRST, RENEWED = FOLDER / "loopback.pem", FOLDER / "renewed.pem"
SECONDS = 20


class Served:
    """A certificate that a socket is open with, in a file that can be changed."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "chain.pem"
        shutil.copy(FIRST, self.file)
        self.certificate = Certificate(self.file, None)

    async def shown(self) -> Path:
        """Which certificate a new handshake is shown, to a client that names no host."""
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0,
                                            ssl=self.certificate.context)  # fmt: skip
        try:
            async with asyncio.timeout(SECONDS):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", server.sockets[0].getsockname()[1], ssl=_trusting_all(), server_hostname=""
                )
                shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
                await reader.read()
                writer.close()
        finally:
            server.close()
        (found,) = [path for path in (FIRST, RENEWED) if _der(path) == shown]
        return found


def _trusting_all() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _der(path: Path) -> bytes:
    text = path.read_text()
    return ssl.PEM_cert_to_DER_cert(text[text.index("-----BEGIN CERTIFICATE") :])


async def test_new_handshakes_get_the_renewed_certificate(tmp_path: Path) -> None:
    served = Served(tmp_path)
    assert await served.shown() == FIRST
    shutil.copy(RENEWED, served.file)
    assert await served.shown() == FIRST
    with capture_logs() as written:
        served.certificate.reload()
    assert await served.shown() == RENEWED
    assert [line["event"] for line in written] == ["the certificate was read anew"]


@pytest.mark.parametrize("change", ["empty", "half", "gone", "no key"])
async def test_a_broken_one_is_logged_and_the_old_one_stays(tmp_path: Path, change: str) -> None:
    served = Served(tmp_path)
    match change:
        case "empty":
            served.file.write_text("")
        case "half":
            served.file.write_text(RENEWED.read_text()[:300])
        case "gone":
            served.file.unlink()
        case "no key":
            served.file.write_text(RENEWED.read_text().partition("-----END PRIVATE KEY-----\n")[2])
    with capture_logs() as written:
        served.certificate.reload()
    assert [line["log_level"] for line in written] == ["error"]
    assert str(served.file) in written[0]["reason"]
    assert await served.shown() == FIRST


def test_its_files_are_looked_at_now_and_then(tmp_path: Path) -> None:
    served, clock = Served(tmp_path), Clock()
    served.certificate.watch(60.0, clock.later)
    with capture_logs() as written:
        clock.advance(600)
        assert written == []
        shutil.copy(RENEWED, served.file)
        clock.advance(59)
        assert written == []
        clock.advance(60)
        assert [line["event"] for line in written] == ["the certificate was read anew"]
        served.file.unlink()
        # It is said once, not each minute.
        clock.advance(600)
        assert [line["log_level"] for line in written] == ["info", "error"]
        served.certificate.stop()
        shutil.copy(RENEWED, served.file)
        clock.advance(600)
    assert len(written) == 2
    assert not clock.waiting


def test_an_encrypted_key_is_refused_without_asking_for_its_password(tmp_path: Path) -> None:
    with pytest.raises(TlsUnusable, match="encrypted"):
        Certificate(FIRST, FOLDER / "encrypted.key")
