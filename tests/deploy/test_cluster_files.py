"""deploy/ for several machines: what compose.yaml, haproxy.cfg and nginx.conf name is there, and they agree.

`scripts/try_cluster.py` starts what compose.yaml starts, as processes.
"""

import ipaddress
import re
from typing import Any

import pytest
import yaml

from parlour_server.settings import ServerSettings
from parlour_server.store import database_url
from tests.deploy.test_files import DEPLOY, environment, of_dockerfile
from tests.docs.markdown import page

COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
NODES = {name: one for name, one in SERVICES.items() if name.startswith("node")}
HAPROXY = (DEPLOY / "haproxy.cfg").read_text()
NGINX = (DEPLOY / "nginx.conf").read_text()
PAGE = page("docs/running-a-cluster.md")
IMAGE = environment(of_dockerfile("ENV"))


def default_of(value: str) -> str:
    """A value, with what it is where the variable that it names is not given: `${NAME:-default}`."""
    return re.sub(r"\$\{(\w+)(?::-(.*?)|:\?.*?)\}", lambda found: found[2] or "", value)


def of_haproxy(variable: str) -> set[str]:
    """What haproxy.cfg has where a variable is not given."""
    return set(re.findall(rf'"\${{{variable}-(.*?)}}"', HAPROXY))


@pytest.mark.parametrize("name", NODES)
def test_a_node_starts_with_settings_that_are_settings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {key: default_of(value) for key, value in NODES[name]["environment"].items()}
    assert given.pop("PGPASSWORD") == ""
    for key, value in given.items():
        monkeypatch.setenv(key, value)
    settings = ServerSettings()
    assert settings.database is not None
    assert database_url.fault(settings.database) is None
    host = settings.database.partition("@")[2].partition("/")[0]
    assert host in SERVICES
    assert {f"PARLOUR_{field}".upper() for field in ServerSettings.model_fields} >= given.keys()


def test_nodes_believe_the_balancer_alone() -> None:
    (network,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    for node in NODES.values():
        assert node["environment"]["PARLOUR_TRUSTED_PROXY"] == network["subnet"]
        assert "ports" not in node, "else strangers could say who they are"
    assert ipaddress.ip_network(network["subnet"]).is_private


def test_the_database_is_the_one_that_the_nodes_name() -> None:
    made = SERVICES["database"]["environment"]
    for node in NODES.values():
        url = node["environment"]["PARLOUR_DATA"]
        assert url == f"postgresql://{made['POSTGRES_USER']}@database/{made['POSTGRES_DB']}"
        assert node["environment"]["PGPASSWORD"] == made["POSTGRES_PASSWORD"]
        assert node["depends_on"]["database"]["condition"] == "service_healthy"
    assert {f"--username={made['POSTGRES_USER']}", f"--dbname={made['POSTGRES_DB']}"} <= set(
        SERVICES["database"]["healthcheck"]["test"]
    )


def test_the_balancer_knows_every_node_and_its_port() -> None:
    balancer = SERVICES["balancer"]
    assert balancer["depends_on"] == list(NODES)
    given = dict(balancer["environment"])
    assert given.pop("PARLOUR_BIND") == f":{IMAGE['PARLOUR_PORT']}"
    assert given == {f"PARLOUR_{name}".upper(): f"{name}:{IMAGE['PARLOUR_PORT']}" for name in NODES}
    assert set(re.findall(r"\${(\w+)-", HAPROXY)) == {*given, "PARLOUR_BIND"}
    (mounted,) = balancer["volumes"]
    assert (DEPLOY / mounted.partition(":")[0]).is_file()


def test_balancers_lead_to_the_nodes_that_the_page_starts() -> None:
    ports = re.findall(r"^ +parlour serve --port (\d+) --data postgresql:", PAGE, re.MULTILINE)
    there = {f"127.0.0.1:{port}" for port in ports}
    assert len(there) == len(NODES)
    assert set.union(*(of_haproxy(f"PARLOUR_{name}".upper()) for name in NODES)) == there
    assert set(re.findall(r"^ +server (\S+)", NGINX, re.MULTILINE)) == there
    (listens,) = of_haproxy("PARLOUR_BIND")
    assert re.findall(r"^ +listen (\S+);", NGINX, re.MULTILINE) == [listens]


@pytest.mark.parametrize("text", [HAPROXY, NGINX], ids=["haproxy.cfg", "nginx.conf"])
def test_balancers_wait_for_longer_than_a_heartbeat(text: str) -> None:
    heartbeat = ServerSettings.model_fields["heartbeat_seconds"].default
    assert f"every {heartbeat:.0f} seconds" in text
    waits = re.findall(r"(?:timeout tunnel|proxy_read_timeout|proxy_send_timeout) +(\d+)s", text)
    assert waits
    assert min(map(int, waits)) > 2 * heartbeat + 2


def test_what_is_asked_of_the_image_is_in_it() -> None:
    (install,) = [rest for rest in of_dockerfile("RUN") if "pip install" in rest]
    assert "./server[fast,cluster,swiss]" in install
    writable = IMAGE["PARLOUR_CACHE"]
    for name, service in SERVICES.items():
        if service.get("image") == COMPOSE["x-image"]["image"]:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
            assert service.get("volumes", [f"cache:{writable}"]) == [f"cache:{writable}"], name
