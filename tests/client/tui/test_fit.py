"""Words that stand in a space of their own fit it in every language; all others are wrapped, or give way."""

import pytest
from rich.cells import cell_len

from parlour_protocol.words import available, load

WIDTHS = {
    "screen.top.gauge.": 11,
    "screen.join.room": 15,
    "screen.form.game": 15,
    "screen.form.variant": 15,
    "screen.form.against": 15,
    "screen.form.settings": 15,
    "screen.form.you_take": 15,
    "screen.form.first_seat": 15,
    "screen.form.second_seat": 15,
    "screen.form.if_nobody": 15,
    "screen.form.after": 15,
    "screen.form.side.": 20,
    "screen.form.wait_on": 20,
    "screen.opponent.": 20,
    "screen.lobby.play": 12,
    "screen.lobby.rooms": 12,
    "screen.lobby.yours": 12,
    "screen.lobby.code_hint": 26,
    "screen.table.say_something": 20,
    "screen.key.": 22,
    "screen.action.": 14,
    "screen.panel.": 14,
    "connection.connected": 14,
    "connection.not_connected": 18,
}
"""Columns for the sentence of an id, or for those of a group."""


@pytest.mark.parametrize("tag", available())
def test_words_fit_their_columns(tag: str) -> None:
    sentences = load(tag).whole()
    for start, width in WIDTHS.items():
        found = [id_ for id_ in sentences if id_ == start or (start[-1] == "." and id_.startswith(start))]
        assert found, start
        for id_ in found:
            assert cell_len(sentences[id_]) <= width, f"{tag}: {id_} has more than {width} columns"
