"""What one viewer sees of a tournament."""

from collections.abc import Collection

from parlour_protocol.views.tournaments import (
    BoardLine,
    EntrantLine,
    TournamentAction,
    TournamentLine,
    TournamentView,
)
from parlour_server.tournament.decide import FEWEST, may_join
from parlour_server.tournament.standings import cross_table, standings
from parlour_server.tournament.state import Entrant, Pair, TournamentState

BOARDS_SHOWN = 100
"""Of an evening's boards the last ones are shown; a round's are shown where they are asked for."""


def tournament_view(
    state: TournamentState,
    code: str,
    viewer: str,
    here: Collection[int],
    now: int,
    round_: int | None = None,
) -> TournamentView:
    """The tournament as of now, for a player; `here`: the numbers of those who are connected.

    With the boards of a round, or those where games run and the last ones.
    """
    order = standings(state)
    heads, results = cross_table(state, order)
    entrants = []
    for line, cells in zip(order, results, strict=True):
        one = state.entrants[line.number - 1]
        entrants.append(
            EntrantLine(
                one.number,
                line.rank,
                one.name,
                line.points,
                line.wins,
                line.draws,
                line.losses,
                line.buchholz,
                line.sonneborn_berger,
                one.bot,
                one.program,
                one.number in here or state.phase == "over",
                one.withdrawn,
                line.streak,
                cells,
            )
        )
    own = state.entrant_of(viewer) if viewer else None
    last = state.rounds[-1] if state.rounds else None
    return TournamentView(
        code,
        state.version,
        state.title,
        state.host_name,
        state.settings,
        state.phase,
        len(state.rounds),
        entrants,
        [_board(state, pair) for pair in _pairs(state, round_)],
        [] if last is None or last.done else last.byes,
        heads,
        _may(state, viewer, own, now),
        now,
        state.settings.rounds_of(len(state.entrants)),
        None if state.is_arena else state.due_at,
        state.ends_at,
        state.early,
        None if own is None else own.number,
        None if own is None else _room_of(state, own.number),
    )


def tournament_line(state: TournamentState, code: str) -> TournamentLine:
    """The tournament in a list."""
    return TournamentLine(
        code,
        state.title,
        state.settings.game,
        state.settings.format,
        state.phase,
        len(state.active()),
        len(state.rounds),
        state.settings.rounds_of(len(state.entrants)),
    )


def _pairs(state: TournamentState, round_: int | None) -> list[Pair]:
    if round_ is not None:
        return state.rounds[round_ - 1].pairs if round_ <= len(state.rounds) else []
    found = [pair for one in reversed(state.rounds) for pair in one.pairs]
    running = [pair for pair in found if not pair.done]
    over = [pair for pair in found if pair.done][: max(0, BOARDS_SHOWN - len(running))]
    return sorted([*running, *over], key=lambda pair: (-pair.round, pair.board))


def _board(state: TournamentState, pair: Pair) -> BoardLine:
    names = [state.entrants[number - 1].name for number in pair.both]
    rooms = [game.room for game in pair.games if game.room and not game.annulled]
    standing = "done" if pair.done else "playing" if pair.games[-1].room else "waiting"
    points = pair.points if pair.done and pair.forfeited else pair.sums
    score = f"{points[0]:g}-{points[1]:g}" if pair.counted else ""
    return BoardLine(
        pair.round,
        pair.board,
        pair.first,
        pair.second,
        names,
        standing,  # type: ignore[arg-type]
        rooms,
        score,
        pair.forfeited,
    )


def _room_of(state: TournamentState, number: int) -> str | None:
    return next((game.room for pair, game in state.open_games() if number in pair.both and game.room), None)


def _may(state: TournamentState, viewer: str, own: Entrant | None, now: int) -> list[TournamentAction]:
    """What is open to a viewer; what it needs beside (a board, say) is checked when it is asked for."""
    may: list[TournamentAction] = []
    if state.phase == "over":
        return may
    inside = own is not None and not own.withdrawn
    if not inside and (
        may_join(state, now) or (own is not None and state.settings.format in ("swiss", "arena"))
    ):
        may.append("join")
    if inside:
        may.append("withdraw")
    if not viewer or viewer != state.host:
        return may
    if may_join(state, now):
        may.append("enter")
    if state.phase == "joining":
        may += ["start"] if len(state.active()) >= FEWEST else []
        return [*may, "remove", "end"]
    return [*may, "remove", "forfeit", "replay", "end"]
