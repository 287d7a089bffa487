"""The command `parlour serve`: settings in, a running server, a few lines that say where it is."""

import asyncio
import errno
import gc
import inspect
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin

import typer
from pydantic import ValidationError

from parlour_protocol import DEFAULT_PORT
from parlour_protocol.ids import page_address, room_link
from parlour_protocol.local.server_info import IN_MEMORY, LOCKED
from parlour_protocol.words import say, spoken, system_fault
from parlour_server import data_commands
from parlour_server.compile_command import compile_games
from parlour_server.data_commands import fail
from parlour_server.game_command import check_game
from parlour_server.net.addresses import is_loopback
from parlour_server.ratings_command import rebuild_ratings
from parlour_server.settings import ServerSettings, default_data, explain

if TYPE_CHECKING:
    from parlour_server.processes import Order, Ready

app = typer.Typer(add_completion=False)
"""The commands that a server brings to `parlour`."""

COMPILE_AFTER_SECONDS = 0.3
"""How long after its start a server looks which games have to be compiled."""

GC_THRESHOLDS = (4_000, 2, 1_000)
"""Each look for cycles keeps the interpreter to itself, half a microsecond for each object that it meets.
With the usual 700 moves paid a twentieth for it; with 20,000, and every twentieth look at all that those
before had left, a log with bots' reports that is read on the store's thread held up all moves for 40 ms."""

SWITCH_SECONDS = 0.0001
"""How long a thread may keep the interpreter's lock from one that waits for it, not 5 ms: a commit gives it
up with each of its statements, and would wait as long each time while the event loop is busy."""

FIRST_FREE_PORT = 1024
"""Below it only the administrator may listen, on most systems."""

BLACK_ON_WHITE, PLAIN = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
"""Not the terminal's own black and white, which a theme may have made alike."""


def main() -> None:
    """The console entry of `python -m parlour_server`."""
    typer.main.get_group(app).commands["serve"](prog_name="parlour serve")


def _serve(*, as_json: bool, qr: bool, with_parent: bool, shared: bool, given: dict[str, Any]) -> None:
    if qr and as_json:
        fail(say("serve.error.qr_json"), code=2)
    settings = _settings(given)
    _refuse_plain_text_abroad(settings)
    if settings.database and settings.data_limit_bytes:
        fail(say("serve.error.limit_of_database"), code=2)
    if settings.processes > 1:
        _refuse_processes(settings)
    _prepare(settings)
    say_ready = partial(_say_ready, settings, as_json=as_json, qr=qr)
    if settings.processes > 1:
        # It has next to nothing to do itself: no need to load a faster loop.
        asyncio.run(_run_processes(settings, say_ready, with_parent=with_parent))
        ended = True
    else:
        ended = _loop_runner()(_run(settings, say_ready, with_parent=with_parent, shared=shared))
    if not as_json:
        _say_stopped(settings)
    _end(ended)


def _serve_supervised() -> None:
    """Be one of several processes at a port: see `processes`."""
    from parlour_server.processes import Order

    # Standard output is for the command's process: whatever else is printed, by a game say, is none of that.
    sys.stdout = sys.stderr
    try:
        order = Order(**json.loads(_read_line()))
    except (ValueError, TypeError):
        fail(say("serve.error.supervised"), code=2)
    settings = ServerSettings(**order.settings)
    _prepare(settings, process=os.getpid())
    _end(_loop_runner()(_run(settings, _report_ready, with_parent=True, shared=False, order=order)))


def _prepare(settings: ServerSettings, **facts: Any) -> None:
    """Set up the log, whose lines all have these facts, and the surroundings of processes that we start."""
    # Not for `parlour --help`, which shows this command too.
    from parlour_server.monitoring import logs

    logs.write(settings, facts)
    # A worker is another Python: no file in the folder where we were started shall stand in for its modules.
    os.environ.setdefault("PYTHONSAFEPATH", "1")


def _loop_runner() -> Callable[..., bool]:
    if sys.platform == "win32":
        return asyncio.run
    import uvloop

    return uvloop.run


