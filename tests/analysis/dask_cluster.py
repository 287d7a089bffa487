"""A Dask cluster on this machine: a scheduler and workers, started as a host would start them."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.analysis.searches import DISTRIBUTION

START_SECONDS = 120.0
ROOT = Path(__file__).parents[2]


class Cluster:
    """A scheduler on a port of its own, and workers of one thread each, which know the tests' games."""

    def __init__(self, folder: Path) -> None:
        for name, text in DISTRIBUTION.items():
            file = folder / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self._started, self._log = 0, folder / "worker.log"

    def start_scheduler(self) -> None:
        """Start it; does not wait for it."""
        where = ("--host", "127.0.0.1", "--port", str(self.port))
        self._scheduler = self._start("scheduler", *where, "--no-dashboard", "--no-jupyter")

    def start_worker(self, *options: str, packages: Path | None = None) -> subprocess.Popen[bytes]:
        """Start one more, which finds packages in this folder first; does not wait for it."""
        preload = ("--preload", "parlour_server.analysis.dask_worker")
        where = (
            self.address,
            "--host",
            "127.0.0.1",
            "--no-dashboard",
            "--local-directory",
            str(self._folder),
        )
        options = ("--nthreads", "1", "--no-nanny", *(options or preload))
        one = self._start("worker", *where, *options, packages=packages)
        self.workers.append(one)
        self._started += 1
        return one

    def _start(self, what: str, *options: str, packages: Path | None = None) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, filter(None, [packages, self._folder, ROOT]))),
            # They are ready at once, and not when they have made machine code.
            "PARLOUR_COMPILED": "false",
        }
        log = (self._folder / f"{what}.log").open("ab")
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
        with log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def wait(self) -> None:
        """Until as many workers are there as were started: on a busy machine that takes a while."""
        ends = time.monotonic() + START_SECONDS
        while self._log.read_text().count("Registered to:") < self._started:
            assert time.monotonic() < ends, "the workers did not start"
            time.sleep(0.05)

    def kill_scheduler(self) -> None:
        """End it at once."""
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()

    def close(self) -> None:
        """End them all."""
        for process in [*self.workers, self._scheduler]:
            if process is not None:
                process.kill()
                process.wait()
