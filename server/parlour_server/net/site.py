"""The page that the port serves to browsers: a fixed map of files, read once.

A room's link and the page's other paths all answer the one index, in the language that the browser prefers.
It holds all that its page needs: scripts, style and sentences, so that a first visit takes one request.
What is fetched later stands below the hash of all files, and so may be kept for ever: another version of
the page has another hash. Each language's sentences are in two parts, one for all pages and one for each,
with those alone that their scripts name.
"""

import base64
import functools
import hashlib
import html
import json
import os
import re
import struct
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from parlour_protocol import words
from parlour_protocol.ids import parse_code, parse_tournament_code
from parlour_protocol.pictures.board import CARD as CARD_SIZE
from parlour_server.page_sources import (
    ASSETS,
    BROUGHT,
    IMPORT_LATER,
    MAIN,
    WEB,
    as_json,
    blocks,
    bundles,
    exports,
    imported,
    named_ids,
    resolved,
    sentences,
)
from parlour_server.sessions.previews import Preview

INDEX = "index.html"
STYLES = "{styles}"
"""In the index: the looks of the page at this path."""
SCRIPTS = "{scripts}"
"""In the index: what the page at this path says, and its modules."""
PREVIEW = "{preview}"
"""In the index: what is shown of a room's link where it is sent to somebody."""
SNAPSHOT = "{snapshot}"
"""In the index: the room of its link, so that it is shown before there is a connection."""
LANGUAGE = "{language}"
"""In the index: the language's tag."""
LANGUAGES = "{languages}"
"""In the index: every language's tag and name, as JSON."""
CARD = ".png"
"""Ends the path of a room's picture, which is else that of its page."""
ROOM = "/CODE"
"""Stands for every room's path."""
TOURNAMENT = "/TOURNAMENT"
"""Stands for every tournament's path."""
PAGES = frozenset({"/", "/analysis", "/lab", "/learn", "/puzzle", "/ratings", "/review", "/wall"})
"""Paths of the index, beside every room's link."""
OFFLINE = "offline.html"
"""What a browser shows in place of a page while there is no connection; at `/offline`."""
MANIFEST = "manifest.webmanifest"
"""What makes the page an app, in the dark theme's colours; `early.js` asks for the light one's."""
WORKER = "service-worker.js"
"""What shows it, at the top, since it is asked about each page."""
VERSION = "{version}"
"""In the worker: the hash of what it keeps."""
KINDS = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""What is served; nothing else is that may stand in the folder."""


_POLICY = (
    "default-src 'none'",
    "script-src 'self'{hashes}",
    "style-src 'self'{looks}",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types worker",
)


def _policy(page: bytes) -> str:
    """The policy of a page, which lets in the scripts and styles that stand in it and no others."""

    def hashes(within: list[bytes]) -> str:
        return "".join(
            f" 'sha256-{base64.b64encode(hashlib.sha256(one).digest()).decode()}'" for one in within
        )

    scripts = re.findall(rb"<script(?![^>]* (?:src=|id=))[^>]*>(.*?)</script>", page, re.DOTALL)
    looks = re.findall(rb"<style[^>]*>(.*?)</style>", page, re.DOTALL)
    return "; ".join(_POLICY).format(hashes=hashes(scripts), looks=hashes(looks))


_GUARDED = {
    "Content-Security-Policy": _policy(b""),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Connection": "close",
}
"""Headers of every answer here: the page loads from this server alone, and no other page gets hold of it."""
_ASK_AGAIN = "no-cache"
_BRIEFLY = "public, max-age=60"
_FOR_EVER = "public, max-age=31536000, immutable"

_COMMENTS = re.compile(
    rb"^[ \t]*/\*.*?\*/[ \t]*\n?|^[ \t]*//[^\n]*\n|^[ \t]*\n?|/\*\* @type .*?\*/ ?", re.DOTALL | re.MULTILINE
)
_BLANKS = re.compile(
    rb"(^(?:[^`\n]*`){4}[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|/(?![*/ ])[^/\n]+/)"
    rb"| +([=<>&|?:,;{}()\[\]!*%]|/(?= )) *|([=<>&|?:,;{}()\[\]!*]) +|(?<![+-]) ([+-]) (?![+-])",
    re.MULTILINE,
)
"""Blanks that part nothing in a script, and before them what may hold some that count: lines with templates
within templates, texts, and regular expressions."""
_LINE_ENDS = re.compile(rb",?\n(?=[)\]}])|(?<=[{(\[,;:?=>&|])\n|\n(?=[?:.&|=])")
"""Line ends that part nothing in a script, and the commas at the ends of lists."""
_STYLE_BLANKS = re.compile(rb"/\*.*?\*/\s*|;?\s*(\})\s*|\s*([{;,])\s*|(:)\s+", re.DOTALL)

_INLINE = re.compile(r"\{inline:([\w.]+)\}")
"""In the index: a script that stands in it, so that it takes no request."""
_ROOM = '<script type="application/json" id="room">{}</script>\n'
_PLACES = re.compile(r"(\{(?:preview|styles|snapshot|scripts)\})")
"""In the index: where there is more than sentences and paths."""
_SENTENCE = re.compile(r"\{say:([\w.]+)\}")
"""In the index: a sentence's id."""

