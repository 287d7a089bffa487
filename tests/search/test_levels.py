from contextlib import nullcontext
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour_protocol.views.reports import Report
from parlour_server.games import find_game
from parlour_server.games.mnk import MNK, TICTACTOE, Position
from parlour_server.search.control import Control
from parlour_server.search.kernels import compiled, numba_modules
from parlour_server.search.levels import (
    KINDS,
    SETTINGS,
    BadSetting,
    BotSpec,
    InvalidBot,
    UnknownBot,
    kind_of,
    parse_bot,
    with_seed,
)
from parlour_server.search.thinking import analyse, list_bots, open_ended, plays, think, uses_machine_code
from tests.search.positions import Nim, solution, unfinished

LEVELS = ["easy", "medium", "hard", "perfect"]
NAMES = [*LEVELS, "minimax", "alphabeta", "engine", "mcts", "random"]


def move_of(bot: str, position: Position, number: int = 1) -> str:
    report = think(TICTACTOE, position, parse_bot(bot), move_number=number, control=Control())
    assert report.best is not None
    return report.best


def play_out(first: str, second: str, game_number: int) -> int:
    """A whole game between two bots: 1 if the first won, -1 if the second did, 0 for a draw."""
    position = TICTACTOE.initial()
    for ply in range(9):
        bot = (first, second)[ply % 2]
        best = move_of(bot, position, game_number * 1000 + ply)
        position = TICTACTOE.result(position, TICTACTOE.parse(position, best))
        if TICTACTOE.outcome(position) is not None:
            break
    return TICTACTOE.utility(position)


# ---------------------------------------------------------------- writing and reading


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("minimax", BotSpec("minimax")),
        ("minimax:depth=4,seed=7", BotSpec("minimax", depth=4, seed=7)),
        (" MiniMax : SEED = 7 , depth=04 ", BotSpec("minimax", depth=4, seed=7)),
        ("random:seed=1", BotSpec("random", seed=1)),
        ("alphabeta:depth=5", BotSpec("alphabeta", depth=5)),
        ("easy:seed=0", BotSpec("easy", seed=0)),
        ("hard:time=.5,nodes=900", BotSpec("hard", nodes=900, time=0.5)),
        (f"perfect:seed={2**63 - 1}", BotSpec("perfect", seed=2**63 - 1)),
    ],
)
def test_reading(text: str, spec: BotSpec) -> None:
    assert parse_bot(text) == spec


def values(name: str) -> st.SearchStrategy[float | None]:
    """What a setting may be, or that it is not given."""
    setting, parts = SETTINGS[name], 1 if SETTINGS[name].whole else 100
    numbers = st.integers(round(parts * setting.least), round(parts * setting.greatest))
    return st.none() | (numbers if setting.whole else numbers.map(lambda number: number / parts))


SPECS = st.sampled_from(NAMES).flatmap(
    lambda name: st.builds(BotSpec, st.just(name), **{one: values(one) for one in KINDS[name].settings})
)


