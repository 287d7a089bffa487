"""The page says scores in the words of `Score.outlook`, in every language."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from parlour_protocol.views.reports import Bound, Result, Score, ScoreKind
from parlour_protocol.words import available, load, made_of, translated
from tests.support.needs import node
from tests.web.core.page import write_served

SCRIPT = """
globalThis.document = { documentElement: { lang: LANG, dataset: {} }, getElementById: () => null };
const { bring } = await import("./words.js");
await bring("analysis");
const { outlook } = await import("./game/board_text.js");
console.log(JSON.stringify(SCORES.map(outlook)));
"""


def scores() -> Iterator[Score]:
    proven: tuple[ScoreKind, ...] = ("exact", "at_least", "at_most")
    for kind, result, plies, margin in product(proven, get_args(Result), (None, 4), (None, 3)):
        yield Score({"win": 60, "loss": -60, "draw": 0}[result], kind, result, plies, margin)
    for kind, points in product(proven[1:], (60, 0, -60)):
        yield Score(points, kind)
    for bound in (None, *get_args(Bound)):
        yield Score(7.5, bound=bound, chance=57.4)
    yield Score(7.5)


@pytest.mark.parametrize("tag", available())
def test_scores_are_said_alike(tag: str, tmp_path: Path) -> None:
    write_served(tmp_path)
    given = list(scores())
    plain = [{name: value for name, value in asdict(one).items() if value is not None} for one in given]
    (tmp_path / "run.js").write_text(
        SCRIPT.replace("LANG", json.dumps(tag)).replace("SCORES", json.dumps(plain)), encoding="utf-8"
    )
    ran = subprocess.run(
        [node(), "run.js"], capture_output=True, encoding="utf-8", check=True, cwd=tmp_path, timeout=60
    )
    said = [one.outlook for one in given]
    assert json.loads(ran.stdout) == [translated(made_of(one), one, load(tag)) for one in said]
    assert len(set(said)) > 15