_MISDIRECTED = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>{say:misdirected.title}</title>
<h1>{say:misdirected.heading}</h1>
<p>{say:misdirected.why}</p>
{instead}<p>{say:misdirected.host}</p>
<pre>parlour serve --origins {origin}</pre>
"""

_NOTHING_HERE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="{assets}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{assets}/style.css">
<title>{say:page.not_found}</title>
<header id="top"><a class="brand" href="/"><img src="{assets}/icon.svg" alt="" width="24">Parlour</a></header>
<main class="stack">
<h1>{say:page.not_found}</h1>
<p>{say:page.room_link}</p>
<p><a class="button main" href="/">{say:page.to_lobby}</a></p>
</main>
"""


class Part:
    """A part of files, many of which may have it: as it is and compressed."""

    __slots__ = ("body", "packed")

    def __init__(self, text: str | bytes) -> None:
        self.body = text.encode() if isinstance(text, str) else text
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        # Whole bytes that need nothing of what stands before them (RFC 1951).
        self.packed = packer.compress(self.body) + packer.flush(zlib.Z_FULL_FLUSH)


_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\2\xff"
_GZIP_LAST_BLOCK = b"\3\0"


class File:
    """A file, as it is and compressed."""

    def __init__(self, parts: Sequence[Part], kind: str, cache: str, policy: str = _policy(b"")) -> None:
        digest, check, size = hashlib.sha256(), 0, 0
        for part in parts:
            digest.update(part.body)
            check, size = zlib.crc32(part.body, check), size + len(part.body)
        self._parts = parts
        self._end = _GZIP_LAST_BLOCK + struct.pack("<LL", check, size)
        self._tag = digest.hexdigest()[:20]
        self._kept = {
            "Cache-Control": cache,
            "Content-Security-Policy": policy,
            "Vary": "Accept-Encoding, Accept-Language" if cache == _ASK_AGAIN else "Accept-Encoding",
        }
        self._kind = kind if kind == KINDS[".png"] else f"{kind}; charset=utf-8"

    def answer(self, request: Request) -> Response:
        """In the form that the browser takes; 304 where it has the file already."""
        zipped = _takes_gzip(request.headers)
        tags = f'"{self._tag}"', f'"{self._tag}.gz"'
        headers = {**self._kept, "ETag": tags[zipped]}
        if not _tags(request.headers).isdisjoint({*tags, "*"}):
            return _answer(HTTPStatus.NOT_MODIFIED, headers, b"")
        if zipped:
            headers["Content-Encoding"] = "gzip"
            body = b"".join([_GZIP_HEAD, *(part.packed for part in self._parts), self._end])
        else:
            body = b"".join(part.body for part in self._parts)
        headers |= {"Content-Type": self._kind, "Content-Length": str(len(body))}
        return _answer(HTTPStatus.OK, headers, body)


class Shell:
    """The index, in each language."""

    def __init__(self, pieces: Mapping[str, Sequence[Part | str]]) -> None:
        """By the tags of the languages; a text is where something of a room stands."""
        self._pieces = pieces
        # A room adds no script that runs, so that the policy is the same for all rooms.
        self._policies = {
            tag: _policy(b"".join(one.body for one in of if isinstance(one, Part)))
            for tag, of in pieces.items()
        }
        self._forms = {tag: self._form(tag) for tag in pieces}

    def answer(self, request: Request) -> Response:
        """In the language that the browser prefers, of those that there are."""
        return self._forms[preferred(request.headers).tag].answer(request)

    def answer_with(self, request: Request, preview: Preview, origin: str) -> Response:
        """The same of a room's link: with the room, and what is shown of it to those whom it is sent to."""
        language = preferred(request.headers)
        link = f"{origin}{urlsplit(request.path).path}"
        tags = "".join(_tag(*one) for one in _preview_tags(preview, link, language))
        room = _ROOM.format(preview.snapshot.decode().replace("<", "\\u003c"))
        return self._form(language.tag, {PREVIEW: tags, SNAPSHOT: room}).answer(request)

    def _form(self, tag: str, given: Mapping[str, str] = MappingProxyType({})) -> File:
        parts = [
            one if isinstance(one, Part) else Part(given[one])
            for one in self._pieces[tag]
            if isinstance(one, Part) or one in given
        ]
        return File(parts, KINDS[".html"], _ASK_AGAIN, self._policies[tag])


