"""What the system says of an error is said in sentences of ours, without numbers and C files."""

import errno
import os
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour_protocol.words import ENGLISH, Sentence, load, spoken, system_fault

LOOPBACK = Path(__file__).parents[2] / "server" / "loopback.pem"


def of(act: Callable[[], object]) -> str:
    """What is said of the error that this raises."""
    with pytest.raises(OSError) as raised:
        act()
    return system_fault(raised.value)


def load_chain(chain: Path, key: Path | None = None) -> None:
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(chain, key)


def test_what_the_system_refuses(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert of(lambda: socket.create_server(taken.getsockname())) == "the address is in use already"
    assert of(lambda: socket.create_server(("192.0.2.1", 0))) == "this machine has no such address"
    assert of((tmp_path / "no").read_text) == "there is no such file or folder"
    assert of(tmp_path.read_text) == "it is a folder"
    assert of(lambda: socket.getaddrinfo("no-such-host.invalid", 1, flags=socket.AI_NUMERICHOST)) == (
        "there is no such host"
    )
    assert of(lambda: load_chain(tmp_path / "no")) == "there is no such file or folder"


def test_what_openssl_refuses(tmp_path: Path) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_text("no certificate\n")
    assert of(lambda: load_chain(junk)) == "one of the files lacks what it should hold in PEM format"
    assert of(lambda: load_chain(LOOPBACK, LOOPBACK.with_name("renewed.pem"))) == (
        "the key belongs to another certificate"
    )
    expired = ssl.SSLCertVerificationError("certificate verify failed")
    expired.verify_code, expired.verify_message = 10, "certificate has expired"
    assert system_fault(expired) == "it has expired"
    unknown = ssl.SSLError(1, "[SSL: NO_SHARED_CIPHER] no shared cipher (_ssl.c:1006)")
    unknown.reason = "NO_SHARED_CIPHER"
    assert system_fault(unknown) == "no shared cipher"


def test_an_error_within_another_text_is_found() -> None:
    of_bind = OSError(errno.EADDRINUSE, "error while attempting to bind on address ('::1', 1): in use")
    assert system_fault(of_bind) == "the address is in use already"
    several = OSError(f"Multiple exceptions: [Errno {errno.ECONNREFUSED}] Connect call failed ('::1', 1)")
    assert system_fault(several) == "nothing is listening there"
    assert system_fault(TimeoutError()) == "there is no answer"


def test_what_is_not_known_keeps_the_system_s_words_and_no_number() -> None:
    assert system_fault(OSError(errno.EDOM, "x")) == os.strerror(errno.EDOM)
    assert system_fault(OSError("odd")) == "odd"
    own = OSError(Sentence("tls.encrypted"))
    assert isinstance(system_fault(own), Sentence)


def test_it_is_said_in_each_language(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = system_fault(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    monkeypatch.setattr("parlour_protocol.words.sentence.language", lambda: load("pl"))
    assert spoken(fault) == "nie ma takiego pliku ani folderu"
    ends = {
        id_ for id_, text in ENGLISH.sentences.items() if id_.startswith("system.") and text.endswith(".")
    }
    assert not ends, "they stand within other sentences"
