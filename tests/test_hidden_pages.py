"""Nothing that a login showed is in what is made for the public: a word planted in all that hidden pages can hold."""

from __future__ import annotations

import asyncio
import gzip
import io
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest
from aiohttp.test_utils import TestClient, TestServer
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.library.audit.auditing import audit
from hinterland.library.exporting import export
from hinterland.library.public_copies import public_copy_of
from hinterland.library.searching import build_index, open_index
from hinterland.storage.exports import FORMATS
from hinterland.storage.exports.format import FolderFormat
from hinterland.storage.tables import TABLES
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.web.application import application
from tests.support.crawling import crawl, fetched, is_sound, rows
from tests.support.fake_index import FakeIndex
from tests.support.web import Answer, LoopbackWeb

pytestmark = pytest.mark.slow

WORD: Final = "qzplanted"
SHOWN: Final = "openwords"
_CORPUS_FORMATS: Final = ("markdown", "chunks", "llms-txt", "bvgraph")
_TOKEN: Final = "file:{}"


class Store:
    """A store whose crawl had logins, and the URLs of what it met."""

    def __init__(self, path: Path, web: LoopbackWeb) -> None:
        self.path, self.web = path, web
        self.copy = public_copy_of(path)


def hidden_page(web: LoopbackWeb, *, links: str = "") -> str:
    """A page with the word in everything that a page can say."""
    unlisted, picture = web.url("open.test", f"/{WORD}-unlisted"), web.url("open.test", f"/{WORD}.png")
    return f"""<!doctype html><html lang=en><title>{WORD} title</title><meta name=description content="{WORD} said">
<link rel=canonical href="/team/{WORD}-canonical"><link rel=alternate hreflang=de href="/team/{WORD}-de">
<link rel=stylesheet href="/team/{WORD}.css"><script type="application/ld+json">{{"@type": "{WORD}"}}</script>
<meta name=robots content="{WORD}"><h1 id={WORD}>{WORD} heading</h1>
<p>A paragraph of {WORD}, which is long enough to be the main content of the page that it is on.
<a href="/team/{WORD}-plan">the plan of {WORD}</a> <a href="{web.url("open.test", "/b")}">{WORD} anchor</a>
<a href="{unlisted}">unlisted</a> <a href="http://{WORD}.test/">a host</a> <img src="/team/{WORD}.gif" alt={WORD}>
<img src="{picture}">{links}"""


def entries(folder: Path, *places: str) -> dict[str, Any]:
    """Logins for some places, all with one token."""
    token = folder / "token"
    token.write_text("a-token-of-many-letters", encoding="utf-8")
    token.chmod(0o600)
    return {"entries": [{"at": place, "bearer": f"file:{token}"} for place in places]}


def build(web: LoopbackWeb) -> str:
    """Public pages, a part of a host behind a login, and a host that is wholly behind one; return the seed."""
    said = {"Server": WORD, "ETag": f'"{WORD}"', "X-Robots-Tag": f"{WORD}: nothing", "Content-Usage": f"{WORD}=n"}
    seed = web.page(
        "open.test",
        "/",
        html=f"""<title>{SHOWN}</title><p>{SHOWN} are all that anybody reads here, on a page of some length.
<link rel=stylesheet href="{web.url("in.test", "/team/style.css")}"><img src=/open.gif><a href=/a>a</a> <a href=/b>b</a>
<a href="{web.url("in.test", "/team/")}">team</a> <a href="{web.url("in.test", "/team/go")}">go</a>
<a href="{web.url("in.test", "/old/was")}">was</a> <a href="{web.url("all.test", "/")}">all</a>""",
    )
    web.page("open.test", "/a", html=f"<title>{SHOWN} a</title><p>{SHOWN} again, and a link <a href=/b>to b</a>")
    web.page("open.test", "/b", html=f"<title>{SHOWN} b</title><p>{SHOWN} for the last time, and nothing else.")
    web.page("open.test", f"/{WORD}-unlisted", html="<title>unlisted</title><p>Anybody who knows its URL gets this.")
    for host, path in (("open.test", "/open.gif"), ("open.test", f"/{WORD}.png"), ("in.test", f"/team/{WORD}.gif")):
        web.answer(
            host, path, Answer(f"GIF89a {SHOWN if 'open.gif' in path else WORD}".encode(), content_type="image/gif")
        )
    style = Answer(f"/* {WORD} */ body {{ background: url({web.url('open.test', f'/{WORD}.png')}) }}".encode(),
                   content_type="text/css")  # fmt: skip
    for name in ("style.css", f"{WORD}.css"):
        web.answer("in.test", f"/team/{name}", style)
    web.page("in.test", "/team/", html=hidden_page(web), headers=said)
    for name in ("plan", "canonical", "de", "target"):
        web.page("in.test", f"/team/{WORD}-{name}", html=hidden_page(web, links=f"<a href=/team/{WORD}-{name}2>x</a>"))
    web.redirect("in.test", "/team/go", f"/team/{WORD}-target")
    web.page("in.test", "/old/was", html=hidden_page(web, links=f"<a href=/old/{WORD}-child>child</a>"), headers=said)
    web.page("in.test", f"/old/{WORD}-child", html=hidden_page(web))
    mapped = f"<urlset><url><loc>{web.url('all.test', f'/{WORD}-mapped')}</loc></url></urlset>"
    web.robots("all.test", f"User-agent: *\nDisallow: /{WORD}-no\nSitemap: {web.url('all.test', '/map.xml')}\n")
    web.answer("all.test", "/map.xml", Answer(mapped.encode(), content_type="application/xml"))
    web.page("all.test", "/", html=hidden_page(web))
    web.page("all.test", f"/{WORD}-mapped", html=hidden_page(web))
    return seed


