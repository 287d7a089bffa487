"""A match or a tournament is played: with a bar, into its file, and stopped at any moment."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from parlour_client.cli.match_file import games_of, whole_pairs
from parlour_client.matches import match, tournament
from parlour_client.matches import plan as plans
from parlour_client.matches.referee import referee
from parlour_client.matches.workers import Workers, workers
from parlour_client.render.progress import bar
from parlour_client.sdk.errors import ParlourError, UsageError
from parlour_protocol.words import say

if TYPE_CHECKING:
    from parlour_client.cli.match_file import MatchFile
    from parlour_client.matches.pair import PlayedPair
    from parlour_client.matches.plan import AnyPlan
    from parlour_client.matches.referee import Referee
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
            what = "arena" if plan.kind == "match" else "tournament"
            here.note(say(f"command.{what}.goes_on", count=plans.PAIR * len(done)))
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


def replay(
    here: "Screen", manifest: Path, kind: Literal["match", "tournament"], places: tuple[int, str | None]
) -> None:
    """Play all games of a manifest's file again, and compare each with what the file has.

    Raises `UsageError` where they can't be played here, and `ParlourError` where one is another.
    """
    games, plan = games_of(manifest), plans.read(manifest)
    if plan.kind != kind:
        raise UsageError(say(f"error.{plan.kind}_manifest", file=str(manifest)))
    for one in plan.entrants:
        if one.digest is not None and plans.digest_of(one.bot) != one.digest:
            raise UsageError(say("error.bot_changed", bot=one.bot, file=repr(str(manifest))))
    note_versions(here, plan)
    judges = [referee(game) for game in plan.plays]
    warn_of_time(here, judges, plan)
    kept = {pair.number: pair for pair in whole_pairs(games, strict=True)}
    count, same = plans.PAIR * len(kept), set[int]()
    for judge in judges:
        judge.prepare()
    if isinstance(plan, plans.Plan):
        tasks = match.tasks_of(judges[0], plan)
    else:
        tasks = tournament.tasks_of(plan, kept.values())
    wanted = (task for task in tasks if task.number in kept)
    with bar(here, say("command.arena.games"), count) as progress, workers(*places) as at_work:
        again = 0

        def played(pair: "PlayedPair") -> None:
            nonlocal again
            again += plans.PAIR
            both = zip(pair.records, kept[pair.number].records, strict=True)
            same.update(now.number for now, then in both if now == then)
            progress(again)

        at_work.play(lambda: wanted, played)
    # A game that is no part of it is another one, too.
    differ = sorted({record.number for pair in kept.values() for record in pair.records} - same)
    if here.as_json:
        here.emit({"games": count, "differ": differ})
    elif not differ:
        here.say(say("command.arena.same", count=count))
    if differ:
        raise ParlourError(say("command.arena.differs", count=len(differ), of=count, game=str(differ[0])))


def warn_of_time(here: "Screen", judges: "Sequence[Referee]", plan: "AnyPlan") -> None:
    """Say where the seed can't keep its promise, and what would help."""
    for bot in dict.fromkeys(one.bot for one in plan.entrants if one.timed):
        judge = next(one for one in judges if one.bot(bot).timed)
        here.note(
            say("command.arena.timed", bot=bot, game=judge.name, bound=judge.bounded(judge.bot(bot).spec))
        )


def note_versions(here: "Screen", plan: "AnyPlan") -> None:
    """Say what of another version than here a match was begun with."""
    for package, version in plans.versions().items():
        if (before := plan.versions.get(package)) != version:
            here.note(say("command.arena.other_version", package=package, before=before or "-", now=version))
