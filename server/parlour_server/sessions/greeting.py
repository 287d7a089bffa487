"""A connection until it has a player: its hello finds one by token or carry code, or makes a new one.

    waits --hello--> looks up --welcome--> (the session goes on)
      |  ^              |
      |  +---refused----+
      +--deadline--> closed

What comes in while a hello is looked up waits for its answer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Literal

import structlog

from parlour_protocol import PROTOCOL_VERSION, answers, commands
from parlour_protocol.errors import CloseCode, Code
from parlour_protocol.views.rooms import Limits
from parlour_protocol.words import Sentence
from parlour_server import __version__
from parlour_server.hosting.carry_codes import CarryCodes
from parlour_server.hosting.context import Context
from parlour_server.hosting.limits.bans import ban_sentence
from parlour_server.hosting.limits.rate_limits import Limited
from parlour_server.refusals import Refusal
from parlour_server.sessions.names import clean_name, hash_token
from parlour_server.store.port import MORE_TOKENS, Player, StoreError, StoreFull

log = structlog.get_logger()

LOOK_UP_AGAIN_SECONDS = 1.0
EARLY_MESSAGES = 64
"""How many messages may come in while a hello is looked up."""


class Greeting:
    """Answers hellos until one is welcomed; the session's until then, or until `close`.

    `shared`: does the server end when its last player has left? `refuse` answers a command, and `cut` ends
    the connection. `welcomed` is called with the welcome and the hash of the player's token, then `go_on`
    with each message that has waited.
    """

    def __init__(
        self,
        context: Context,
        carry_codes: CarryCodes,
        connection: Limited,
        *,
        shared: bool,
        facts: dict[str, str],
        refuse: Callable[[str, Refusal], None],
        cut: Callable[[Literal["no_hello", "banned"], str, int], None],
        welcomed: Callable[[answers.Welcome, str], None],
        go_on: Callable[[commands.Command[Any]], None],
    ) -> None:
        self._context, self._carry_codes, self._connection = context, carry_codes, connection
        self._shared, self._facts = shared, facts
        self._refuse, self._cut, self._welcomed, self._go_on = refuse, cut, welcomed, go_on
        self._looks_up = False
        self._early: list[commands.Command[Any]] = []
        self._closed = False
        self._deadline = context.later(context.limits.hello_seconds, self._too_late)

    def receive(self, message: commands.Command[Any]) -> None:
        """Take a message."""
        if self._looks_up and len(self._early) < EARLY_MESSAGES:
            self._early.append(message)
        elif self._looks_up:
            self._refuse(message.id, Refusal(Code.HELLO_FIRST, Sentence("refusal.wait_for_welcome")))
        elif isinstance(message, commands.Hello):
            self._looks_up = True
            refuse = partial(self._refused, message)
            self._context.spawn(self._greet(message), refuse, message=message.type, **self._facts)
        else:
            self._refuse(message.id, Refusal(Code.HELLO_FIRST, Sentence("refusal.hello_first")))

    def close(self) -> None:
        """The connection has ended."""
        self._closed = True
        self._deadline.cancel()

    def _too_late(self) -> None:
        seconds = f"{self._context.limits.hello_seconds:g}"
        self._cut("no_hello", Sentence("refusal.no_hello", seconds=seconds), CloseCode.NO_HELLO)

    async def _greet(self, hello: commands.Hello) -> None:
        welcome, token_hash = await self._welcome(hello)
        # One commit may have brought hundreds.
        await self._context.arrivals.turn()
        if self._closed:
            return
        self._deadline.cancel()
        self._welcomed(welcome, token_hash)
        for message in self._early:
            if not self._closed:
                self._go_on(message)

    def _refused(self, hello: commands.Hello, refusal: Refusal) -> None:
        self._refuse(hello.id, refusal)
        if refusal.code is Code.BANNED:
            self._cut("banned", refusal.message, CloseCode.TURNED_AWAY)
        self._looks_up = False
        early, self._early = self._early, []
        for message in early:
            # One of them may be another hello.
            if not self._closed:
                self.receive(message)

    async def _welcome(self, hello: commands.Hello) -> tuple[answers.Welcome, str]:
        """The welcome, and the hash of the player's token. Raises `Refusal`."""
        if PROTOCOL_VERSION not in hello.protocols:
            raise Refusal(Code.UNSUPPORTED_PROTOCOL, Sentence("refusal.protocol", version=PROTOCOL_VERSION))
        name, token = hello.name, hello.token
        if hello.carry is None or name:
            name = clean_name(name)
        self._check_bans("", name)
        if hello.carry is not None:
            if token is not None:
                raise Refusal(Code.BAD_MESSAGE, Sentence("refusal.token_and_carry"))
            # Last, since it can be done once.
            player, name, token = await self._carried(hello.carry, name)
        elif token is None:
            self._context.rate_limits.take("new_player", self._connection)
            player, token = await self._new_player(name)
        else:
            player = await self._find_player(token)
        self._check_bans(player.id, name)
        limits = self._context.limits
        welcome = answers.Welcome(
            id=hello.id,
            protocol=PROTOCOL_VERSION,
            server=f"parlour {__version__}",
            player=player.id,
            name=name,
            limits=Limits(
                limits.message_bytes, limits.messages_per_second, limits.burst, limits.heartbeat_seconds
            ),
            token=token if hello.token is None else None,
            address=self._context.address,
            saved=self._context.saved,
            shared=self._shared,
            rated=True if limits.rated else None,
        )
        return welcome, hash_token(token)

    async def _find_player(self, token: str) -> Player:
        """The player whose token it is. Raises `Refusal`."""
        try:
            player = await self._context.store.find_player(hash_token(token))
        except StoreError as error:
            log.error("a player can't be looked up", reason=str(error), **self._facts)
            said = Sentence("refusal.player_not_found_now")
            raise Refusal(Code.INTERNAL, said, retry_after=LOOK_UP_AGAIN_SECONDS) from error
        if player is None:
            raise Refusal(Code.WRONG_TOKEN, Sentence("refusal.unknown_token", count=1 + MORE_TOKENS))
        return player

    async def _new_player(self, name: str) -> tuple[Player, str]:
        """Make a new player; with the token. Raises `Refusal`."""
        player, token = Player(self._context.new_player_id(), name), self._context.new_token()
        with self._saving():
            await self._context.store.add_player(hash_token(token), player, self._context.now())
        self._context.counters.players_new += 1
        return player, token

    async def _carried(self, code: str, name: str) -> tuple[Player, str, str]:
        """Use up a carry code: the player, the name from now on, and a token of this device's own.

        Raises `Refusal`: then the code stays good, unless it was none.
        """
        self._context.rate_limits.check("wrong_code", self._connection)
        player = await self._carry_codes.redeem(code)
        if player is None:
            self._context.rate_limits.charge("wrong_code", self._connection)
            raise _unknown_carry()
        name, token = name or player.name, self._context.new_token()
        try:
            self._check_bans(player.id, name)
            with self._saving():
                known = await self._context.store.add_token(hash_token(token), player.id)
        except Refusal:
            with suppress(StoreError):
                await self._carry_codes.restore(code, player)
            raise
        if not known:
            raise _unknown_carry()
        return player, name, token

    @contextmanager
    def _saving(self) -> Iterator[None]:
        """Raises `Refusal` where a player is not saved."""
        try:
            yield
        except StoreFull as error:
            log.error("a player was not saved", reason=str(error), **self._facts)
            said = Sentence("refusal.no_more_players")
            raise Refusal(Code.SERVER_FULL, said, retry_after=60.0) from error
        except StoreError as error:
            log.error("a player was not saved", reason=str(error), **self._facts)
            said = Sentence("refusal.player_not_saved")
            raise Refusal(Code.NOT_SAVED, said, retry_after=2.0) from error

    def _check_bans(self, player: str, name: str) -> None:
        check_ban(self._context, player, name, self._connection.address)


def check_ban(context: Context, player: str, name: str, address: str) -> None:
    """Raises `Refusal` where the player, the name or the address is banned."""
    ban = context.bans.of_player(player, name) or context.bans.of_address(address)
    if ban is not None:
        raise Refusal(Code.BANNED, ban_sentence(ban, context.now()))


def _unknown_carry() -> Refusal:
    return Refusal(Code.UNKNOWN_CARRY, Sentence("refusal.unknown_carry"))