class Site:
    """The files of one folder."""

    def __init__(self, folder: Path) -> None:
        """Read them; the index has to be there."""
        read = _read(folder)
        index, offline = read.pop(INDEX).decode(), read.pop(OFFLINE, b"").decode()
        sources = {name: read.pop(name).decode() for name in list(read) if name.endswith(".js")}
        texts = {
            name: compact(".css", read.pop(name)).decode() for name in list(read) if name.endswith(".css")
        }
        self._inline = {
            name: _compacted(sources[name]).strip() if name in sources else texts.pop(name)
            for name in _INLINE.findall(index + offline)
        }
        pages = list(map(_page, (*PAGES, ROOM, TOURNAMENT)))
        main = list(imported(sources, MAIN))
        # What a page brings comes between them: it is there once that is opened.
        first = "globalThis.$modules={};" + _script(sources, main[:-1])
        last = _script(sources, main[-1:])
        scripts = {
            name: _script(sources, [one for one in imported(sources, name) if one not in loaded])
            for name, loaded in bundles(sources, map("pages/{}.js".format, pages)).items()
            if name != MAIN
        }
        texts |= scripts
        catalogues = [words.load(tag) for tag in words.available()]
        named = _named(sources, {**scripts, MAIN: first + last})
        for catalogue in catalogues:
            for name, said in _words(named, catalogue).items():
                texts[name] = as_json(said).replace("<", "\\u003c")
        if MANIFEST in read:
            read[f"light.{MANIFEST}"] = _light(read[MANIFEST])
        whole = hashlib.sha256("".join((index, first, last, *self._inline.values())).encode())
        for name, body in sorted({**read, **{name: text.encode() for name, text in texts.items()}}.items()):
            whole.update(f"{name} {len(body)} ".encode() + body)
        self.assets = f"/assets/{whole.hexdigest()[:16]}"
        """The path below which everything stands but the index."""
        parts = {name: Part(text.replace(ASSETS, self.assets)) for name, text in texts.items()}
        languages = [(catalogue.tag, catalogue.say("language.name")) for catalogue in catalogues]
        index = index.replace(LANGUAGES, html.escape(json.dumps(languages, ensure_ascii=False)))
        self._shells = self._without_connection(offline, sources.get(WORKER, ""), catalogues)
        around = [Part(text.replace(ASSETS, self.assets)) for text in (first, last)]
        for path, page in zip((*PAGES, ROOM, TOURNAMENT), pages, strict=True):
            self._shells[path] = Shell(
                {one.tag: self._pieces(index, parts, around, one, page) for one in catalogues}
            )
        files = {name: [Part(body)] for name, body in read.items()}
        for name, part in parts.items():
            before = "export default " if name.startswith("words/") else ""
            after = ";\n" if before else exports(sources, name) if name in scripts else ""
            files[name] = [Part(before), part, Part(after)]
        self._assets = {
            f"{self.assets}/{name}": File(file, KINDS[Path(name).suffix], _FOR_EVER)
            for name, file in files.items()
        }

    def _without_connection(
        self, offline: str, worker: str, catalogues: Sequence[words.Catalogue]
    ) -> dict[str, "File | Shell"]:
        """The page that is shown without a connection, and the worker that keeps it."""
        pages = {one.tag: self._filled(offline, one) for one in catalogues}
        version = hashlib.sha256("".join(pages.values()).encode()).hexdigest()[:16]
        script = Part(_compacted(worker).replace(VERSION, version))
        return {
            "/offline": Shell({tag: [Part(page)] for tag, page in pages.items()}),
            f"/{WORKER}": File([script], KINDS[".js"], _ASK_AGAIN),
        }

    @property
    def paths(self) -> list[str]:
        """Where the files are that the index may load."""
        return list(self._assets)

    def find(self, path: str) -> "File | Shell | None":
        """The file at the path of an address, of which nothing is decoded."""
        if path in (ROOM, TOURNAMENT):
            return None
        shell = path
        if is_page(path) and path not in PAGES:
            shell = TOURNAMENT if parse_code(path[1:]) is None else ROOM
        return self._shells.get(shell) or self._assets.get(path)

    def nothing_here(self, request: Request) -> Response:
        """The answer where `find` has nothing: the page that is meant by a slash too many, or none."""
        asked = urlsplit(request.path)
        meant = asked.path.rstrip("/")
        if is_page(meant):
            headers = {"Location": f"{meant}?{asked.query}".rstrip("?"), "Content-Length": "0"}
            return _answer(HTTPStatus.PERMANENT_REDIRECT, headers, b"")
        page = _said(_NOTHING_HERE, preferred(request.headers)).replace(ASSETS, self.assets)
        return _page_answer(HTTPStatus.NOT_FOUND, page)

    def _pieces(
        self,
        index: str,
        parts: Mapping[str, Part],
        around: Sequence[Part],
        catalogue: words.Catalogue,
        page: str,
    ) -> list[Part | str]:
        """The index in a language, with all that its page needs."""
        tag = catalogue.tag
        said = f'<script type="application/json" id="words" lang="{tag}" data-page="{page}">['
        own = f'\n<style id="{page}">', f"pages/{page}.css", "</style>"
        within: dict[str, Sequence[Part | str]] = {
            STYLES: ("<style>", "style.css", "</style>", *(own if own[1] in parts else ())),
            SCRIPTS: (
                *(said, f"words/{tag}.js", ",", f"words/{tag}/{page}.js", "]</script>\n"),
                *('<script type="module">', around[0], f"pages/{page}.js", around[1], "</script>"),
            ),
        }
        found: list[Part | str] = []
        for text in _PLACES.split(self._filled(index, catalogue).replace(ASSETS, self.assets)):
            if text in (PREVIEW, SNAPSHOT):
                found.append(text)
            else:
                pieces = within.get(text, (text,))
                found += [one if isinstance(one, Part) else parts.get(one) or Part(one) for one in pieces]
        return found

    def _filled(self, page: str, catalogue: words.Catalogue) -> str:
        """A page with its sentences, and with what stands in it."""
        return _INLINE.sub(lambda found: self._inline[found[1]], _said(page, catalogue))


