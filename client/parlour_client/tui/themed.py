"""What is drawn for print, in the colours of the screen's theme."""

from rich.text import Text
from textual.content import Content, Span

from parlour_client.text.scores import FIRST, LOSS, NOTICE, PAST, SECOND, WIN

_THEMED = {
    WIN: "$win",
    LOSS: "$loss",
    NOTICE: "$notice",
    PAST: "$past",
    FIRST: "$first-seat",
    SECOND: "$second-seat",
}


def themed(text: Text) -> Content:
    """A text with the theme's colours in place of its own."""
    spans = [
        (0, len(text.plain), str(text.style)),
        *((one.start, one.end, str(one.style)) for one in text.spans),
    ]
    return Content(text.plain, [Span(start, end, _style(style)) for start, end, style in spans if style])


def _style(style: str) -> str:
    return " ".join(_THEMED.get(word, word) for word in style.split())