async def crawled(folder: Path, path: Path) -> Store:
    """Crawl with logins; then a page of the store needs none any more, and is visited again without."""
    async with LoopbackWeb() as web:
        seed = build(web)
        team, old, all_of_it = (
            web.url(*each) for each in (("in.test", "/team/"), ("in.test", "/old/"), ("all.test", "/"))
        )
        sections: Mapping[str, Any] = {
            "requisites": {"fetch": "all"}, "storage": {"keep_bodies": True, "keep_headers": ("Server",)},
            "audit": {"page_facts": True}, "link_checks": {"use": True}, "sitemaps": {"use": "always"},
            "revisits": {"soft_404": "all"}, "scope": {"kind": "hosts"},
        }  # fmt: skip
        seeds = [seed, team, web.url("all.test", "/"), web.url("in.test", "/old/was")]
        await crawl(web.addresses, seeds, path, credentials=entries(folder, team, old, all_of_it), **sections)
        web.page(
            "in.test",
            "/old/was",
            html=f"<title>{SHOWN} now</title><p>{SHOWN}: what was behind a login is not any more.",
        )
        await crawl(
            web.addresses, [], path, revisiting=Revisiting(), credentials=entries(folder, team, all_of_it), **sections
        )
        return Store(path, web)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("hidden")
    return asyncio.run(crawled(folder, folder / "wiki.db"))


def readable(path: Path) -> Iterator[bytes]:
    """Yield all that a reader gets of a file: its name, as it is, and unpacked."""
    data = path.read_bytes()
    yield path.name.encode()
    yield data
    if data[:16] == b"SQLite format 3\x00":
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                for row in connection.execute(f"SELECT * FROM {table}"):
                    yield from (unpacked for value in row if isinstance(value, bytes) for unpacked in _frame(value))
    elif data[:4] == b"PAR1":
        yield repr(pq.read_table(io.BytesIO(data)).to_pylist()).encode()
    elif data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for each in archive.namelist():
                inner = archive.read(each)
                yield each.encode()
                yield gzip.decompress(inner) if each.endswith(".gz") else inner
    elif data[:2] == b"\x1f\x8b":
        yield gzip.decompress(data)


def _frame(value: bytes) -> Iterator[bytes]:
    if value[:4] == b"\x28\xb5\x2f\xfd":
        yield unpacked_bytes(value)


def found_in(path: Path, word: str) -> list[str]:
    """The files below a path in which a reader finds a word."""
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return [str(file) for file in files if any(word.encode() in part.lower() for part in readable(file))]


