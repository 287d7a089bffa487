"""The page says sentences as Python does: forms, numbers, lists, and what a server sent."""

import json
import subprocess
from pathlib import Path

import pytest

from parlour_protocol.words import available, load
from parlour_protocol.words.plurals import RULES
from parlour_server.page_sources import WEB
from tests.support.needs import node

COUNTS = [*range(130), 1000, 1001, 1002, 1_000_000]
NUMBERS = [0, 7, 999, 1000, 12345, 1234567, -1234, 0.5, 1234.25]

LACKING = {"lacking_one": "{{count}} move", "lacking_other": "{{count}} moves"}
"""As a language has it that lacks a translation: in English."""

SCRIPT = """
globalThis.document = { documentElement: { lang: LANG, dataset: {} }, getElementById: () => null };
const { number, listed, sayOr, translated } = await import("./words.js");
const plural = new Intl.PluralRules(LANG);
console.log(JSON.stringify({
  plurals: COUNTS.map(count => plural.select(count)),
  numbers: NUMBERS.map(one => number(one)),
  lists: [listed([]), listed(["Bo"]), listed(["Bo", "Cy", "Di"])],
  said: [
    translated({ id: "refusal.no_such_room", args: {} }, "!"),
    translated({ id: "constructor", args: {} }, "!"),
    translated(undefined, "!"),
    sayOr("list.and", { first: "$&", last: 12345 }, undefined),
    sayOr("list.and", { first: "Bo" }, "!"),
    ...[0, 1, 2, 5, 22].map(count => sayOr("lacking", { count })),
  ],
}));
"""


@pytest.mark.parametrize("tag", available())
def test_it_agrees_with_python(tag: str, tmp_path: Path) -> None:
    catalogue = load(tag)
    (tmp_path / "words.js").write_bytes((WEB / "words.js").read_bytes())
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / f"{tag}.js").write_text(
        f"export default {json.dumps(catalogue.whole() | LACKING)};"
    )
    constants = f"const LANG = {json.dumps(tag)}, COUNTS = {COUNTS}, NUMBERS = {NUMBERS};"
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "try.js").write_text(constants + SCRIPT)
    run = subprocess.run([node(), str(tmp_path / "try.js")], capture_output=True, check=True, timeout=30)
    found = json.loads(run.stdout)
    assert found["plurals"] == [RULES[tag.partition("-")[0]](count) for count in COUNTS]
    assert found["numbers"] == [catalogue.number(number) for number in NUMBERS]
    assert found["lists"] == [catalogue.listed([]), "Bo", catalogue.listed(["Bo", "Cy", "Di"])]
    assert found["said"] == [
        catalogue.say("refusal.no_such_room"),
        *("!", "!"),
        catalogue.say("list.and", first="$&", last=12345),
        "!",
        *("0 moves", "1 move", "2 moves", "5 moves", "22 moves"),
    ]