@functools.cache
def own_site() -> Site:
    """The page that this package brings."""
    return Site(WEB)


def is_page(path: str) -> bool:
    """Does the index stand at this path?"""
    code = path[1:]
    return path in PAGES or (
        path[:1] == "/" and (parse_code(code) or parse_tournament_code(code)) is not None
    )


def card_code(path: str) -> str | None:
    """The code of the room whose picture stands at this path; None: none does."""
    return parse_code(path[1:].removesuffix(CARD)) if path.endswith(CARD) else None


def card_answer(card: bytes) -> Response:
    """A room's picture. Unlike the page it may be shown anywhere: that is what it is for."""
    headers = {"Content-Type": "image/png", "Cache-Control": _BRIEFLY, "Content-Length": str(len(card))}
    return _answer(HTTPStatus.OK, {**headers, "Cross-Origin-Resource-Policy": "cross-origin"}, card)


def _preview_tags(preview: Preview, link: str, language: words.Catalogue) -> Iterator[tuple[str, str, str]]:
    """What the link's preview is made of (Open Graph): each an attribute with its name, and a content."""
    title, text = (
        words.translated(words.made_of(one), one, language) for one in (preview.title, preview.text)
    )
    yield "property", "og:type", "website"
    yield "property", "og:site_name", "Parlour"
    yield "property", "og:url", link
    yield "property", "og:title", title
    yield "property", "og:description", text
    yield "property", "og:image", f"{link}{CARD}?v={preview.version}"
    yield "property", "og:image:type", "image/png"
    yield "property", "og:image:width", str(CARD_SIZE[0])
    yield "property", "og:image:height", str(CARD_SIZE[1])
    yield "property", "og:image:alt", title
    yield "name", "twitter:card", "summary_large_image"


def _tag(attribute: str, name: str, content: str) -> str:
    return f'<meta {attribute}="{name}" content="{html.escape(content)}">\n'


def misdirected(origin: str, instead: str | None, catalogue: words.Catalogue = words.ENGLISH) -> Response:
    """The answer to a page that would open and never connect, being of this origin.

    `instead` is the address at which it would; None where that is not known.
    """
    way = ""
    if instead is not None:
        link = html.escape(instead)
        way = f'<p>{html.escape(catalogue.say("misdirected.instead"))} <a href="{link}">{link}</a></p>\n'
    page = _said(_MISDIRECTED, catalogue)
    page = page.replace("{instead}", way).replace("{origin}", html.escape(origin))
    return _page_answer(HTTPStatus.MISDIRECTED_REQUEST, page)


