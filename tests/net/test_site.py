"""The page's files: a fixed map, and headers that shut others out."""

import asyncio
import gzip
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

import parlour_server
from parlour_protocol import words
from parlour_server.net.site import INDEX, PAGES, Site, compact, misdirected, own_site
from tests.net.inside import watched

TEXT = b"p{color:red}" * 100
DEADLINE = 20.0
WEB = Path(parlour_server.__file__).parent / "web"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    web = tmp_path / "web"
    (web / "core").mkdir(parents=True)
    (web / INDEX).write_text('<link href="{assets}/style.css"><img src="{assets}/icon.svg">{styles}')
    (web / "style.css").write_text("/* Often. */\n" + "p { color: red }\n" * 100)
    (web / "icon.svg").write_text("<svg/>")
    (web / "core" / "mark.svg").write_text("<svg/>")
    return web


def ask(site: Site, path: str, **headers: str) -> Response | None:
    file = site.find(path)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return None if file is None else file.answer(Request(path, Headers(given)))


def answered(site: Site, path: str, **headers: str) -> Response:
    answer = ask(site, path, **headers)
    assert answer is not None
    return answer


@pytest.mark.parametrize("path", [*sorted(PAGES), "/KMRTQA", "/kmrtqa", "/kmr-tqa"])
def test_every_path_of_the_page_answers_its_index(folder: Path, path: str) -> None:
    site = Site(folder)
    answer = answered(site, path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.body == b'<link href="%b/style.css"><img src="%b/icon.svg"><style>%b</style>' % (
        *(site.assets.encode(),) * 2,
        TEXT,
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [("style.css", "text/css"), ("icon.svg", "image/svg+xml"), ("core/mark.svg", "image/svg+xml")],
)
def test_what_the_index_loads_may_be_kept_for_ever(folder: Path, name: str, kind: str) -> None:
    site = Site(folder)
    assert f"{site.assets}/{name}" in site.paths
    answer = answered(site, f"{site.assets}/{name}")
    assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.body == (TEXT if name == "style.css" else b"<svg/>")
    assert int(answer.headers["Content-Length"]) == len(answer.body)


def test_another_version_of_any_file_stands_elsewhere(folder: Path) -> None:
    before = Site(folder)
    (folder / "style.css").write_text("p { color: blue }")
    after = Site(folder)
    assert before.assets != after.assets
    assert ask(after, f"{before.assets}/style.css") is None
    assert Site(folder).assets == after.assets
    # A file that takes another's bytes counts as well.
    (folder / "style.css").rename(folder / "other.css")
    assert Site(folder).assets != after.assets


def test_a_browser_keeps_what_is_unchanged(folder: Path) -> None:
    site = Site(folder)
    tag = answered(site, "/").headers["ETag"]
    zipped = answered(site, "/", Accept_Encoding="gzip").headers["ETag"]
    assert tag != zipped
    for known in (tag, zipped, f"W/{tag}", f'"x", {tag}', f'"x",W/{zipped}', "*"):
        answer = answered(site, "/KMRTQA", If_None_Match=known)
        assert (answer.status_code, answer.body, answer.headers["ETag"]) == (304, b"", tag)
        assert answer.headers["Cache-Control"] == "no-cache"
        assert "Content-Length" not in answer.headers
    for unknown in ('"x"', "", tag.strip('"'), tag[:-2] + '"'):
        assert answered(site, "/", If_None_Match=unknown).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "zipped"),
    [("gzip", True), ("gzip, deflate, br, zstd", True), ("br, GZIP;q=0.5", True), ("gzip; q=1.0", True)]
    + [(text, False) for text in ("", "br", "identity", "gzip;q=0", "gzip; q=0.0", "x-gzip", "*")],
)
def test_a_browser_gets_the_form_that_it_takes(folder: Path, accepted: str, zipped: bool) -> None:
    site = Site(folder)
    answer = answered(site, f"{site.assets}/style.css", Accept_Encoding=accepted)
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers.get("Content-Encoding") == ("gzip" if zipped else None)
    assert answer.body is not None
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    assert (gzip.decompress(answer.body) if zipped else answer.body) == TEXT
    assert (len(answer.body) < len(TEXT) / 5) is zipped


