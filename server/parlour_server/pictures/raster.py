"""Pictures painted: as PNG, and several as one animated GIF."""

import io
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from PIL import Image, ImageChops, ImageDraw, ImageFont

from parlour_protocol.pictures.shapes import Area, Box, Disc, Letters, Picture, Shape, Stroke

FINE = 2
"""Everything is painted so much larger, and made smaller again: its edges are smooth by that."""
STEP_MS, END_MS = 900, 3000
"""How long each position of a game is shown, and the last one."""
UNCHANGED = 63
"""The colour of what stays as it was in the picture before. There are so many others: a board has few, and
mixtures of them at its edges."""
FONTS = ("DejaVuSans-Bold.ttf", "DejaVuSans.ttf", "Arial.ttf")
"""Where the system has one of them it knows more characters than the library's own."""


def png(picture: Picture) -> bytes:
    """The picture as a file."""
    kept = io.BytesIO()
    _paint(picture).quantize(UNCHANGED, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
    return kept.getvalue()


def animated(pictures: Sequence[Picture], stopped: Callable[[], bool]) -> bytes | None:
    """One picture after the other, all of one size, again and again, as a file; None where it was stopped."""
    some = _paint(pictures[-1]).quantize(UNCHANGED)
    # One palette for all, so that the file has it once, and what stays has the same colours.
    palette = (some.getpalette() or [])[: 3 * UNCHANGED]
    palette += [0] * (3 * UNCHANGED - len(palette)) + [255, 0, 255]
    frames: list[Image.Image] = []
    before: Image.Image | None = None
    for picture in pictures:
        if stopped():
            return None
        frame = _paint(picture).quantize(palette=some, dither=Image.Dither.NONE)
        frame.putpalette(palette)
        values = Image.frombytes("L", frame.size, frame.tobytes())
        if before is not None:
            same = ImageChops.difference(before, values).point([255] + 255 * [0])
            frame.paste(UNCHANGED, mask=same)
        frames.append(frame)
        before = values
    kept = io.BytesIO()
    frames[0].save(
        kept,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[STEP_MS] * (len(frames) - 1) + [END_MS],
        loop=0,
        palette=bytes(palette),
        transparency=UNCHANGED,
        disposal=1,
        optimize=False,
    )
    return kept.getvalue()


def _paint(picture: Picture) -> Image.Image:
    size = round(picture.width) * FINE, round(picture.height) * FINE
    image = Image.new("RGB", size, picture.ground)
    draw = ImageDraw.Draw(image)
    for shape in picture.shapes:
        _put(draw, shape)
    return image.reduce(FINE)


def _put(draw: ImageDraw.ImageDraw, shape: Shape) -> None:
    k = FINE
    match shape:
        case Box(x, y, width, height, fill, rounded, edge, thick):
            half = thick / 2 if edge else 0.0
            where = (k * (x - half), k * (y - half), k * (x + width + half), k * (y + height + half))
            draw.rounded_rectangle(
                where, k * (rounded + half if rounded else 0.0), fill, edge, round(k * thick)
            )
        case Disc(x, y, radius, fill, edge, thick):
            reach = k * (radius + (thick / 2 if edge else 0.0))
            draw.ellipse(
                (k * x - reach, k * y - reach, k * x + reach, k * y + reach), fill, edge, round(k * thick)
            )
        case Area(points, fill, edge, thick):
            draw.polygon([(k * x, k * y) for x, y in points], fill)
            if edge:
                _put(draw, Stroke((*points, points[0]), edge, thick))
        case Stroke(points, colour, thick):
            for (x1, y1), (x2, y2) in pairwise(points):
                draw.line((k * x1, k * y1, k * x2, k * y2), colour, round(k * thick))
            reach = k * thick / 2
            for x, y in points:
                draw.ellipse((k * x - reach, k * y - reach, k * x + reach, k * y + reach), colour)
        case Letters(x, y, text, size, colour):
            draw.text((k * x, k * y), text, colour, _font(round(k * size)), anchor="mm")


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
