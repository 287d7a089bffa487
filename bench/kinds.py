"""The servers that are measured: Parlour, a stock echo server, and what others play on."""

import shutil
import socket
import sys
from pathlib import Path

from bench.peers.boardgame import BoardgameRoom
from bench.peers.colyseus import ColyseusRoom
from bench.play import ParlourRoom
from bench.rooms import EchoRoom
from bench.servers import Kind

PEERS = Path(__file__).parent / "peers"
"""Where `npm install` puts the others."""


def _module(*words: str) -> list[str]:
    return [sys.executable, "-m", *words]


def parlour(data: str) -> list[str]:
    """What Parlour's command line has to offer for a measurement stands here, and nowhere else."""
    options = {"--host": "127.0.0.1", "--port": "0", "--data": data}
    limits = {"--messages-per-second": "0", "--rooms-per-minute": "0", "--player-milliseconds": "0"}
    words = [word for pair in (options | limits).items() for word in pair]
    return _module("parlour_server", "--json", "--with-parent", *words)


def _node(script: str) -> list[str]:
    # They can't be asked which port they took.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return [shutil.which("node") or "node", str(PEERS / script), str(port)]


def _durable(folder: Path) -> list[str]:
    return parlour(str(folder / "bench.db"))


def _nothing_compiled(folder: Path) -> dict[str, str]:
    return {"PARLOUR_CACHE": str(folder / "cache")}


def _production(folder: Path) -> dict[str, str]:
    return {"NODE_ENV": "production"}


ECHO = Kind("echo", lambda folder: _module("bench.echo"), EchoRoom)
MEMORY = Kind("memory", lambda folder: parlour(":memory:"), ParlourRoom)
DURABLE = Kind("durable", _durable, ParlourRoom)
COMPILING = Kind("compiling", _durable, ParlourRoom, _nothing_compiled)
"""Durable, while it compiles its games in the background."""
COLYSEUS = Kind("colyseus", lambda folder: _node("colyseus.js"), ColyseusRoom, _production)
BOARDGAME = Kind("boardgame.io", lambda folder: _node("boardgame.js"), BoardgameRoom, _production)


def peers_installed() -> bool:
    """Are the others there to be measured?"""
    return shutil.which("node") is not None and (PEERS / "node_modules").is_dir()