def _end(ended: bool) -> None:
    """End this process at once where a thread is left that doesn't end by itself."""
    if not ended:
        # A compiler can't be interrupted, and the interpreter's end would pull the floor from under it.
        # All that matters is closed.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


async def _run(
    settings: ServerSettings,
    say_ready: "Callable[[Ready], None]",
    *,
    with_parent: bool,
    shared: bool,
    order: "Order | None" = None,
) -> bool:
    """Serve until asked to stop. False: a thread is left that doesn't end by itself."""
    from parlour_server.app import App, Siblings
    from parlour_server.net.tls import TlsUnusable
    from parlour_server.processes import Ready
    from parlour_server.store.port import StoreLocked, StoreUnusable

    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    siblings = None if order is None else Siblings(order.command, _report)
    server = App(settings, stopping.set if shared else None, stopping.set, siblings)
    _handle_signals(stopping.set, server.reload_certificate)
    try:
        await server.start()
    except StoreLocked as error:
        fail(spoken(error), LOCKED)
    except (StoreUnusable, TlsUnusable) as error:
        fail(spoken(error))
    except OSError as error:
        fail(_explain(settings, error))
    # What stands now stands for good; and a move makes many short-lived objects and no cycles.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    sys.setswitchinterval(SWITCH_SECONDS)
    say_ready(Ready(server.url, server.port, server.games, server.addresses, server.admin))
    if with_parent:
        on_line = (lambda line: server.drain(float(line))) if order is not None else None
        threading.Thread(target=_watch_stdin, args=(loop, stopping.set, on_line), daemon=True).start()
    # A server that a command has started for itself may end soon: it compiles what is wanted.
    if order is not None or not with_parent:
        loop.call_later(COMPILE_AFTER_SECONDS, server.compile_missing)
    try:
        await stopping.wait()
    finally:
        ended = await server.stop()
    return ended


async def _run_processes(
    settings: ServerSettings, say_ready: "Callable[[Ready], None]", *, with_parent: bool
) -> None:
    """Serve by several processes until asked to stop."""
    from parlour_server.processes import Processes, ProcessFailed

    stopping = asyncio.Event()
    processes = Processes(settings, stopping.set)

    def stop() -> None:
        stopping.set()
        processes.terminate()

    _handle_signals(stop, processes.reload_certificates)
    try:
        ready = await processes.start()
        say_ready(ready)
        if with_parent:
            loop = asyncio.get_running_loop()
            threading.Thread(target=_watch_stdin, args=(loop, stop, None), daemon=True).start()
        await stopping.wait()
    except ProcessFailed as error:
        # It has printed why; or it was asked to stop.
        if not stopping.is_set():
            raise SystemExit(error.code) from None
    except OSError as error:
        fail(_explain(settings, error))
    finally:
        await processes.stop()


def _handle_signals(stop: Callable[[], None], reload: Callable[[], None]) -> None:
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop)
    # A script ignores it for what it starts in the background: its Ctrl-C is not for us.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGINT, stop)
    # Where it was ignored at the start, as by nohup, the server is to outlive the terminal.
    ends = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN and _has_terminal()
    loop.add_signal_handler(signal.SIGHUP, _hang_up, stop, reload, ends)


def _hang_up(stop: Callable[[], None], reload: Callable[[], None], ends_with_terminal: bool) -> None:
    """SIGHUP has the certificate read anew; and it is how a terminal says that it was closed."""
    if ends_with_terminal and not _has_terminal():
        stop()
    else:
        reload()


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _say_stopped(settings: ServerSettings) -> None:
    said = say(f"serve.stopped.{_kept_in(settings)}", data=settings.data_shown)
    # Over the ^C that a terminal shows.
    start = "\r" if sys.stdout.isatty() else ""
    try:
        print(f"{start}{said}", flush=True)
    except OSError:
        # It is not read any more, and Python would complain of that once more at its own end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _watch_stdin(
    loop: asyncio.AbstractEventLoop, stop: Callable[[], None], on_line: Callable[[bytes], None] | None
) -> None:
    """End when the parent process is gone: a killed one can't say so, but its pipe closes.

    Until then `on_line` is called with each line from it.
    """
    while line := _read_line():
        if on_line is not None:
            loop.call_soon_threadsafe(on_line, line)
    # It may be over already, and its loop closed.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(stop)


