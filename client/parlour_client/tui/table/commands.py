"""What a table's player sends: at once it is said to be on its way, then what came of it."""

from collections.abc import Awaitable
from typing import Any

from textual import events

from parlour_client import sentences
from parlour_client.faults import Fault, Refused
from parlour_client.tui.table.display import Answers, Display
from parlour_client.tui.told import told

REFUSED_SECONDS = 8.0
"""For so long a refusal is told, unless something is done before."""
BOT = "medium"
"""Who is called where one does not want to wait for a friend."""


EARLIER = "That is an earlier board: end leads back to the game."


class Commands(Display):
    """Nothing here waits; a question that stands takes the next key."""

    def _send(self, said: str, asking: Awaitable[Any]) -> None:
        """Send something: at once it is said to be on its way, then what comes of it."""
        self._forget_refusal()
        self._sent_so_far += 1
        number = self._sent_so_far
        self._on_the_way[number] = said
        self._refresh()

        async def wait() -> None:
            try:
                await asking
            except Fault as fault:
                if not self._was_left():
                    self._refuse(told(fault))
                elif isinstance(fault, Refused):
                    self.notify(told(fault), severity="error", markup=False)
            finally:
                self._on_the_way.pop(number, None)
            if not self._was_left():
                self._refresh()

        # The application's: who leaves the table before an answer has come calls nothing back.
        self.app.run_worker(wait(), group="commands")

    def _was_left(self) -> bool:
        return self not in self.app.screen_stack

    def _refuse(self, sentence: str) -> None:
        self._board.unsend()
        self._refusal = sentence
        if self._forgetting is not None:
            self._forgetting.stop()
        self._forgetting = self.set_timer(REFUSED_SECONDS, self._forget_refusal)
        self._refresh()

    def _forget_refusal(self) -> None:
        if self._forgetting is not None:
            self._forgetting.stop()
            self._forgetting = None
        if self._refusal:
            self._refusal = ""
            self._show_words(self._now())

    def _play(self, move: str) -> None:
        if self._moved:
            return  # pressed twice in haste
        self._moved = True
        self._board.send(move)
        # For the board that its player saw: the room may know a newer one already.
        self._send(f"{move} is on its way", self._play_at(self._shown.version, move))

    async def _play_at(self, version: int, move: str) -> None:
        try:
            await self._room.play(move, version=version)
        except Fault:
            self._moved = False
            raise

    def on_key(self, event: events.Key) -> None:
        """A question that stands takes the next key; what was refused is forgotten by it."""
        if self._question is None:
            if self._ply is not None and self._is_your_turn() and self._would_play(event):
                self._refuse(EARLIER)
            return
        _, answers = self._question
        event.stop()
        event.prevent_default()
        self._unask()
        _, answer = answers.get(event.key, ("", None))
        if answer is not None:
            answer()
        self._refresh()

    def _would_play(self, event: events.Key) -> bool:
        """Would this key make a move, or begin one, on the board as it stands?"""
        sign = event.is_printable and event.key != "space" and not self._command(event.key)
        return self._board.has_focus and (sign or event.key == "enter")

    def _unask(self) -> None:
        self._question = None
        self._board.listening = True

    def _ask(self, question: str, answers: Answers) -> None:
        self._forget_refusal()
        self._question = (question, answers)
        self._board.listening = False
        self._board.focus()
        self._refresh()

    # ------------------------------------------------------------ one key each

    def action_answer(self, agree: bool) -> None:
        """Answer the offer that stands; of several the first, and the next one then."""
        offers = sentences.standing_offers(self.view)
        if not offers:
            return
        offer = offers[0]
        if not agree:
            self._send("declining", self._room.decline(offer))
        elif offer == "draw":
            self._send("agreeing to a draw", self._room.offer_draw())
        elif offer == "takeback":
            self._send("giving the move back", self._room.ask_takeback())
        else:
            self._send("agreeing to another game", self._room.rematch())

    def action_offer_draw(self) -> None:
        """Offer a draw, or take the one that is offered."""
        self._send("offering a draw", self._room.offer_draw())

    def action_takeback(self) -> None:
        """Ask for one's last move back."""
        self._send("asking for the move back", self._room.ask_takeback())

    def action_resign(self) -> None:
        """Give the game up, after a question."""
        self._ask(
            "Give this game up? y or n",
            {"y": ("Yes", lambda: self._send("giving the game up", self._room.resign())), "n": ("No", None)},
        )

    def action_abort(self) -> None:
        """End a game that has hardly begun."""
        self._send("ending the game", self._room.abort())

    def action_claim(self) -> None:
        """Take the game, a draw or a bot, where the other has stayed away."""
        self._ask(
            "Claim w the win, d a draw, or b have a bot play on?",
            {
                "w": ("The win", lambda: self._send("claiming the win", self._room.claim("win"))),
                "d": ("A draw", lambda: self._send("claiming a draw", self._room.claim("draw"))),
                "b": ("A bot", lambda: self._send("calling a bot", self._room.claim("bot"))),
                "escape": ("Wait on", None),
            },
        )

    def action_take_over(self) -> None:
        """Sit down where a bot sits, and play on."""
        self._send("sitting down", self._room.take_over())

    def action_sit(self) -> None:
        """Take the free seat."""
        self._send("sitting down", self._room.sit())

    def action_bot(self) -> None:
        """Have a bot take the free seat."""
        self._send("calling a bot", self._room.add_bot(BOT))

    def action_rematch(self) -> None:
        """Ask for another game."""
        self._send("asking for another game", self._room.rematch())
