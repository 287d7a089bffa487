"""The page's modules without a page: in Node, which plays one scenario after the other."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.datastructures import Headers
from websockets.http11 import Request

from parlour_server.net.site import compact, own_site
from parlour_server.page_sources import WEB
from tests.support.needs import node
from tests.transcripts.scenarios import Outcome, Shown, Step

PLAYER = Path(__file__).with_name("page.mjs")


class Page:
    """Plays scenarios with the modules of the web page, as `tests.transcripts.sdk` does with the SDK."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def converse(self, steps: list[Step]) -> list[Outcome]:
        """What comes of each step of a conversation."""
        outcomes: list[Outcome] = self._play("protocol", steps)
        return outcomes

    def watch_room(self, steps: list[Step]) -> list[Shown]:
        """What there is to see of a room after each step; `kept` names the view's parts that are the same."""
        shown: list[Shown] = self._play("room", steps)
        return shown

    def answer_types(self, commands: list[str]) -> list[str]:
        """The type of message that answers each type of command."""
        types: list[str] = self._play("answers", commands)
        return types

    def _play(self, kind: str, steps: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps([kind, steps]) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the player has ended: see its standard error"
        return json.loads(line)


@contextmanager
def page() -> Iterator[Page]:
    """A player in a process of its own, with the modules as they are served."""
    with TemporaryDirectory() as folder:
        write_served(Path(folder))
        with subprocess.Popen(
            [node(), str(PLAYER), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            try:
                yield Page(process)
            finally:
                process.kill()


def write_served(folder: Path) -> None:
    """Write the modules into a folder, each by itself, and what is served of words, for Node."""
    # What says so to a Node that does not see by itself that these are modules.
    (folder / "package.json").write_text('{"type": "module"}')
    site = own_site()
    modules = {one.relative_to(WEB).as_posix(): compact(".js", one.read_bytes()) for one in WEB.rglob("*.js")}
    for path in site.paths:
        if "/words/" in path and (script := site.find(path)) is not None:
            said = script.answer(Request(path, Headers())).body
            modules[path.removeprefix(f"{site.assets}/")] = bytes(said)
    for name, body in modules.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
