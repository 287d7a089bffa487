"""The games that end in this server's rooms, for those who subscribe to them."""

from collections.abc import Callable

import structlog

from parlour_server.store.finished_games import FinishedGame

log = structlog.get_logger()

Subscriber = Callable[[FinishedGame], None]


class FinishedGames:
    """Calls its subscribers with each game that has ended in a room which is in memory here.

    It has been saved by then, by this node or by another one: several may publish the same game, and after a
    crash none does. What has to count each game once reads `Store.finished_games`, as a projection does.
    """

    def __init__(self) -> None:
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call back from now on; gives what ends the subscription."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def publish(self, game: FinishedGame) -> None:
        """A game has ended, and is saved."""
        for subscriber in list(self._subscribers):
            try:
                subscriber(game)
            except Exception as error:
                # The room, and the others that subscribe, go on.
                log.error("a subscriber failed to take a finished game", room=game.room, exc_info=error)
