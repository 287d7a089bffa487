"""One POST over a connection of its own."""

import asyncio
import json
from typing import Any

from bench import BenchError
from bench.servers import Server


async def post(server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send JSON; gives the JSON of the answer. Raises `BenchError`, `OSError`."""
    text = json.dumps(body)
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}".encode()
    )
    answer = await reader.read()
    writer.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.splitlines()[0]:
        raise BenchError(f"{path} was answered {answer[:200]!r}.")
    found: dict[str, Any] = json.loads(content[content.index(b"{") : content.rindex(b"}") + 1])
    return found