@given(SPECS)
def test_what_is_written_can_be_read(spec: BotSpec) -> None:
    assert parse_bot(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", f"Name a bot. Choose one of: {', '.join(NAMES)}."),
        ("  ", "Name a bot. "),
        (":depth=4", "Name a bot. "),
        ("stockfish", "There is no bot 'stockfish'. Choose one of: easy, medium, "),
        ("mini max", "There is no bot 'mini max'. "),
        ("x" * 100_000, "There is no bot 'xxxxxxxxxxxxxxxx...'. "),
        ("\x1b[2Jbot", "There is no bot '?[2jbot'. "),
    ],
)
def test_unknown_bots(text: str, says: str) -> None:
    with pytest.raises(UnknownBot) as caught:
        parse_bot(text)
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "minimax:",
            "A setting is missing in 'minimax:': minimax takes depth=NUMBER, ",
        ),
        ("minimax:depth=4,", "A setting is missing in 'minimax:depth=4,': "),
        ("minimax:depth", "'depth' is not a setting: "),
        ("minimax:=4", "'=4' is not a setting: "),
        (
            "minimax:depht=4",
            "minimax has no setting 'depht': minimax takes depth=NUMBER, ",
        ),
        ("easy:depth=4", "easy has no setting 'depth': easy takes seed=NUMBER."),
        ("random:name=4", "random has no setting 'name': "),
        ("minimax:depth=4,depth=4", "depth is given twice: give it once."),
        ("minimax:depth=x", "depth must be a whole number from 1 to 99, not 'x'."),
        ("minimax:depth=", "depth must be a whole number from 1 to 99, not ''."),
        ("minimax:depth=4.0", "depth must be a whole number from 1 to 99, not '4.0'."),
        ("minimax:depth=-1", "depth must be a whole number from 1 to 99, not '-1'."),
        ("minimax:depth=0", "depth must be "),
        ("minimax:depth=100", "depth must be "),
        ("minimax:depth=４", "depth must be "),
        ("engine:nodes=0", "nodes must be a whole number from 1 to 1000000000000, not '0'."),
        ("hard:time=1e9", "time must be a number from 0.01 to 3600, not '1e9'."),
        ("hard:time=1000000000", "time must be a number from 0.01 to 3600, not '1000000000'."),
        ("hard:time=-1", "time must be "),
        ("hard:time=0", "time must be "),
        ("hard:time=nan", "time must be "),
        ("minimax:nodes=5", "minimax has no setting 'nodes': "),
        ("minimax:depth=1_0", "depth must be "),
        ("minimax:depth=4=4", "depth must be "),
        (f"random:seed={2**63}", f"seed must be a whole number from 0 to {2**63 - 1}, not "),
        ("random:seed=" + "9" * 100_000, "seed must be "),
        ("minimax:seed=\x1b[2J", f"seed must be a whole number from 0 to {2**63 - 1}, not '?[2j'."),
    ],
)
def test_bad_settings(text: str, says: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_bot(text)
    assert str(caught.value).startswith(says)
    assert len(str(caught.value)) < 150


@given(st.text() | st.from_regex(r"(minimax|easy):[a-z=0-9,]*"))
def test_any_text_is_a_bot_or_an_error(text: str) -> None:
    try:
        parse_bot(text)
    except InvalidBot as error:
        assert str(error).isprintable()


def never(game: object) -> bool:
    return False


def test_a_seed_is_filled_in_once() -> None:
    assert with_seed(parse_bot("easy"), 5) == BotSpec("easy", seed=5)
    assert with_seed(parse_bot("easy:seed=0"), 5) == BotSpec("easy", seed=0)


def test_the_list_says_what_parse_takes() -> None:
    lines = list_bots()
    assert [line.name for line in lines] == NAMES
    for line in lines:
        assert line.summary.endswith(".")
        for setting in line.settings:
            beyond = int(setting.greatest) + 1
            for value, right in ((setting.least, True), (setting.greatest, True), (beyond, False)):
                text = f"{line.name}:{setting.name}={int(value) if setting.whole else value}"
                with nullcontext() if right else pytest.raises(BadSetting):
                    parse_bot(text)
            with pytest.raises(BadSetting) if setting.whole else nullcontext():
                parse_bot(f"{line.name}:{setting.name}={setting.least + 0.5}")
    assert [(one.name, one.unit) for one in lines[4].settings][:3] == [
        *[("depth", "plies"), ("time", "seconds")],
        ("seed", None),
    ]
    assert [one.name for one in lines[0].settings][:1] == ["seed"]


def test_what_a_bot_does_is_reported_with_its_settings() -> None:
    games = [find_game("reversi"), find_game("connect4")]
    deep, shallow, little = (
        plays(parse_bot(text), games, compiled=never)[0].does
        for text in ("engine:nodes=5000", "engine:depth=3", "engine:time=0.25")
    )
    assert deep == "searches deeper and deeper through 5,000 positions, in plain Python"
    assert shallow == "searches 3 plies deep, and threats further"
    assert little == "searches deeper and deeper for 0.25 s, in plain Python"
    assert [one.games for one in plays(parse_bot("perfect:depth=2"), games)] == [["reversi", "connect4"]]


# ---------------------------------------------------------------- thinking


@pytest.mark.parametrize("name", NAMES)
def test_every_bot_is_legal_and_repeatable(name: str) -> None:
    for seed, position in enumerate(Random(name).sample(unfinished(), 40)):
        spec = BotSpec(name, seed=seed)
        report = think(TICTACTOE, position, spec, move_number=seed, control=Control())
        legal = TICTACTOE.view(position).legal
        assert report.best in legal
        assert (report.bot, report.finished) == (name, True)
        assert {found.move for found in report.candidates} == set(legal)
        assert think(TICTACTOE, position, spec, move_number=seed, control=Control()) == report


@pytest.mark.parametrize("name", NAMES)
def test_only_a_bot_that_plays_weaker_on_purpose_leaves_its_best_line(name: str) -> None:
    position, _ = TICTACTOE.replay("b2 b3")
    reports = [
        think(TICTACTOE, position, BotSpec(name, seed=seed), move_number=1, control=Control())
        for seed in range(30)
    ]
    assert any(report.weakened is True for report in reports) == (name in ("easy", "medium"))
    assert all(bool(report.weakened) == (report.best != report.line[0]) for report in reports)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_and_move_numbers_change_the_dice(name: str) -> None:
    # The board is the same in its mirror, and so is every good move.
    position, _ = TICTACTOE.replay("b2 b3")
    assert len({move_of(f"{name}:seed={seed}", position) for seed in range(20)}) > 1
    assert len({move_of(f"{name}:seed=1", position, number) for number in range(20)}) > 1
    assert move_of(name, position) == move_of(f"{name}:seed=0", position)


def test_a_report_names_the_bot_but_not_its_dice() -> None:
    shown: list[Report] = []
    spec = parse_bot("minimax:depth=2,seed=7")
    report = think(TICTACTOE, TICTACTOE.initial(), spec, move_number=1, control=Control(publish=shown.append))
    assert {partial.bot for partial in shown} == {report.bot} == {"minimax:depth=2"}


def test_the_random_bot_claims_nothing() -> None:
    report = think(TICTACTOE, TICTACTOE.initial(), parse_bot("random"), move_number=1, control=Control())
    assert {
        (found.score.points, found.score.kind, found.score.result, found.score.plies)
        for found in report.candidates
    } == {(0, "estimate", None, None)}
    assert (report.nodes, report.depth, report.line) == (1, 0, [report.best])


@pytest.mark.parametrize("name", ["perfect", "minimax"])
def test_an_analysis_scores_every_move_exactly(name: str) -> None:
    for moves in ("a1 b2", "b2 a2", "a1 b1 c1"):
        position, _ = TICTACTOE.replay(moves)
        report = analyse(TICTACTOE, position, BotSpec(name), control=Control())
        assert {found.move: found.score.points for found in report.candidates} == solution(position)
        assert {found.score.kind for found in report.candidates} == {"exact"}


@pytest.mark.parametrize("name", [*LEVELS, "random"])
def test_an_analysis_needs_no_dice(name: str) -> None:
    position, _ = TICTACTOE.replay("a1 b2")
    reports = [analyse(TICTACTOE, position, BotSpec(name), control=Control()) for _ in range(2)]
    assert reports[0] == reports[1]
    assert len(reports[0].candidates) == 7
    assert "at_most" not in {found.score.kind for found in reports[0].candidates}


@pytest.mark.parametrize(
    ("bot", "depth"), [("minimax", 4), ("alphabeta", 5), ("medium", 2), ("perfect:depth=4", 4)]
)
def test_bots_look_less_far_in_larger_games(bot: str, depth: int) -> None:
    game = MNK(4, 4, 4)
    report = think(game, game.initial(), parse_bot(bot), move_number=1, control=Control())
    assert report.depth == depth
    assert report.finished


def test_time_is_bounded_as_the_level_or_the_setting_says() -> None:
    assert kind_of(parse_bot("hard")).time == 0.5
    assert kind_of(parse_bot("hard:time=2")).time == 2.0
    # Nodes alone repeat; a clock beside them would not.
    assert kind_of(parse_bot("hard:nodes=5000")).time is None
    assert kind_of(parse_bot("perfect")).time is None


def test_who_runs_as_machine_code() -> None:
    gomoku = find_game("gomoku")
    fast = [name for name in NAMES if uses_machine_code(gomoku, BotSpec(name))]
    assert fast == [*LEVELS, "engine"]
    assert not any(uses_machine_code(TICTACTOE, BotSpec(name)) for name in LEVELS)
    assert not any(uses_machine_code(Nim(9), BotSpec(name)) for name in NAMES)


# ---------------------------------------------------------------- levels


@pytest.mark.parametrize("perfect_first", [True, False])
def test_perfect_never_loses(perfect_first: bool) -> None:
    results = set()
    for number in range(60):
        seats = (
            ("perfect", f"random:seed={number}") if perfect_first else (f"random:seed={number}", "perfect")
        )
        results.add(play_out(*seats, number))
    assert results <= ({0, 1} if perfect_first else {0, -1})
    assert len(results) == 2


def test_easy_can_be_beaten_and_is_no_fool() -> None:
    against_perfect = [play_out("perfect", "easy", number) for number in range(100)]
    assert against_perfect.count(1) >= 20
    assert against_perfect.count(0) >= 2
    against_random = [play_out("easy", "random:seed=3", number) for number in range(100)]
    assert sum(against_random) > 40


@pytest.mark.parametrize("name", ["medium", "hard", "perfect"])
def test_from_medium_on_bots_take_a_win_and_stop_one(name: str) -> None:
    wins = stops = 0
    for position in Random(name).sample(unfinished(), 600):
        truth = solution(position)
        best = move_of(name, position, number=wins)
        if max(truth.values()) == 99:
            assert truth[best] == 99
            wins += 1
        elif min(truth.values()) == -98 < max(truth.values()):
            assert truth[best] > -98
            stops += 1
    assert wins > 50
    assert stops > 50


def test_a_report_shows_whether_it_ran_as_machine_code() -> None:
    game = find_game("reversi")
    compiled.prepare(game)
    spec = parse_bot("engine:depth=2")
    for may, reported in ((True, True), (False, False)):
        control = Control(compiled=may)
        assert analyse(game, game.initial(), spec, control=control).compiled is reported
        textbook = analyse(game, game.initial(), parse_bot("minimax:depth=1"), control=control)
        assert textbook.compiled is None


@pytest.mark.parametrize(
    ("text", "timed"),
    [
        ("random", []),
        ("easy", []),
        ("minimax", []),
        ("minimax:time=2", ["tictactoe", "reversi"]),
        ("hard", ["reversi"]),
        ("hard:depth=3", ["reversi"]),
        ("hard:nodes=5000", []),
        ("perfect", ["reversi"]),
        ("perfect:depth=3", []),
        ("engine:nodes=5000,time=1", ["tictactoe", "reversi"]),
        # It searches even a short game deeper and deeper.
        ("engine", ["tictactoe", "reversi"]),
        ("engine:depth=4", []),
    ],
)
def test_a_bot_is_timed_where_time_ends_its_searches(text: str, timed: list[str]) -> None:
    games = [find_game("tictactoe"), find_game("reversi")]
    reported = plays(parse_bot(text), games, compiled=never)
    assert [name for one in reported if one.timed for name in one.games] == timed


@pytest.mark.skipif(not numba_modules.available(), reason="that takes numba")
def test_an_exact_solver_is_not_timed() -> None:
    games = [find_game("connect4")]
    assert plays(parse_bot("perfect"), games, compiled=never)[0].timed
    assert not plays(parse_bot("perfect"), games)[0].timed
    assert plays(parse_bot("perfect:time=1"), games)[0].timed


def test_an_analysis_by_alphabeta_shows_what_it_cuts_off() -> None:
    position = TICTACTOE.initial()
    report = analyse(TICTACTOE, position, parse_bot("alphabeta"), control=Control())
    assert [found.no_better_than for found in report.candidates] == [None, *(["b2"] * 8)]
    # A move that is to be graded needs its own score; so do the levels' moves.
    graded = analyse(TICTACTOE, position, parse_bot("alphabeta"), control=Control(), also=[0])
    perfect = analyse(TICTACTOE, position, parse_bot("perfect"), control=Control())
    for whole in (graded, perfect):
        assert whole.nodes > report.nodes
        assert {found.no_better_than for found in whole.candidates} == {None}


@pytest.mark.parametrize(
    ("bot", "game", "open_ended_there"),
    [
        ("perfect", "connect4", True),
        ("engine", "tictactoe", True),
        ("perfect", "tictactoe", False),
        ("perfect:nodes=9", "connect4", False),
        ("perfect:depth=9", "connect4", False),
        ("perfect:time=9", "connect4", False),
        ("hard", "connect4", False),
        ("easy", "connect4", False),
        ("minimax", "connect4", False),
        ("random", "connect4", False),
    ],
)
def test_which_bots_search_on_until_they_are_stopped(bot: str, game: str, open_ended_there: bool) -> None:
    assert open_ended(find_game(game), parse_bot(bot)) is open_ended_there
