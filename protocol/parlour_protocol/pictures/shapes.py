"""The few shapes that a picture is made of, and how they are written as SVG. Pure."""

from dataclasses import dataclass, replace
from html import escape

Colour = str
"""As `#rrggbb`."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle by its upper left corner, perhaps with an edge or with round corners."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour | None
    rounded: float = 0.0
    edge: Colour | None = None
    thick: float = 0.0


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle around a point, filled or with an edge or both."""

    x: float
    y: float
    radius: float
    fill: Colour | None
    edge: Colour | None = None
    thick: float = 0.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points, with round ends."""

    points: tuple[Point, ...]
    colour: Colour
    thick: float


@dataclass(frozen=True, slots=True)
class Area:
    """What lies within points, filled, perhaps with an edge."""

    points: tuple[Point, ...]
    fill: Colour
    edge: Colour | None = None
    thick: float = 0.0


@dataclass(frozen=True, slots=True)
class Letters:
    """A few characters around a point."""

    x: float
    y: float
    text: str
    size: float
    colour: Colour


Shape = Box | Disc | Stroke | Area | Letters


def moved(shape: Shape, x: float, y: float, k: float) -> Shape:
    """A shape `k` times as large, its origin at a point."""
    match shape:
        case Box(left, top, width, height, fill, rounded, edge, thick):
            at = x + k * left, y + k * top, k * width, k * height
            return Box(*at, fill, k * rounded, edge, k * thick)
        case Disc(left, top, radius, fill, edge, thick):
            return Disc(x + k * left, y + k * top, k * radius, fill, edge, k * thick)
        case Letters(left, top, text, size, colour):
            return Letters(x + k * left, y + k * top, text, k * size, colour)
        case Stroke(points, _, thick) | Area(points, _, _, thick):
            points = tuple((x + k * left, y + k * top) for left, top in points)
            return replace(shape, points=points, thick=k * thick)


@dataclass(frozen=True, slots=True)
class Picture:
    """What is to be drawn, from the back to the front."""

    width: float
    height: float
    ground: Colour
    shapes: list[Shape]


def svg(picture: Picture, title: str) -> str:
    """The picture as a document that stands alone, with what it shows for those who don't see it."""
    size = f'width="{_n(picture.width)}" height="{_n(picture.height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'viewBox="0 0 {_n(picture.width)} {_n(picture.height)}" role="img">',
        f"<title>{_clean(title)}</title>",
        f'<rect {size} fill="{picture.ground}"/>',
        *map(element, picture.shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def element(shape: Shape) -> str:
    """A shape within a document."""
    match shape:
        case Box(x, y, width, height, fill, rounded, edge, thick):
            corner = f' rx="{_n(rounded)}"' if rounded else ""
            return (
                f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner}'
                f"{_paint(fill, edge, thick)}/>"
            )
        case Disc(x, y, radius, fill, edge, thick):
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"{_paint(fill, edge, thick)}/>'
        case Area(points, fill, edge, thick):
            return f'<polygon points="{_way(points)}"{_paint(fill, edge, thick)}/>'
        case Stroke(points, colour, thick):
            ends = 'stroke-linecap="round" stroke-linejoin="round"'
            return f'<polyline points="{_way(points)}"{_paint(None, colour, thick)} {ends}/>'
        case Letters(x, y, text, size, colour):
            return (
                f'<text x="{_n(x)}" y="{_n(y)}" dy="0.35em" text-anchor="middle" font-size="{_n(size)}" '
                f'font-family="system-ui, sans-serif" font-weight="600" fill="{colour}">{_clean(text)}</text>'
            )


def _way(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _paint(fill: Colour | None, edge: Colour | None, thick: float) -> str:
    around = f' stroke="{edge}" stroke-width="{_n(thick)}"' if edge else ""
    return f' fill="{fill or "none"}"{around}'


def _clean(text: str) -> str:
    """A game's text within markup; XML knows no control characters."""
    return escape("".join(one if one.isprintable() else "?" for one in text))


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
