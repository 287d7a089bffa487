"""A room under load: two players, or one and a bot, who play game after game, one move under way at a time.

Every acceptance is held against the game's moves when it is over, and each player's folded view against a
fresh snapshot in the end: what the server said and what it kept must be the same.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from parlour_client.load.plan import Outcome
from parlour_client.load.player import PRESENCE, CommandRefused, Message, Player
from parlour_client.sdk.requests import new_id
from parlour_protocol.commands import (
    AskedBot,
    AskedSettings,
    CreateRoom,
    PlayerAction,
    PlayMove,
    SeatChoice,
    Subscribe,
    TakeSeat,
)
from parlour_protocol.words import say

PERSON = 0
BOT = "easy"
REST_SECONDS = 10.0
_AGAIN_SECONDS = 0.1
_MOVES_OF_MESSAGES = 0.75
"""The others are asking for rematches: two for five moves or more."""
_RESOLUTION = 0.001
"""A timer may go off so much too early."""


class Room:
    """A room whose players move by themselves (`run`) or at set times (`schedule`), until `halt`."""

    def __init__(
        self,
        url: str,
        number: int,
        outcome: Outcome,
        *,
        game: str = "tictactoe",
        bot: str | None = None,
        spectators: int = 0,
        headers: Mapping[str, str] | None = None,
        settings: AskedSettings | None = None,
        pause: float = 0.0,
    ) -> None:
        """`pause`: seconds that a player thinks before a move, where they move by themselves."""
        self.code = ""
        self.outcome = outcome
        self.measured = False
        """Are moves counted now?"""
        self.idle = False
        """Could a move be made, and is none due?"""
        self._game, self._bot, self._pause = game, bot, pause
        self._settings = settings or AskedSettings()
        if bot:
            # It has moved before the room counts as open: what a bot needs at first is ready then.
            self._settings = self._settings.model_copy(update={"starts": "second"})
        self._random = random.Random(number)  # noqa: S311 - moves, no secrets
        people = 1 if bot else 2

        def player(name: str, seat: int | None) -> Player:
            return Player(
                url,
                name,
                outcome,
                headers=headers,
                on_change=(lambda message: None) if seat is None else self._changes(seat),
                folds=seat is not None,
            )

        self.players = [player(f"Load {number} {'ab'[seat]}", seat) for seat in range(people)]
        self.spectators = [player(f"Load {number} s{one}", None) for one in range(spectators)]
        self._runs = False
        self._due: deque[float] = deque()
        self._under_way: float | None = None
        """When the move that is under way was due."""
        self._sent = 0.0
        self._seen_version = 0
        self._bot_since: float | None = None
        self._accepted: list[tuple[int, str]] = []
        self._final: list[str] | None = None
        self._number: int | None = None
        """Which of the room's games it is."""
        self._mover = 0
        self._ready = asyncio.Event()

    def _changes(self, seat: int) -> Callable[[Message], None]:
        return lambda message: self._changed(seat, message)

    # ------------------------------------------------------------ opening and closing

    async def open(self, seconds: float) -> None:
        """Make the room, sit down, await the first game. Raises `TimeoutError` and `CommandRefused`."""
        async with asyncio.timeout(seconds):
            await asyncio.gather(*(player.open(seconds) for player in self.players))
            first = self.players[PERSON]
            seats: list[SeatChoice] = ["me", AskedBot(bot=self._bot) if self._bot else "open"]
            create = CreateRoom(id=new_id(), game=self._game, settings=self._settings, seats=seats)
            self.code = first.room = (await first.ask(create, seconds))["room"]
            for player in self.players[1:]:
                player.room = self.code
                await player.ask(TakeSeat(id=new_id(), room=self.code), seconds)
            await self._ready.wait()
        self.outcome.rooms += 1

    async def open_spectators(self, seconds: float) -> None:
        """Let the spectators come; those whom the server refuses are counted as such."""
        for spectator in self.spectators:
            try:
                await spectator.open(seconds)
                spectator.room = self.code
                await spectator.ask(Subscribe(id=new_id(), room=self.code), seconds)
            except (CommandRefused, TimeoutError):
                spectator.close()
            else:
                self.outcome.spectators += 1

    async def rest(self) -> bool:
        """Wait until no move is under way and all commands are answered; False: that took too long."""
        end = time.monotonic() + REST_SECONDS
        # An event would cost something with each move, asking costs something here alone.
        while self._under_way is not None or self._due or any(player.waits for player in self.players):
            if time.monotonic() > end:
                self.outcome.missing += sum(player.waits for player in self.players)
                return False
            await asyncio.sleep(0.02)
        return True

    async def check(self) -> None:
        """Hold each player's view against a fresh snapshot."""
        for player in self.players:
            if not player.connected:
                continue
            mine, player.view = player.view, {}
            try:
                await player.ask(Subscribe(id=new_id(), room=self.code), REST_SECONDS)
                await player.shown(REST_SECONDS)
            except (CommandRefused, TimeoutError):
                self.outcome.missing += 1
                continue
            if mine.get("version") == player.view["version"] and _lasting(mine) != _lasting(player.view):
                names = [one for one in mine if one not in PRESENCE and mine[one] != player.view.get(one)]
                self.outcome.faults.append(
                    say(
                        "command.loadtest.has_another",
                        room=self.code,
                        name=player.name,
                        fields=", ".join(names),
                    )
                )

    def close(self) -> None:
        """Let everybody leave."""
        for player in (*self.players, *self.spectators):
            player.close()

    # ------------------------------------------------------------ when to move

    def run(self) -> None:
        """Let each move follow the one before."""
        self._runs = True
        self._advance()

    def schedule(self, due: float) -> None:
        """Make a move that is due at `due`, by `time.monotonic`, or as soon as the one before it was seen.

        Its time counts from `due` in either case: a slow server can't slow its own exam down.
        """
        self._due.append(due)
        if self.idle:
            self._advance()

    def halt(self) -> None:
        """Make no further moves."""
        self._runs = False
        self._due.clear()

    def count_in(self, outcome: Outcome, *, measured: bool) -> None:
        """Count somewhere else from now on."""
        self.outcome, self.measured = outcome, measured
        for player in (*self.players, *self.spectators):
            player.outcome = outcome

    def cut(self) -> None:
        """End a measurement here: what is due counts with the time that it has waited by now.

        Left out, the slowest moves would make the server look fast. The rest of their time counts after this.
        """
        now = time.monotonic()
        if self.measured:
            waiting = [due for due in self._due if due <= now]
            if self._under_way is not None:
                waiting.append(self._under_way)
            for due in waiting:
                self.outcome.latency.add(now - due)
        self._due = deque(max(due, now) for due in self._due)
        if self._under_way is not None:
            self._under_way = now
        if self._bot_since is not None:
            if self.measured:
                self.outcome.bot_answers.add(now - self._bot_since)
            self._bot_since = now
        self.measured = False

    @property
    def most_moves(self) -> float:
        """How many moves a second the server's message limit allows here."""
        return sum(player.most_messages for player in self.players) * _MOVES_OF_MESSAGES

    # ------------------------------------------------------------ the game

    def _changed(self, seat: int, message: Message) -> None:
        if message["type"] == "snapshot":
            self._caught_up(seat)
        else:
            match message["event"]["kind"]:
                case "move_played":
                    self._move_seen(seat, message)
                case "game_finished":
                    self._finished(seat, message["event"])
                case "game_started":
                    self._started(seat)
        self._advance()

    def _caught_up(self, seat: int) -> None:
        """A snapshot, after a connection was lost: a move that it holds was seen, but not when."""
        view = self.players[seat].view
        if view["phase"] == "playing":
            self._started(seat)
        is_new = self._under_way is not None and view["version"] > self._seen_version
        if is_new and seat == self._watcher and not self.players[self._mover].waits:
            self._seen(view["version"])
        if view["phase"] == "finished" and self._final is None:
            self._final = list(view["moves"])

    @property
    def _watcher(self) -> int:
        """Whose sight of a move counts: the other player's; against a bot the player's own."""
        return 0 if len(self.players) == 1 else 1 - self._mover

    def _move_seen(self, seat: int, message: Message) -> None:
        mover, now = message["event"]["seat"], time.monotonic()
        if len(self.players) == 1:
            if mover == seat:
                self._seen(message["version"])
                self._bot_since = now
            elif self._bot_since is not None:
                if self.measured:
                    self.outcome.bot_answers.add(now - self._bot_since)
                self._bot_since = None
        elif mover != seat:
            self._seen(message["version"])

    def _seen(self, version: int) -> None:
        """The other side has seen the move that was under way."""
        self._seen_version = max(version, self._seen_version)
        if self._under_way is None:
            return
        if self.measured:
            self.outcome.moves += 1
            self.outcome.latency.add(time.monotonic() - self._under_way)
        self._under_way = None

    def _finished(self, seat: int, event: Mapping[str, Any]) -> None:
        if self._final is not None:
            return
        self._final = list(self.players[seat].view["moves"])
        self._bot_since = None
        if self.measured:
            self.outcome.games += 1
            if event["termination"].startswith("time"):
                self.outcome.lost_on_time += 1
        if event["termination"].startswith("time"):
            self._under_way = None

    def _started(self, seat: int) -> None:
        number = self.players[seat].view["game_number"]
        if number == self._number:
            return  # the other player has seen it before
        self._number = number
        if self._final is not None:
            self._check_game(self._final)
        self._accepted, self._final = [], None

    def _check_game(self, kept: list[str]) -> None:
        """Every acceptance stands among the game's moves once, and nothing else does."""
        self.outcome.checked_games += 1
        accepted = [move for _, move in sorted(self._accepted)]
        # Against a bot the person's moves are every second one.
        possible = [kept[0::2], kept[1::2]] if len(self.players) == 1 else [kept]
        if accepted not in possible:
            moves = {"accepted": " ".join(accepted), "kept": " ".join(kept)}
            self.outcome.faults.append(say("command.loadtest.another_game", room=self.code, **moves))

    def _advance(self) -> None:
        """Make the next move, or ask for the next game, if it is time for it."""
        self.idle = False
        if self._under_way is not None or any(player.waits for player in self.players):
            return
        views = [player.view for player in self.players]
        if not all(views):
            return
        phase = views[0]["phase"]
        if all(view["phase"] == "finished" for view in views):
            self._ask_rematch()
            return
        if phase != "playing" or len({view["version"] for view in views}) != 1:
            return
        turn = views[0].get("turn")
        if turn is None or turn["seat"] >= len(self.players):
            return
        self._ready.set()
        self._mover = turn["seat"]
        now = time.monotonic()
        if self._due:
            if self._due[0] <= now + _RESOLUTION:
                self._play(self._due.popleft())
        elif self._runs:
            pause = max(self._pause, self.players[self._mover].delay())
            if pause:
                self._due.append(now + pause)
                asyncio.get_running_loop().call_later(pause, self._advance)
            else:
                self._play(now)
        else:
            self.idle = True

    def _ask_rematch(self) -> None:
        for player in self.players:
            seat = player.view["you"]
            if player.view["offers"].get("rematch") != seat:
                rematch = PlayerAction(id=new_id(), room=self.code, type="rematch")
                player.request(rematch, lambda answer: self._advance())

    def _play(self, due: float) -> None:
        player = self.players[self._mover]
        view = player.view
        move = self._random.choice(view["position"]["legal"])
        now = time.monotonic()
        if self.measured:
            self.outcome.late.add(max(0.0, now - due))
        self._under_way = due
        command = PlayMove(id=new_id(), room=self.code, version=view["version"], move=move)
        player.request(command, lambda answer: self._answered(move, answer))

    def _answered(self, move: str, answer: Message) -> None:
        if answer["type"] == "accepted":
            self._accepted.append((answer["version"], move))
            shown = self.players[self._watcher].view.get("version", 0)
            if self._under_way is not None and shown >= answer["version"]:
                # It was in a snapshot, before the player who made it had come back and heard of it.
                self._seen(answer["version"])
        else:
            self._under_way = None
            asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self._advance)
            return
        self._advance()


def _lasting(view: Message) -> Message:
    return {name: value for name, value in view.items() if name not in PRESENCE}
