"""The shapes that a picture in SVG is made of, as text. Every word in them is cleaned and escaped."""

from html import escape

INK = "#23262b"
SANS = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def minus(written: str) -> str:
    """A number with a minus of its own width, as print has it."""
    return written.replace("-", "−")


def escaped(words: str) -> str:
    """Words as they may stand in a picture, a stranger's too."""
    return escape(words, quote=True)


def label(
    x: float,
    y: float,
    words: str,
    *,
    size: float,
    fill: str = INK,
    anchor: str = "middle",
    weight: int = 400,
    family: str | None = None,
    style: str = "normal",
) -> str:
    """Words at a place, or with their middle or end there."""
    face = f' font-family="{family}"' if family else ""
    slant = f' font-style="{style}"' if style != "normal" else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}"{face}{slant}>{escaped(words)}</text>'
    )


def box(x: float, y: float, width: float, height: float, fill: str, *, rounded: float = 0) -> str:
    """A filled box by its upper left corner."""
    round_ = f' rx="{rounded:g}"' if rounded else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{round_} fill="{fill}"/>'


def triangle(x: float, y: float, size: float, *, up: bool, fill: str) -> str:
    """A triangle around a middle, `size` being half its width."""
    flip = -1 if up else 1
    return (
        f'<path d="M{x - size:.1f} {y - flip * size * 0.8:.1f}h{2 * size:.1f}l{-size:.1f} '
        f'{flip * size * 1.6:.1f}z" fill="{fill}"/>'
    )