def preferred(headers: Headers) -> words.Catalogue:
    """The language that a browser asks for first, of those that there are (RFC 9110, 12.5.4)."""
    weighed = []
    for one in ",".join(headers.get_all("Accept-Language")).split(","):
        tag, _, weight = one.replace(" ", "").partition(";q=")
        with suppress(ValueError):
            weighed.append((-float(weight or 1), tag))
    return words.load(words.closest(tag for _, tag in sorted(weighed, key=itemgetter(0))))


def _page(path: str) -> str:
    """The name of the page at this path."""
    return {"/": "lobby", ROOM: "table", TOURNAMENT: "tournament"}.get(path, path[1:])


def _named(sources: Mapping[str, str], scripts: Mapping[str, str]) -> dict[str, set[str]]:
    """The ids of the sentences that each page names; under an empty name, what any may say.

    What is imported where it is needed may bring sentences of its own, as a page does.
    """
    found = {"": named_ids([scripts.get(MAIN, "")])}
    for name, source in sources.items():
        for path in IMPORT_LATER.findall(source):
            if Path(path).stem in BROUGHT.findall(source):
                found[Path(path).stem] = named_ids([scripts[resolved(name, path)]])
    brought = found.keys() - {""}
    for page in map(_page, (*PAGES, ROOM, TOURNAMENT)):
        if f"pages/{page}.js" in scripts:
            whole = imported(sources, f"pages/{page}.js", later=True)
            found[page] = named_ids(
                scripts[name] for name in whole if name in scripts and Path(name).stem not in brought
            )
    return found


def _words(named: Mapping[str, set[str]], catalogue: words.Catalogue) -> dict[str, dict[str, str]]:
    """The modules of a language: the sentences that any page may say, and what one page says beside them."""
    shared = sentences(named[""], catalogue)
    found = {f"words/{catalogue.tag}.js": shared}
    for page in named.keys() - {""}:
        own = {id_: said for id_, said in sentences(named[page], catalogue).items() if id_ not in shared}
        found[f"words/{catalogue.tag}/{page}.js"] = own
    return found


def _said(page: str, catalogue: words.Catalogue) -> str:
    """A page with its sentences, and the language's tag."""
    said = _SENTENCE.sub(lambda found: html.escape(catalogue.say(found[1])), page)
    return said.replace(LANGUAGE, catalogue.tag)


def _read(folder: Path) -> dict[str, bytes]:
    """What the folder holds of the kinds that are served, each by its path. No link is followed."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for top, _, names in os.walk(folder, followlinks=False)
        for file in (Path(top, name) for name in names)
        if file.suffix in KINDS and not file.is_symlink()
    }


def _light(manifest: bytes) -> bytes:
    """The manifest in the light theme's colours: an app has those of one theme while it opens."""
    colours = {"background_color": "#faf6ec", "theme_color": "#f3eddf"}
    return json.dumps({**json.loads(manifest), **colours}).encode()


def compact(suffix: str, file: bytes) -> bytes:
    """A script or a style sheet without what browsers have no use for: comments, casts of types, blanks.

    No text in it may hold a line break.
    """
    if suffix == ".js":
        return _LINE_ENDS.sub(b"", _BLANKS.sub(rb"\1\2\3\4", _COMMENTS.sub(b"", file)))
    return _STYLE_BLANKS.sub(rb"\1\2\3", file) if suffix == ".css" else file


def _script(sources: Mapping[str, str], names: Collection[str]) -> str:
    """These modules as one, as they are sent."""
    return "".join(map(_compacted, blocks(sources, names)))


@functools.cache
def _compacted(script: str) -> str:
    return compact(".js", script.encode()).decode()


def _answer(status: HTTPStatus, headers: dict[str, str], body: bytes) -> Response:
    # Made anew for each: the library adds to them.
    return Response(status.value, status.phrase, Headers({**_GUARDED, **headers}), body)


def _page_answer(status: HTTPStatus, page: str) -> Response:
    body = page.encode()
    headers = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}
    return _answer(status, {**headers, "Content-Length": str(len(body))}, body)


def _tags(headers: Headers) -> set[str]:
    """What a browser has; weak tags, into which a proxy may have turned ours, as if they were strong."""
    listed = ",".join(headers.get_all("If-None-Match")).split(",")
    return {tag.strip().removeprefix("W/") for tag in listed}


def _takes_gzip(headers: Headers) -> bool:
    for one in ",".join(headers.get_all("Accept-Encoding")).split(","):
        coding, _, weight = one.replace(" ", "").lower().partition(";")
        if coding == "gzip":
            return not weight or weight.removeprefix("q=").strip("0.") != ""
    return False
