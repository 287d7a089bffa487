"""Goes through the steps of deploy/ in a new Debian: those of the Dockerfile, and those of the systemd unit.

Run as root, where debootstrap and systemd-nspawn are installed and the network can be reached; Docker need
not run. What an image forbids is forbidden here as well: another user, no capabilities, nothing to write to
but its volumes. The unit is started by a systemd of its own. It takes some five minutes.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

SOURCES = Path(__file__).parent.parent
PACKAGES = "python3,python3-venv,systemd,ca-certificates"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
READY_SECONDS = 60.0
MOST_EXPOSED = 20
"""Of 100, by `systemd-analyze security`."""


def main() -> None:
    """Make the base, then try both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, help="a Debian made before, to take instead of a new one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="parlour-deploy-") as folder:
        base = given.base or Path(folder) / "base"
        if not base.exists():
            run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(base))
        try_dockerfile(base, Path(folder))
        try_unit(base, Path(folder))
    print("Both work.")


# ---------------------------------------------------------------- the Dockerfile


def try_dockerfile(base: Path, folder: Path) -> None:
    """Carry out its instructions, then start what it starts, until its health check is content."""
    stages: dict[str, Path] = {}
    root, workdir, user = base, "/", "0"
    environment: dict[str, str] = {}
    volumes: list[str] = []
    health, entry = [""], [""]
    for instruction, rest in instructions((SOURCES / "deploy" / "Dockerfile").read_text()):
        print(f"{instruction} {rest}", flush=True)
        words = shlex.split(rest)
        match instruction:
            case "FROM":
                root = copy_of(base, folder / f"stage{len(stages)}")
                stages[words[2] if len(words) > 2 else "last"] = root
                workdir, environment = "/", {}
            case "WORKDIR":
                workdir = rest
                (root / workdir.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "COPY":
                source = SOURCES
                if words[0].startswith("--from="):
                    source = stages[words.pop(0).removeprefix("--from=")]
                copy_in(source / words[0].lstrip("/"), root, Path(workdir) / words[1])
            case "RUN":
                inside(root, rest, workdir)
            case "ENV":
                environment |= dict([rest.split("=", 1)])
            case "USER":
                user = rest
            case "VOLUME":
                volumes = words
            case "HEALTHCHECK":
                health = json.loads(rest.partition("CMD ")[2])
            case "ENTRYPOINT":
                entry = json.loads(rest)
            case "EXPOSE":
                pass
            case _:
                raise SystemExit(f"This script does not know {instruction}.")
    serve(root, entry, user, environment, volumes, health)


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile: none of ours goes over its line."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


# ---------------------------------------------------------------- the unit


def try_unit(base: Path, folder: Path) -> None:
    """Carry out the steps of the page, those for systemd in a booted Debian; then reload and stop it."""
    root = copy_of(base, folder / "service")
    for name in ("constraints.txt", "protocol", "server", "client", "deploy"):
        copy_in(SOURCES / name, root, Path("/src") / name)
    page = (SOURCES / "docs" / "running-a-server.md").read_text()
    (steps,) = [block for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) if "systemctl" in block]
    commands = [line.removeprefix("sudo ") for line in steps.splitlines()]
    for command in commands:
        if not command.startswith("systemctl"):
            print(command, flush=True)
            inside(root, command, "/src")
    unit = "/etc/systemd/system/parlour.service"
    inside(root, f"systemd-analyze verify {unit}", "/")
    inside(root, f"systemd-analyze security --offline=true --threshold={MOST_EXPOSED} {unit} | tail -1", "/")

    environment = {"PARLOUR_PORT": free_port()}
    (root / "etc/parlour.env").write_text(f"PARLOUR_PORT={environment['PARLOUR_PORT']}\n")
    check = [sys.executable, str(SOURCES / "deploy" / "healthcheck.py")]
    with booted(root) as systemd:
        for command in commands:
            if command.startswith("systemctl"):
                systemd(command)
        await_health(check, environment)
        systemd("systemctl reload parlour")
        await_health(check, environment)
        systemd("systemctl stop parlour")
        systemd("systemctl show --property=Result parlour | grep -x Result=success")
        systemd("systemctl show --property=NRestarts parlour | grep -x NRestarts=0")
    look_at(root / "var/lib/private/parlour/rooms.db")


@contextlib.contextmanager
def booted(root: Path) -> Iterator[Callable[[str], None]]:
    """A Debian that systemd has booted; gives what runs a command in it."""
    options = [f"--directory={root}", "--boot", "--register=no", "--keep-unit", "--quiet"]
    nowhere = subprocess.DEVNULL
    machine = subprocess.Popen(["systemd-nspawn", *options], stdin=nowhere, stdout=nowhere)

    def systemd(command: str) -> None:
        print(command, flush=True)
        run("nsenter", f"--target={child_of(machine.pid)}", "--all", "sh", "-ec", command)

    try:
        within(lambda: bool(children_of(machine.pid)), "It did not boot.")
        within(lambda: _is_up(machine.pid), "It did not boot.")
        yield systemd
    finally:
        # It shuts down by this.
        machine.terminate()
        machine.wait(READY_SECONDS)