def test_no_other_page_gets_hold_of_this_one(folder: Path) -> None:
    site = Site(folder)
    unchanged = answered(site, "/", If_None_Match="*")
    for answer in (answered(site, "/"), answered(site, site.paths[0]), unchanged, misdirected("x", None)):
        headers = answer.headers
        policy = headers["Content-Security-Policy"].split("; ")
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "camera=()" in headers["Permissions-Policy"]
        assert "Set-Cookie" not in headers
        assert len(set(headers)) == len(list(headers.raw_items()))


ODD = [
    *("", "x", "//", "/KMRTQ", "/KMRTQA/", "/KMRTQA1", "/nothing", "/index.html", "/Wall", "/learn/", "/\0"),
    *("/..", "/../etc/passwd", "/%2e%2e/", "/%2F", "/wall%00", "/assets/", "/style.css"),
]
BELOW = [
    *("", "/", "/core", "/core/", "/index.html", "/secret.css", "/../secret.js", "/%2e%2e/secret.js"),
    *("/core/../style.css", "/core%2fmark.svg", "/core\\mark.svg", "/./style.css", "//style.css"),
    *("/style.css\0", "/style.css%00", "/style.css/", "/STYLE.CSS", "/style.css?x", "/style.css;x"),
]


def test_nothing_else_is_found(folder: Path) -> None:
    (folder.parent / "secret.css").write_text("secret")
    site = Site(folder)
    for path in [*ODD, *(site.assets + path for path in BELOW)]:
        assert ask(site, path) is None, path


@given(st.text(), st.text())
def test_no_path_but_those_listed(first: str, second: str) -> None:
    site = own_site()
    for path in (
        f"/{first}",
        f"/assets/{first}/{second}",
        f"{site.assets}/{first}",
        f"{site.paths[0]}{first}",
    ):
        assert (ask(site, path) is None) or path in site.paths or re.fullmatch(r"/[\w\s-]*", path)


def test_only_what_belongs_to_the_page_is_read(folder: Path) -> None:
    for name in ("protocol.d.ts", "notes.md", ".hidden", "style.css~", "key.pem", "core/x.map"):
        (folder / name).write_text("private")
    assert {Path(path).name for path in Site(folder).paths} == {
        *("style.css", "icon.svg", "mark.svg"),
        *(f"{tag}.js" for tag in words.available()),
    }


def test_a_script_loses_comments_and_keeps_its_texts() -> None:
    script = """/** Of `a  b`.
 * @type {string} */
const one = `a  ${b ? `c // d` : `/* e */`}  f`;  // often
  // A comment.
  g(/** @type {any} */ (one), 'k  l');
"""
    expected = "const one = `a  ${b ? `c // d` : `/* e */`}  f`;  // often\ng((one),'k  l');"
    assert compact(".js", script.encode()).decode() == expected
    script = 'const f = (a, b) => a ? [b, "c = d", /[ =] /g] : `e, ${ a } f`;\n\nreturn - 1 + 2 !== 3;\n'
    expected = 'const f=(a,b)=>a?[b,"c = d",/[ =] /g]:`e, ${ a } f`;return-1+2!==3;'
    assert compact(".js", script.encode()).decode() == expected