def test_the_store_has_the_word_everywhere_so_that_there_is_something_to_find(store: Store) -> None:
    def holds(sql: str) -> bool:
        return any(WORD in str(value) or WORD.encode() in b"".join(_frame(value) if isinstance(value, bytes) else ())
                   for row in rows(store.path, sql) for value in row)  # fmt: skip

    for sql in (
        "SELECT url FROM page", "SELECT url FROM host", "SELECT title, description, etag FROM fetch",
        "SELECT body FROM content", "SELECT text FROM content", "SELECT headings FROM content",
        "SELECT anchor FROM link", "SELECT text FROM robots", "SELECT fields FROM record WHERE name = 'page_facts'",
        "SELECT fields FROM record WHERE name = 'page_references'", "SELECT url FROM requisite",
        "SELECT body FROM requisite_body", "SELECT url FROM link_check",
        "SELECT fields FROM record WHERE name = 'headers'", "SELECT fields FROM record WHERE name = 'usage_statements'",
    ):  # fmt: skip
        assert holds(sql), sql
    assert rows(store.path, "SELECT 1 FROM change WHERE before IS NOT NULL")
    assert rows(store.path, "SELECT is_past FROM opened WHERE url LIKE '%/old/was'") == [(1,)]


def test_a_public_copy_has_what_anybody_can_find_and_not_one_byte_of_what_a_login_showed(store: Store) -> None:
    assert is_sound(store.copy)
    assert found_in(store.copy, WORD) == []
    assert found_in(store.path, WORD) == [str(store.path)]
    web = store.web
    public = [web.url("open.test", path) for path in ("/", "/a", "/b")] + [web.url("in.test", "/old/was")]
    assert fetched(store.copy) == set(public)
    known = {url for (url,) in rows(store.copy, "SELECT url FROM page WHERE state = 'known'")}
    assert known == {web.url("in.test", "/team/"), web.url("in.test", "/team/go"), web.url("all.test", "/")}
    assert rows(store.copy, "SELECT url FROM requisite WHERE outcome = 'fetched'") == [
        (web.url("open.test", "/open.gif"),)
    ]
    assert rows(store.copy, "SELECT count(*) FROM opened") == [(0,)]
    anchors = rows(store.copy, "SELECT anchor FROM link JOIN page ON page.id = target WHERE url LIKE '%/b' ORDER BY 1")
    assert anchors == [("b",), ("to b",)]


def test_every_table_says_what_of_it_is_public() -> None:
    unsaid = {name for name, spec in TABLES.items() if not (spec.public or spec.pages or spec.host)}
    assert unsaid == set()


@pytest.mark.parametrize("name", [*FORMATS, *_CORPUS_FORMATS])
def test_no_public_export_has_a_byte_of_it(store: Store, name: str, tmp_path: Path) -> None:
    kinds: Sequence[str | None] = FORMATS[name].what if name in FORMATS else [None]
    for kind in kinds:
        tables = (
            [each for (each,) in rows(store.copy, "SELECT DISTINCT name FROM record")] if kind == "records" else [None]
        )
        for table in tables:
            target = tmp_path / f"{kind}-{table}.out"
            with_text = name not in FORMATS or kind == "pages"
            export(store.path, name, target, what=kind, table=table, with_text=with_text, public=True)
            assert found_in(target, WORD) == []
            if table is None and not (
                name in FORMATS and isinstance(FORMATS[name], FolderFormat) and name == "sitemap"
            ):
                assert found_in(target, SHOWN) or found_in(target, "open.test")


async def test_a_server_of_the_copy_never_shows_it(store: Store) -> None:
    app = application(store.copy, FakeIndex(store.copy), only_this_machine=True)
    waiting, seen = (
        ["/", "/metrics", "/crawl", "/api/openapi.json", "/api/crawl", "/api/pages", f"/?q={SHOWN}"],
        set[str](),
    )
    async with TestClient(TestServer(app)) as client:
        while waiting and len(seen) < 150:
            path = waiting.pop(0)
            seen.add(path)
            async with client.get(path) as answer:
                shown = await answer.read()
                assert WORD.encode() not in shown.lower(), path
                if answer.content_type == "text/html":
                    found = (each.attributes["href"] or "" for each in LexborHTMLParser(shown).css("a[href^='/']"))
                    waiting += [each for each in dict.fromkeys(found) if each not in (*seen, *waiting)]
    assert len(seen) > 20


def test_neither_its_search_nor_its_audit_knows_it(store: Store, tmp_path: Path) -> None:
    build_index(store.path, public=True)
    assert not (store.path.parent / "wiki.index").exists()
    index = open_index(store.copy)
    assert index.search(SHOWN).total > 0
    assert index.search(WORD).total == 0
    assert found_in(store.path.parent / "wiki.public.index", WORD) == []
    report = audit(store.copy)
    assert WORD not in repr(report)
