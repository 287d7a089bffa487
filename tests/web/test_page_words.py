"""No sentence stands in the page's scripts: all are said by their ids. A check over their syntax trees."""

import json
import re
import subprocess

from parlour_protocol.views.permissions import ACTIONS
from parlour_protocol.words import ENGLISH
from parlour_server.page_sources import OF_SERVER, WEB
from tests.support.needs import node

EXCEPTIONS = {
    "text.js": {"Parlour"},
    "pages/lobby.js": {"parlour join "},
    "panels/table_menu.js": {"parlour join "},
    # For the style, which says how rows are divided.
    "board/layouts.js": {"fr repeat("},
    "panels/keys.js": {
        *("ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp"),
        *("End", "Enter", "Escape", "Home", "PageDown", "PageUp", "Tab", "Esc"),
    },
}
"""Texts that are the same in every language, by module."""
CONSTANTS = ("FRIENDLY", "CREATURES", "NEEDED")
"""The first two make names for new players, which are not translated; the third lists fields of messages."""

_FIND = r"""
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const [scripts, constants] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const READ = /[A-Za-z]{2,},? [a-z]{2,}|^[A-Z][a-z]{2,}/;
// What a program reads: names of classes, selectors, types of files, shapes.
const SILENT_KEYS = new Set(["class", "className", "d", "accept", "viewBox"]);
const SILENT_CALLS = new Set(["querySelector", "querySelectorAll", "closest", "startsWith", "includes"]);
const name = node => node?.name ?? node?.value ?? node?.property?.name;
const silent = (node, parent) =>
  /^(Import|Export)/.test(parent.type) && parent.source === node || parent.type === "SwitchCase"
  || parent.type === "BinaryExpression" && /^[!=]==$/.test(parent.operator)
  || parent.type === "Property" && (parent.key === node || SILENT_KEYS.has(name(parent.key)))
  || parent.type === "AssignmentExpression" && SILENT_KEYS.has(name(parent.left))
  || parent.type === "CallExpression" && SILENT_CALLS.has(name(parent.callee)) && parent.callee !== node
  // Errors for those who write code.
  || parent.type === "ThrowStatement"
  || parent.type === "VariableDeclarator" && constants.includes(parent.id.name);
function walk(node, parent, found) {
  if (Array.isArray(node)) return node.forEach(one => walk(one, parent, found));
  if (!node || typeof node.type !== "string" || silent(node, parent)) return;
  const text = node.type === "TemplateElement" ? node.value.cooked : node.value;
  if (typeof text === "string" && READ.test(text)) found.push(text);
  for (const part of Object.values(node)) walk(part, node, found);
}
const found = Object.entries(scripts).map(([file, source]) => {
  const texts = [];
  walk(acorn.parse(source, { ecmaVersion: "latest", sourceType: "module" }), { type: "" }, texts);
  return [file, texts];
});
console.log(JSON.stringify(Object.fromEntries(found.filter(([, texts]) => texts.length))));
"""


def sentences_in(scripts: dict[str, str]) -> dict[str, list[str]]:
    """The texts for people that stand in each script."""
    # Node has the parser that it uses itself: none is to be installed.
    done = subprocess.run(
        [node(), "--expose-internals", "--eval", _FIND],
        input=json.dumps([scripts, CONSTANTS]),
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_no_sentence_stands_in_the_page() -> None:
    scripts = {
        file.relative_to(WEB).as_posix(): file.read_text(encoding="utf-8") for file in WEB.rglob("*.js")
    }
    found = {name: set(texts) for name, texts in sentences_in(scripts).items()}
    assert found == EXCEPTIONS


def test_a_sentence_would_be_found() -> None:
    script = """
        const TITLE = "Lobby";
        h("p", { class: "past code" }, `You have ${count} games here.`);
        h("button", { "aria-label": "Close the dialog" }, name === "Enter" ? "×" : say("page.close"));
    """
    assert sentences_in({"it.js": script}) == {
        "it.js": ["Lobby", "You have ", " games here.", "Close the dialog"]
    }


def test_it_knows_which_sentences_are_the_servers() -> None:
    words = (WEB / "words.js").read_text(encoding="utf-8")
    listed = re.search(r"const FROM_SERVER = \[(.*?)\];", words, re.DOTALL)
    assert listed is not None
    groups = tuple(re.findall(r'"(.*?)"', listed[1]))
    assert all(group.startswith(groups) for group in OF_SERVER)


def test_every_action_has_a_button_with_a_label_or_stands_elsewhere() -> None:
    actions = (WEB / "panels/actions.js").read_text(encoding="utf-8")
    listed = re.search(r"const ELSEWHERE = .*?\((\[.*?\])\);", actions)
    assert listed is not None
    elsewhere = set(json.loads(listed[1]))
    assert elsewhere < set(ACTIONS)
    for action in set(ACTIONS) - elsewhere:
        assert f"action.{action}.label" in ENGLISH, action