def test_a_style_sheet_loses_comments_and_blanks() -> None:
    style = "/* I */\n:root, a :is(b) { color: red; margin: 0 1px;\n}\n@media (width < 9px) { p { top: 0; } }"
    expected = ":root,a :is(b){color:red;margin:0 1px}@media (width < 9px){p{top:0}}"
    assert compact(".css", style.encode()).decode() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_no_link_leads_out_of_the_folder(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.css").write_text("secret")
    before = Site(folder).paths
    (folder / "one.css").symlink_to(outside / "secret.css")
    (folder / "all").symlink_to(outside)
    (folder / "gone.css").symlink_to(outside / "nothing.css")
    assert Site(folder).paths == before


def test_no_template_of_a_script_spans_lines() -> None:
    for file in WEB.rglob("*.js"):
        source = re.sub(r"/\*\*.*?\*/|/\^[^/\n]*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        for line in source.splitlines():
            assert line.count("`") % 2 == 0 or line.lstrip().startswith("//"), f"{file.name}: {line}"


def test_a_folder_is_read_once(folder: Path) -> None:
    site = Site(folder)
    before = answered(site, "/").body
    for top, _, names in os.walk(folder):
        for name in names:
            Path(top, name).write_text("changed")
    assert answered(site, "/").body == before


def test_who_comes_by_a_name_reads_which_address_to_use() -> None:
    answer = misdirected("http://games.example:8765", "http://192.168.1.5:8765/KMRTQA")
    text = answer.body.decode()
    assert answer.status_code == 421
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert '<a href="http://192.168.1.5:8765/KMRTQA">http://192.168.1.5:8765/KMRTQA</a>' in text
    assert "parlour serve --origins http://games.example:8765" in text
    assert "<a " not in misdirected("http://games.example", None).body.decode()


def test_nothing_that_was_asked_becomes_markup() -> None:
    evil = '"><script>alert(1)</script>'
    text = misdirected(f"http://{evil}", f"http://192.168.1.5/{evil}").body.decode()
    assert "<script" not in text
    assert '"&gt;' not in text


def test_the_page_is_in_the_package() -> None:
    site = own_site()
    index = answered(site, "/").body.decode()
    head, _, _ = index.partition("<style>")
    named = re.findall(r'(?:href|src)="([^"#]+)"', head)
    assert named
    assert set(named) <= {"/", *site.paths}
    # The policy forbids them.
    assert not re.search(
        r"<[^<>]*\b(on\w+|style)=", re.sub(r"<script.*?</script>", "", index, flags=re.DOTALL)
    )


# ---------------------------------------------------------------- over real sockets


async def asked(url: str, method: str, path: str, *headers: str) -> tuple[str, str]:
    """The head and the body of the answer to this request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    async with asyncio.timeout(DEADLINE):
        writer.write("\r\n".join([f"{method} {path} HTTP/1.1", *headers, "", ""]).encode())
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return head, body


async def test_who_wants_the_head_alone_gets_no_body() -> None:
    async with watched() as (url, _):
        for path in ("/", *own_site().paths, "/healthz", "/nothing"):
            head, body = await asked(url, "HEAD", path, "Host: localhost")
            assert (body, "content-length: 0" in head.lower()) == ("", False)


async def test_where_nothing_is_the_visitor_s_language_says_so_with_a_way_back() -> None:
    async with watched() as (url, _):
        for path in ("/nothing", "//KMRTQA", "/KMRTQA1/"):
            head, body = await asked(url, "GET", path, "Host: localhost", "Accept-Language: pl, en;q=0.5")
            assert " 404 " in head and "content-type: text/html" in head.lower()
            assert '<html lang="pl">' in body and "Niczego tu nie ma." in body
            assert '<a class="button main" href="/">Do lobby</a>' in body and "location:" not in head.lower()
            (style,) = re.findall(r'rel="stylesheet" href="(.*?)"', body)
            assert style in own_site().paths


@pytest.mark.parametrize(
    ("path", "meant"), [("/lab/", "/lab"), ("/lab/?game=nim", "/lab?game=nim"), ("/kmrtqa//", "/kmrtqa")]
)
async def test_a_slash_too_many_leads_to_the_page(path: str, meant: str) -> None:
    async with watched() as (url, _):
        head, _body = await asked(url, "GET", path, "Host: localhost")
        assert " 308 " in head and f"location: {meant}\r\n" in f"{head}\r\n".lower()


async def test_a_page_is_only_opened_where_it_can_connect() -> None:
    async with watched(origins=["https://listed.example"]) as (url, _):
        for host in ("localhost", "127.0.0.1:80", "listed.example"):
            assert "200 OK" in (await asked(url, "GET", "/KMRTQA", f"Host: {host}"))[0]
        head, body = await asked(url, "GET", "/KMRTQA", "Host: games.example:8765")
        assert " 421 " in head
        link = f"{url.replace('ws', 'http', 1)}/KMRTQA"
        assert f'<a href="{link}">{link}</a>' in body
        assert "parlour serve --origins http://games.example:8765" in body
        # Behind a proxy our own address is not the one that leads here.
        head, body = await asked(url, "GET", "/", "Host: games.example", "X-Forwarded-For: 203.0.113.7")
        assert (" 421 " in head, "127.0.0.1" in body, "--origins" in body) == (True, False, True)
        # Files are the same under every name.
        assert "200 OK" in (await asked(url, "GET", own_site().paths[0], "Host: games.example"))[0]