def _read_line() -> bytes:
    """A line of standard input; empty at its end. Without a buffer, whose lock a thread would keep."""
    line = b""
    while (one := os.read(0, 1)) not in (b"", b"\n"):
        line += one
    return line + one


# ---------------------------------------------------------------- what it says


def _report_ready(ready: "Ready") -> None:
    _report(asdict(ready))


def _report(fact: object) -> None:
    """Write a line for the command's process. Where that is gone this one is about to end, too."""
    with suppress(BrokenPipeError):
        os.write(1, json.dumps(fact).encode() + b"\n")


def _say_ready(settings: ServerSettings, ready: "Ready", *, as_json: bool, qr: bool) -> None:
    address = next(iter(ready.addresses), ready.url)
    if as_json:
        facts = {
            "url": address,
            "page": page_address(address),
            "port": ready.port,
            "data": settings.data_shown,
            "games": ready.games,
        }
        print(json.dumps(facts), flush=True)
    else:
        drawn = _qr_code(page_address(address)) if qr else []
        print("\n".join(drawn + _where(settings, ready)), flush=True)


def _where(settings: ServerSettings, server: "Ready") -> list[str]:
    """What a host reads once the server is ready. A command to copy has a line of its own."""
    usual = settings.database is None and settings.data == os.environ.get("PARLOUR_DATA", default_data())
    found = server.port == DEFAULT_PORT or usual
    there = "" if found else f" --server {server.url}"
    here = [
        say("serve.ready.terminal"),
        f"  parlour play tictactoe --vs human{there}",
        f"  parlour join CODE --as NAME{there}",
    ]
    if server.addresses:
        pages = [page_address(address) for address in server.addresses]
        lines = [
            say("serve.ready.page_of_network", page=pages[0]),
            *(f"  {say('serve.ready.or_page', page=page)}" for page in pages[1:]),
            *here[:-1],
            f"  parlour join {room_link(server.addresses[0], 'CODE')}",
        ]
    elif is_loopback(settings.host):
        lines = [
            say("serve.ready.page", page=page_address(server.url)),
            *here,
            say("serve.ready.this_machine"),
            "  --host 0.0.0.0" + ("" if settings.tls_cert else " --insecure"),
        ]
    else:
        lines = [
            say("serve.ready.page", page=page_address(server.url)),
            *here,
            say("serve.ready.no_network"),
        ]
    if settings.data == IN_MEMORY:
        return [*lines, say("serve.ready.kept_nowhere"), say("serve.ready.stops")]
    data, count = settings.data_shown, server.games
    kept = (
        say("serve.ready.kept_under_way", data=data, count=count)
        if count
        else say("serve.ready.kept", data=data)
    )
    return [*lines, kept, say(f"serve.ready.stops_{_kept_in(settings)}")]


def _kept_in(settings: ServerSettings) -> Literal["memory", "file", "database"]:
    if settings.data == IN_MEMORY:
        return "memory"
    return "file" if settings.database is None else "database"


def _qr_code(link: str) -> list[str]:
    """A link as a QR code for the terminal, black on white in whatever colours it has."""
    from parlour_protocol.qr_text import half_blocks
    from parlour_server.sessions.qr_code import qr_rows

    rows = qr_rows(link)
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        lines = [f"{BLACK_ON_WHITE}{line}{PLAIN}" for line in half_blocks(rows)]
    else:
        # Most terminals are dark.
        lines = half_blocks(rows, ink=".")
    try:
        "".join(lines).encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        print(say("serve.error.no_qr"), file=sys.stderr)
        return []
    return lines


# ---------------------------------------------------------------- settings


def _settings(given: dict[str, Any]) -> ServerSettings:
    try:
        return ServerSettings(**given)
    except ValidationError as error:
        fail(spoken(explain(error, given)), code=2)


def _refuse_plain_text_abroad(settings: ServerSettings) -> None:
    if settings.tls_key and not settings.tls_cert:
        fail(say("serve.error.tls_key_alone"), code=2)
    if not is_loopback(settings.host) and not settings.tls_cert and not settings.insecure:
        fail(say("serve.error.plain_text", host=settings.host), code=2)


