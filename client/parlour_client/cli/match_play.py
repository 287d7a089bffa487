"""A match or a tournament is played: with a bar, into its file, and stopped at any moment."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from parlour_client.matches import plan as plans
from parlour_client.matches.workers import Workers, workers
from parlour_client.render.progress import bar
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.cli.match_file import MatchFile
    from parlour_client.matches.pair import PlayedPair
    from parlour_client.matches.plan import AnyPlan
    from parlour_client.render.console import Screen


class Counting(Protocol):
    """What counts the pairs that are played."""

    @property
    def games(self) -> int:
        """How many games are counted."""

    @property
    def title(self) -> str:
        """How it goes, in a few words."""

    def add(self, pair: "PlayedPair") -> None:
        """Take a pair."""

    def counts(self, number: int) -> bool:
        """Does the pair of this number count, or may it yet?"""


Run = Callable[[Workers, set[int], Callable[["PlayedPair"], None]], None]
"""Plays all pairs but those that are done, and calls with each that is over."""


def play(
    here: "Screen",
    plan: "AnyPlan",
    kept: "MatchFile | None",
    places: tuple[int, str | None],
    counting: Counting,
    expected: int | None,
    run: Run,
    show: Callable[[], None],
) -> None:
    """Play, from where the file ends, and `show` how it went; where that is stopped, as far as it went.

    `places`: how many processes here, or the address of a Dask scheduler. The file is touched only once
    nothing can keep the match from beginning.
    """
    done = set[int]()
    with workers(*places) as at_work:
        if kept is not None:
            kept.open(plan)
            if kept.begun is not None:
                note_versions(here, kept.begun)
            for pair in kept.pairs:
                done.add(pair.number)
                counting.add(pair)
        if done:
            here.note(say("command.arena.goes_on", count=plans.PAIR * len(done)))
        try:
            with bar(here, say("command.arena.games"), expected) as progress:

                def played(pair: "PlayedPair") -> None:
                    if kept is not None:
                        kept.add(pair)
                    counting.add(pair)
                    progress(counting.games, expected, counting.title)

                run(at_work, done, played)
        except KeyboardInterrupt:
            here.note(say("command.stopped"))
            raise
        finally:
            # Only now: the bar has left the terminal, and the file is whole.
            count = 0 if kept is None else kept.close(counting.counts)
            if counting.games:
                show()
            if kept is not None:
                here.note(say("command.arena.written", count=count, file=str(kept.path)))


def note_versions(here: "Screen", plan: "AnyPlan") -> None:
    """Say what of another version than here a match was begun with."""
    for package, version in plans.versions().items():
        if (before := plan.versions.get(package)) != version:
            here.note(say("command.arena.other_version", package=package, before=before or "-", now=version))