def _is_up(pid: int) -> bool:
    asked = ["nsenter", f"--target={child_of(pid)}", "--all", "systemctl", "is-system-running"]
    said = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    return said in ("running", "degraded")


# ---------------------------------------------------------------- in the new Debian


def serve(
    root: Path,
    command: Sequence[str],
    user: str,
    environment: Mapping[str, str],
    writable: Sequence[str],
    health: Sequence[str],
) -> None:
    """Start the server as this user, wait for its health check, stop it, and look at what it left."""
    environment = {**environment, "PARLOUR_PORT": free_port(), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    print(shlex.join(command), flush=True)
    server = subprocess.Popen(confined(root, command, user, writable), env=environment)
    try:
        await_health(confined(root, health, user, writable), environment)
        process = child_of(server.pid)
        owner = Path(f"/proc/{process}").stat().st_uid
        assert str(owner) == user != "0", f"It runs as user {owner}."
        os.kill(process, signal.SIGTERM)
        assert server.wait(READY_SECONDS) == 0, f"It ended with {server.returncode}."
    finally:
        server.kill()
    look_at(root / environment["PARLOUR_DATA"].lstrip("/"))


def free_port() -> str:
    """A port that nobody has: the network is this machine's."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def await_health(check: Sequence[str], environment: Mapping[str, str]) -> None:
    """Wait until the health check is content."""

    def healthy() -> bool:
        return not subprocess.run(check, env=environment, stderr=subprocess.DEVNULL).returncode

    within(healthy, "It did not become healthy.")
    print("healthy", flush=True)


def within(come_true: Callable[[], bool], otherwise: str) -> None:
    """Wait for something."""
    deadline = time.monotonic() + READY_SECONDS
    while not come_true():
        if time.monotonic() > deadline:
            raise SystemExit(otherwise)
        time.sleep(0.5)


def look_at(data: Path) -> None:
    """What was kept is for its owner alone, who is not root."""
    found = data.stat()
    assert found.st_mode & 0o777 == 0o600
    assert found.st_uid != 0
    print(f"stopped calmly, kept {found.st_size} bytes", flush=True)


def confined(root: Path, command: Sequence[str], user: str, writable: Sequence[str]) -> list[str]:
    """A command in this root, which is read-only but for some folders, as a user without capabilities."""
    folders = [f"mount --bind {root}{one} {root}{one}" for one in writable]
    script = "\n".join(
        [
            "set -e",
            f"mount --bind {root} {root}",
            *folders,
            f"mount -t proc proc {root}/proc",
            f"mount --rbind /dev {root}/dev",
            f"mount -t tmpfs tmpfs {root}/tmp",
            f"mount -o remount,bind,ro {root}",
            f"exec chroot {root} setpriv --reuid={user} --regid={user} --clear-groups --no-new-privs "
            f"--bounding-set=-all -- {shlex.join(command)}",
        ]
    )
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]


def child_of(pid: int) -> int:
    """The process that `unshare` or `systemd-nspawn` started in the new Debian."""
    return children_of(pid)[0]


def children_of(pid: int) -> list[int]:
    """The processes that a process started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def inside(root: Path, command: str, folder: str) -> None:
    """Run a command in a root as its owner, with this machine's way to the package index."""
    for file in ("/etc/resolv.conf", "/etc/pip.conf", AUTHORITIES):
        if Path(file).exists():
            shutil.copy(file, root / file.lstrip("/"))
    ours = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "PIP_CERT": AUTHORITIES, **ours}
    run("chroot", str(root), "sh", "-ec", f"cd {folder} && {command}", env=environment)


def copy_in(source: Path, root: Path, target: Path) -> None:
    """COPY, as a Dockerfile means it; without what was built here."""
    there = root / str(target).lstrip("/")
    if source.is_dir():
        left_out = shutil.ignore_patterns("__pycache__", "*.egg-info", ".venv")
        shutil.copytree(source, there, symlinks=True, dirs_exist_ok=True, ignore=left_out)
    else:
        there = there / source.name if there.is_dir() else there
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, there)


def copy_of(base: Path, root: Path) -> Path:
    """A root of its own."""
    run("cp", "--archive", str(base), str(root))
    return root


def run(*command: str, env: Mapping[str, str] | None = None) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True, env=env)


if __name__ == "__main__":
    main()