def _refuse_processes(settings: ServerSettings) -> None:
    from parlour_server.processes import SPREAD

    if settings.database is None:
        count = str(settings.processes)
        fail(say("serve.error.processes_of_file", processes=count, data=settings.data), code=2)
    if not SPREAD:
        fail(say("serve.error.processes_elsewhere"), code=2)


def _explain(settings: ServerSettings, error: OSError) -> str:
    host, port = settings.host, str(settings.port)
    if error.errno == errno.EADDRINUSE:
        return say("serve.error.cant_listen_there", host=host, port=port)
    if error.errno == errno.EACCES and settings.port < FIRST_FREE_PORT:
        return say("serve.error.cant_listen_so_low", port=port)
    return say("serve.error.cant_listen", host=host, port=port, why=spoken(system_fault(error)))


# ---------------------------------------------------------------- the command's signature


_FLAGS = {
    "as_json": ("--json", "serve.flag.json", False),
    "qr": ("--qr", "serve.flag.qr", False),
    "with_parent": ("--with-parent", "serve.flag.with_parent", True),
    "shared": ("--shared", "serve.flag.shared", True),
    "supervised": ("--supervised", "serve.flag.supervised", True),
}
"""What is no setting: each with its option, its help, and whether it is for other programs alone."""


_VALUES = {
    "host": "ADDRESS",
    "data": "FILE",
    "tls_cert": "FILE",
    "tls_key": "FILE",
    "keep": "TIME",
    "keep_visitors": "TIME",
    "data_limit": "SIZE",
}


def _command() -> Any:
    """`serve`, with an option for every setting: they are named once, in `ServerSettings`."""

    def serve(**options: Any) -> None:
        flags = {name: options.pop(name) for name in _FLAGS}
        if flags.pop("supervised"):
            _serve_supervised()
            return
        given = {name: value for name, value in options.items() if value not in (None, [])}
        _serve(**flags, given=given)

    parameters = []
    for name, info in ServerSettings.model_fields.items():
        kind: Any = info.annotation
        shown = info.get_default(call_default_factory=True)
        flag = f"--{name.replace('_', '-')}"
        names = [f"{flag}/--no-{flag[2:]}"] if kind is bool and shown else [flag]
        help_ = say("serve.default", help=say(f"serve.option.{name}"), value=_shown(shown))
        value = None if kind is bool else _value_name(name, kind)
        option = typer.Option(*names, help=help_, show_default=False, metavar=value)
        optional: Any = list[str] if get_origin(kind) is list else kind | None
        parameters.append(_parameter(name, Annotated[optional, option], None))
    for name, (flag, id_, hidden) in _FLAGS.items():
        option = typer.Option(flag, help=say(id_), hidden=hidden)
        parameters.append(_parameter(name, Annotated[bool, option], False))
    serve.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    serve.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return serve


def _value_name(name: str, kind: Any) -> str | None:
    """What stands for a setting's value in the help; None where that lists the choices."""
    if name.endswith("_seconds"):
        return "SECONDS"
    if get_origin(kind) is list:
        return "LIST"
    return _VALUES.get(name) or ("NUMBER" if kind in (int, float) else None)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _shown(default: Any) -> str:
    if default is None or default == []:
        return say("serve.none")
    return str(default).lower() if isinstance(default, bool) else str(default)


app.add_typer(data_commands.app, name="data")
app.command(
    "compile", help=say("compile.help"), epilog=say("help.example", example="parlour compile connect4")
)(compile_games)
app.command(
    "game", help=say("trial.help"), epilog=say("help.example", example="parlour game --check mygame.py")
)(check_game)
app.command(
    " ".join(("ratings", "rebuild")),
    help=say("ratings.rebuild.help"),
    epilog=say("help.example", example="parlour ratings rebuild --data rooms.db"),
)(rebuild_ratings)
app.command(
    "serve",
    help=say("serve.help"),
    epilog=say("help.example", example="parlour serve --port 8765 --data rooms.db"),
)(_command())
