"""deploy/: what the unit and the Dockerfile name is there. `scripts/try_deploy.py` carries them out."""

import asyncio
import json
import re
import shlex
import socket
import sys
from pathlib import Path

import pytest

from parlour_protocol import DEFAULT_PORT
from parlour_server.settings import ServerSettings
from tests.docs import commands
from tests.docs.markdown import blocks, page
from tests.support.server import serving

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "parlour.service").read_text()
DOCKERFILE = [
    (name, rest)
    for name, _, rest in (
        line.partition(" ")
        for line in (DEPLOY / "Dockerfile").read_text().splitlines()
        if line and not line.startswith("#")
    )
]
PAGE = page("docs/running-a-server.md")
(SERVICE_STEPS,) = [block for block in blocks(PAGE, "sh") if "systemctl" in block]
(CONTAINER_STEPS,) = [block for block in blocks(PAGE, "sh") if "docker" in block]


def of_unit(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def of_dockerfile(name: str) -> list[str]:
    return [rest for instruction, rest in DOCKERFILE if instruction == name]


def environment(lines: list[str]) -> dict[str, str]:
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.parametrize(
    "variables", [of_unit("Environment"), of_dockerfile("ENV")], ids=["unit", "Dockerfile"]
)
def test_its_variables_are_settings_and_its_data_are_where_it_may_write(variables: list[str]) -> None:
    given = environment(variables)
    assert given.pop("HOME", "/var/lib/parlour") == "/var/lib/parlour"
    assert given.pop("XDG_RUNTIME_DIR", "/run/parlour") == "/run/parlour"
    assert {name.removeprefix("PARLOUR_").lower() for name in given} - {"cache"} <= set(
        ServerSettings.model_fields
    )
    assert given["PARLOUR_DATA"] == "/var/lib/parlour/rooms.db"
    assert given["PARLOUR_CACHE"] == "/var/cache/parlour"


def test_the_unit_serves_without_rights() -> None:
    (command,) = of_unit("ExecStart")
    program, *words = shlex.split(command)
    assert program == "/opt/parlour/bin/parlour"
    commands.check(words)
    for kind in ("State", "Cache", "Runtime"):
        assert of_unit(f"{kind}Directory") == ["parlour"], kind
    for name in ("DynamicUser", "NoNewPrivileges", "ProtectHome", "PrivateDevices"):
        assert of_unit(name) == ["yes"], name
    assert of_unit("CapabilityBoundingSet") == [""]
    # Code that is compiled while it runs has to be made executable.
    assert not of_unit("MemoryDenyWriteExecute")


def test_the_unit_is_started_until_its_database_is_up() -> None:
    """By default systemd gives up after five starts within ten seconds."""
    assert of_unit("Restart") == ["on-failure"]
    assert of_unit("StartLimitIntervalSec") == ["0"]
    assert int(of_unit("RestartSec")[0]) > 0


def test_the_page_installs_what_the_unit_starts() -> None:
    steps = [shlex.split(line) for line in SERVICE_STEPS.splitlines()]
    assert all(step[0] == "sudo" for step in steps)
    installed = [word for step in steps if "install" in step for word in step]
    assert "deploy/parlour.service" in installed
    assert {"./protocol", "./server[fast]", "./client", "constraints.txt"} <= set(installed)


def test_the_image_copies_what_there_is_and_runs_as_nobody_special() -> None:
    for rest in of_dockerfile("COPY"):
        words = shlex.split(rest)
        if not words[0].startswith("--from"):
            assert (ROOT / words[0]).exists(), rest
    (user,) = of_dockerfile("USER")
    assert int(user) > 0
    assert f"user {user}" in PAGE
    (entry,) = of_dockerfile("ENTRYPOINT")
    commands.check(json.loads(entry)[1:])
    given = environment(of_dockerfile("ENV"))
    assert of_dockerfile("EXPOSE") == [given["PARLOUR_PORT"]] == [str(DEFAULT_PORT)]
    assert f":{DEFAULT_PORT}:{DEFAULT_PORT}" in CONTAINER_STEPS


def test_the_image_is_of_the_python_that_is_tested() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert {rest.split()[0] for rest in of_dockerfile("FROM")} == {f"python:{version}-slim-bookworm"}


async def test_the_health_check_says_whether_a_server_answers() -> None:
    (check,) = of_dockerfile("HEALTHCHECK")
    _, script = json.loads(check.partition("CMD ")[2])
    assert Path(script).name == "healthcheck.py"
    async with serving() as url:
        assert await health(int(url.rpartition(":")[2])) == 0
    # Held, so that nobody else listens there meanwhile.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert await health(taken.getsockname()[1]) == 1


async def health(port: int) -> int:
    """The exit code of the check, where the container's server would have this port."""
    variables = {"PARLOUR_PORT": str(port)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, DEPLOY / "healthcheck.py", env=variables, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()
