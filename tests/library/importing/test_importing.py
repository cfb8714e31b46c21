"""Archives taken in: as if the crawl had been ours."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.cli.demo.web import DemoWeb
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.library.importing.importing import ImportReport, ImportRequest, import_archives
from hinterland.library.importing.items import ArchivedLinks, Skipped
from hinterland.library.importing.link_data import LinkDataReader, archive_time
from hinterland.storage.link_store import LinkStore
from tests.storage.test_warc_reading import record
from tests.support.crawling import crawl, is_sound, links, outcomes, quick_settings, rows, states
from tests.support.gate_pages import GATE_PAGES
from tests.support.web import Answer, Handler, LoopbackWeb
from tests.support.web_behaviours import encoded, huge, raw, truncated

pytestmark = pytest.mark.slow

WHAT_A_STORE_SAYS = (
    """SELECT url, state, outcome, detail, status, is_local, content_type, charset, body_bytes, body_hash, title,
              description, language, redirect_target, canonical, is_noindex, is_nofollow
       FROM pages WHERE outcome <> 'robots'""",
    "SELECT source, target, kind, nofollow, anchor, leaves_host, target_is_local FROM links",
    "SELECT url, text, headings, body FROM content JOIN page ON page.id = content.page",
    "SELECT host.url, status, text, crawl_delay, sitemaps FROM robots JOIN host ON host.id = robots.host",
    "SELECT url, site, pages_fetched, address FROM host",
)


KEEP = {"keep_bodies": True}


async def taken_in(store: Path, *paths: Path, local: tuple[str, ...] = (), **changes: dict[str, Any]) -> ImportReport:
    settings = quick_settings({}, **changes)
    async with LinkStore(store) as opened:
        request = ImportRequest(paths, settings, local, ["import"])
        report = await import_archives(request, opened, lambda: 1e9, lambda _: None)
    assert is_sound(store)
    return report


def said(store: Path) -> list[set[tuple[Any, ...]]]:
    return [set(rows(store, question)) for question in WHAT_A_STORE_SAYS]


async def test_the_archive_of_a_crawl_gives_the_store_of_that_crawl(tmp_path: Path) -> None:
    keep = {"keep_bodies": True}
    async with DemoWeb() as web:
        await crawl(web.addresses, web.seeds, tmp_path / "s.db", warc=tmp_path / "warc", storage=keep)
    report = await taken_in(tmp_path / "i.db", *(tmp_path / "warc").glob("*.gz"), local=web.seeds, storage=keep)
    assert report.outcomes["fetched"] > 300
    assert said(tmp_path / "i.db") == said(tmp_path / "s.db")


async def test_what_pages_say_of_their_use_and_chosen_header_fields_are_taken_in_as_a_crawl_keeps_them(
    tmp_path: Path,
) -> None:
    storage = {"keep_headers": ["X-Served-By"]}
    fields = {"X-Served-By": "cache 7", "Content-Usage": "train-ai=n", "X-Robots-Tag": "noai"}
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b", "/c"], headers=fields)
        web.page("a.test", "/b", html='<meta name="tdm-reservation" content="1">')
        web.page("a.test", "/c")
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", storage=storage)
        await taken_in(tmp_path / "i.db", *(tmp_path / "warc").glob("*.gz"), local=(seed,), storage=storage)
        web.page("a.test", "/", links=["/b", "/c"], html="<p>other words")
        await crawl(web.addresses, [seed], tmp_path / "new.db", warc=tmp_path / "newer", storage=storage)
    for view in ("x_usage_statements", "x_headers"):
        columns = "url, source, statement, train_ai" if view.startswith("x_usage") else "url, x_served_by"
        question = f"SELECT {columns} FROM {view} ORDER BY 1, 2"
        assert rows(tmp_path / "i.db", question) == rows(tmp_path / "s.db", question) != []
    await taken_in(tmp_path / "i.db", *(tmp_path / "newer").glob("*.gz"), local=(seed,), storage=storage)
    assert rows(tmp_path / "i.db", "SELECT statement FROM x_usage_statements") == [("tdm-reservation: 1",)]


async def test_an_archive_with_revisits_gives_each_page_once_and_as_it_was(tmp_path: Path) -> None:
    keep = {"keep_bodies": True}
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/x"])
        web.page("a.test", "/x")
        for number in range(2):
            await crawl(web.addresses, [seed], tmp_path / f"{number}.db", warc=tmp_path / "warc", storage=keep)
    report = await taken_in(tmp_path / "i.db", *sorted((tmp_path / "warc").glob("*.gz")), local=(seed,), storage=keep)
    assert report.outcomes == {"fetched": 2}
    assert report.skipped["revisit", "the same payload is archived elsewhere"] == 3  # robots.txt is not there, again
    assert said(tmp_path / "i.db") == said(tmp_path / "0.db")


async def test_a_page_that_came_back_as_it_was_is_what_it_was_before(tmp_path: Path) -> None:
    keep = {"keep_bodies": True}
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/moves", "/fails", "/stays"])
        web.page("a.test", "/stays")
        for number in range(3):
            if number == 1:
                web.redirect("a.test", "/moves", "/stays")
                web.answer("a.test", "/fails", Answer(b"", 410))
            else:
                web.page("a.test", "/moves", links=["/stays"])
                web.page("a.test", "/fails", links=["/moves"])
            await crawl(web.addresses, [seed], tmp_path / f"{number}.db", warc=tmp_path / "warc", storage=keep)
    archive = sorted((tmp_path / "warc").glob("*.gz"))
    await taken_in(tmp_path / "i.db", *archive, local=(seed,), storage=keep)
    pages_links_and_texts = slice(3)
    expected = said(tmp_path / "2.db")[pages_links_and_texts]
    assert said(tmp_path / "i.db")[pages_links_and_texts] == expected == said(tmp_path / "0.db")[pages_links_and_texts]
    report = await taken_in(tmp_path / "i.db", *archive, local=(seed,), storage=keep)
    assert report.pages == 0


async def test_a_page_that_moved_again_has_moved(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/a"])
        web.page("a.test", "/b")
        for number in range(3):
            if number == 1:
                web.page("a.test", "/a")
            else:
                web.redirect("a.test", "/a", "/b")
            await crawl(web.addresses, [seed], tmp_path / f"{number}.db", warc=tmp_path / "warc")
    await taken_in(tmp_path / "i.db", *sorted((tmp_path / "warc").glob("*.gz")), local=(seed,))
    assert said(tmp_path / "i.db")[:2] == said(tmp_path / "2.db")[:2]


def revisit(url: str, *, refers: str, at: str) -> bytes:
    """A revisit without an HTTP head, a day later than what it repeats."""
    fields = f"WARC-Refers-To-Target-URI: {refers}\r\nWARC-Refers-To-Date: {at}\r\nWARC-Target-URI"
    plain = record(url=url, kind="revisit", block=b"\r\n").replace(b"2020-01-02", b"2020-01-03")
    return plain.replace(b"WARC-Target-URI", fields.encode(), 1)


async def test_pages_that_repeat_an_answer_of_another_url_are_read_from_there(tmp_path: Path) -> None:
    page = record(
        url="http://a.test/", block=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>the same</title>"
    )
    same = {"refers": "http://a.test/", "at": "2020-01-02T03:04:05Z"}
    (tmp_path / "a.warc").write_bytes(
        revisit("http://a.test/copy", **same)
        + page
        + revisit("http://b.test/copy", **same)
        + revisit("http://a.test/lost", refers="http://c.test/", at="2020-01-02T03:04:05Z")
        + revisit("http://a.test/unsaid", refers="http://a.test/", at="")
    )
    report = await taken_in(tmp_path / "i.db", tmp_path / "a.warc")
    assert rows(tmp_path / "i.db", "SELECT url, title FROM pages ORDER BY url") == [
        ("http://a.test/", "the same"),
        ("http://a.test/copy", "the same"),
        ("http://b.test/copy", "the same"),
    ]
    assert report.skipped["revisit", "the answer that it repeats is not in these files"] == 1
    assert report.skipped["revisit", "it does not say which answer it repeats"] == 1


async def test_a_304_that_refers_to_nothing_leaves_the_page_as_it_is(tmp_path: Path) -> None:
    later = record(block=b"HTTP/1.1 304 Not Modified\r\n\r\n").replace(b"2020-", b"2021-")
    (tmp_path / "a.warc").write_bytes(
        record(block=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>a</title>") + later
    )
    report = await taken_in(tmp_path / "i.db", tmp_path / "a.warc")
    assert report.outcomes == {"fetched": 1}
    assert report.skipped["response", "status 304, which says nothing about the page"] == 1
    assert rows(tmp_path / "i.db", "SELECT title FROM pages") == [("a",)]


async def test_failures_come_out_as_in_the_crawl(tmp_path: Path) -> None:
    fetching = {"max_attempts": 1, "max_body_bytes": 50_000, "body_timeout_seconds": 1.0}
    german = Answer("<title>Grüße</title>".encode("latin-1"), content_type="text/html; charset=latin-1")
    handlers: dict[str, Handler] = {
        "/cut": truncated(Answer(b"<p>hello hello")),
        "/large": huge(400_000),
        "/picture": Answer(b"GIF", content_type="image/gif"),
        "/gone": Answer(b"", status=410),
        "/broken": Answer(b"", status=500),
        "/strange": Answer(bytes(range(256)), headers={"Content-Encoding": "rot13"}),
        "/latin": german,
        "/brotli": encoded(Answer(b'<a href="/x" rel=nofollow>x</a>'), "br"),
        "/noindex": Answer(b"<p>", headers={"X-Robots-Tag": "noindex, nofollow"}),
        "/nowhere": Answer(b"", status=302),
    }
    async with LoopbackWeb() as web:
        for path, handler in handlers.items():
            web.answer("a.test", path, handler)
        seed = web.page("a.test", "/", links=list(handlers))
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", fetching=fetching)
    archive = next((tmp_path / "warc").glob("*.gz"))
    await taken_in(tmp_path / "i.db", archive, local=(seed,), fetching=fetching)
    there, here = outcomes(tmp_path / "s.db"), outcomes(tmp_path / "i.db")
    assert set(there.values()) == {
        *("fetched", "truncated", "too_large", "other_type", "client_error", "server_error"),
        *("unknown_encoding", "bad_redirect"),
    }
    assert here == there
    assert links(tmp_path / "i.db") == links(tmp_path / "s.db")


async def test_answers_after_empty_lines_come_out_as_in_the_crawl(tmp_path: Path) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 24\r\n\r\n<title>t</title><p>hello"
    handlers = {
        "/page": raw(b"\r\n" + page),
        "/late": raw(b"HTTP/1.1 103 Early Hints\r\n\r\n\r\n" + page),
        "/old": raw(b"\n\n" + page.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"\r\n", b"\n")),
        "/gone": raw(b"\r\nHTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"),
        "/moved": raw(b"\r\n" * 9 + b"HTTP/1.1 301 Moved\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n"),
    }
    async with LoopbackWeb() as web:
        for path, handler in handlers.items():
            web.answer("a.test", path, handler)
        seed = web.page("a.test", "/", links=list(handlers))
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", storage=KEEP)
    await taken_in(tmp_path / "i.db", *(tmp_path / "warc").glob("*.gz"), local=(seed,), storage=KEEP)
    assert sorted(outcomes(tmp_path / "s.db").values()) == ["client_error", *["fetched"] * 4, "redirected"]
    assert said(tmp_path / "i.db") == said(tmp_path / "s.db")


@pytest.mark.parametrize("lead", [b"\r\n", b"\n", b"\r\n\r\n\r\n"])
async def test_a_page_after_empty_lines_is_taken_in_from_archives_of_others(tmp_path: Path, lead: bytes) -> None:
    block = lead + b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<title>a</title>"
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(record(block=block)))
    report = await taken_in(tmp_path / "i.db", tmp_path / "a.warc.gz")
    assert report.outcomes == {"fetched": 1}
    assert rows(tmp_path / "i.db", "SELECT status, title, body_bytes FROM pages") == [(200, "a", 16)]


async def test_a_page_of_a_gate_is_no_page_in_an_archive_either(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        paths = []
        for number, (code, page, _) in enumerate(GATE_PAGES.values()):
            paths.append(f"/{number}")
            web.answer("a.test", paths[-1], Answer(page, code))
        seed = web.page("a.test", "/", links=paths)
        patient = {"give_up_after_failures": 1000}
        crawled = await crawl(
            web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", politeness=patient, storage=KEEP
        )
    archive = next((tmp_path / "warc").glob("*.gz"))
    await taken_in(tmp_path / "i.db", archive, local=(seed,), storage=KEEP)
    expected = {web.url("a.test", path): "challenged" for path in paths} | {seed: "fetched"}
    for store in (crawled.store, tmp_path / "i.db"):
        assert outcomes(store) == expected
        assert rows(store, "SELECT url FROM content JOIN page ON page.id = page") == [(seed,)]


async def test_the_same_archive_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(b"".join(gzip.compress(record(f"http://a.test/{n}")) for n in range(5)))
    first = await taken_in(tmp_path / "s.db", path)
    before = said(tmp_path / "s.db")
    again = await taken_in(tmp_path / "s.db", path)
    assert (first.pages, again.pages, again.known_already) == (5, 0, 5)
    assert said(tmp_path / "s.db") == before


async def test_an_import_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    data = b"".join(record(f"http://a.test/{n}") for n in range(100))
    path.write_bytes(data[: len(data) // 2])
    await taken_in(tmp_path / "s.db", path)
    path.write_bytes(data)
    report = await taken_in(tmp_path / "s.db", path)
    assert 0 < report.pages < 100
    assert set(states(tmp_path / "s.db").values()) == {"fetched"}
    assert len(states(tmp_path / "s.db")) == 100


def page(body: str, status: int = 200) -> bytes:
    return f"HTTP/1.1 {status} X\r\nContent-Type: text/html\r\n\r\n{body}".encode()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_of_two_captures_the_newer_one_counts(tmp_path: Path, order: tuple[int, int]) -> None:
    captures = [
        record(block=page('<title>old</title><a href="/old">')),
        record(block=page('<title>new</title><a href="/new">')).replace(b"2020-01-02", b"2021-01-02"),
    ]
    path = tmp_path / "x.warc"
    path.write_bytes(b"".join(captures[place] for place in order))
    await taken_in(tmp_path / "s.db", path)
    assert rows(tmp_path / "s.db", "SELECT title FROM pages WHERE outcome = 'fetched'") == [("new",)]
    assert links(tmp_path / "s.db") == {("http://a.test/", "http://a.test/new", "a")}


async def test_a_later_failure_takes_the_links_of_an_earlier_page_away(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(
        record(block=page('<a href="/old">')) + record(block=page("", 404)).replace(b"2020-01-02", b"2021-01-02")
    )
    await taken_in(tmp_path / "s.db", path)
    assert outcomes(tmp_path / "s.db") == {"http://a.test/": "client_error"}
    assert links(tmp_path / "s.db") == set()


async def test_without_a_word_every_host_with_a_page_is_local(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    image = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    path.write_bytes(
        record("http://b.test/gone", block=page("", 404))
        + record("http://a.test/", block=page('<a href="http://b.test/x">'))
        + record("http://b.test/", block=page("<p>"))
        + record("http://c.test/i.png", block=image)
    )
    await taken_in(tmp_path / "s.db", path)
    found = dict(rows(tmp_path / "s.db", "SELECT url, is_local FROM page"))
    assert found == {
        "http://b.test/gone": 1,
        "http://a.test/": 1,
        "http://b.test/x": 1,
        "http://b.test/": 1,
        "http://c.test/i.png": 0,
    }
    assert states(tmp_path / "s.db")["http://b.test/gone"] == "failed"
    assert states(tmp_path / "s.db")["http://b.test/x"] == "waiting"


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Type: text/html charset=utf-8\r\n",
        "Content-Type: text/html,\r\n",
        "Content-Type: text/plain\r\nContent-Type: text/html; charset=utf-8\r\n",
        "",
    ],
)
async def test_an_archived_page_is_known_by_its_content_type_as_a_fetched_one(fields: str, tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(record("http://a.test/", block=f"HTTP/1.1 200 OK\r\n{fields}\r\n<p>hi".encode()))
    await taken_in(tmp_path / "s.db", path)
    assert states(tmp_path / "s.db") == {"http://a.test/": "fetched"}
    assert outcomes(tmp_path / "s.db") == {"http://a.test/": "fetched"}


async def test_local_urls_draw_the_border(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(record("http://a.test/") + record("http://b.test/"))
    await taken_in(tmp_path / "s.db", path, local=("http://a.test/",))
    assert dict(rows(tmp_path / "s.db", "SELECT url, is_local FROM page")) == {"http://a.test/": 1, "http://b.test/": 0}
    assert set(states(tmp_path / "s.db").values()) == {"fetched"}


@pytest.mark.parametrize("status", [301, 503])
async def test_an_archived_robots_txt_that_moved_or_failed_says_nothing_about_its_host(
    tmp_path: Path, status: int
) -> None:
    robots = b"HTTP/1.1 %d X\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /" % status
    path = tmp_path / "x.warc"
    path.write_bytes(record("http://a.test/robots.txt", block=robots) + record("http://a.test/"))
    report = await taken_in(tmp_path / "s.db", path)
    assert (report.robots, report.pages) == (0, 1)
    assert report.skipped == {("response", "a robots.txt that moved or failed"): 1}
    assert rows(tmp_path / "s.db", "SELECT * FROM robots") == []


async def test_a_line_of_an_index_that_is_too_long_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    path = tmp_path / "x.cdxj"
    line = 'test,b)/ 20200101000000 {"url": "http://b.test/", "links": ["/q"]}\n'
    path.write_text(f"{'x' * (33 << 20)}\n{line}")
    report = await taken_in(tmp_path / "s.db", path)
    assert report.link_data == 1
    assert report.skipped == {("index line", "too long"): 1}


async def test_a_page_archived_without_its_http_answer_is_a_page_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    resource = record(block=b"<title>A page</title>", kind="resource")
    path.write_bytes(resource.replace(b"Content-Length", b"Content-Type: text/html\r\nContent-Length"))
    await taken_in(tmp_path / "s.db", path)
    assert rows(tmp_path / "s.db", "SELECT title, status FROM pages") == [("A page", 200)]


async def test_every_record_that_gives_no_page_is_counted_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(
        record(kind="warcinfo")
        + record(kind="request")
        + record(kind="revisit")
        + record(kind="conversion")
        + record(kind="metadata")
        + record(kind="\x1b[31mevil")
        + record("dns:a.test")
        + record(block=b"no HTTP")
        + record().replace(b"2020-01-02", b"yesterday")
        + record("http://" + "x" * 5000)
        + b"\n\nnot a record\n"
    )
    report = await taken_in(tmp_path / "s.db", path)
    assert report.pages == 0
    assert {kind for kind, _ in report.skipped} == {
        *("warcinfo", "request", "revisit", "conversion", "metadata", "other", "response", "file")
    }
    assert report.skipped.total() == 11
    assert "\x1b" not in str(report.as_json())


async def test_a_hostile_body_costs_its_page_and_nothing_else(tmp_path: Path) -> None:
    bomb = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(
        bytes(50 << 20)
    )
    path = tmp_path / "x.warc"
    path.write_bytes(record("http://a.test/bomb", block=bomb) + record("http://a.test/"))
    await taken_in(tmp_path / "s.db", path)
    assert outcomes(tmp_path / "s.db") == {"http://a.test/bomb": "too_large", "http://a.test/": "fetched"}


# --- link data ----------------------------------------------------------------------------------

WAT: dict[str, Any] = {
    "Envelope": {
        "WARC-Header-Metadata": {"WARC-Target-URI": "http://a.test/x/", "WARC-Date": "2020-01-02T03:04:05Z"},
        "Payload-Metadata": {
            "HTTP-Response-Metadata": {
                "Response-Message": {"Status": "200"},
                "Headers": {"Content-Type": "text/html", "X-Robots-Tag": "noindex"},
                "HTML-Metadata": {
                    "Head": {
                        "Title": " A  page ",
                        "Base": "/y/",
                        "Metas": [{"name": "description", "content": "about it"}],
                        "Link": [
                            {"path": "LINK@/href", "url": "/", "rel": "canonical"},
                            {"url": "/s.css", "rel": "stylesheet"},
                        ],
                    },
                    "Links": [
                        {"path": "A@/href", "url": "one", "text": "One", "rel": "nofollow"},
                        {"path": "IMG@/src", "url": "/i.png"},
                        {"path": "IFRAME@/src", "url": "//b.test/"},
                        "junk",
                    ],
                },
            }
        },
    }
}


def reader() -> LinkDataReader:
    return LinkDataReader(
        LinkResolver(Canonicaliser(max_length=2000, sort_parameters=False, drop_parameters=())), "Hinterland"
    )


def test_a_wat_record_gives_links_title_and_directives() -> None:
    item = reader().wat(json.dumps(WAT).encode(), "http://a.test/x/", "2020-01-02T03:04:05Z")
    assert isinstance(item, ArchivedLinks)
    assert (item.page.title, item.page.description, item.page.noindex) == ("A page", "about it", True)
    assert item.page.canonical == "http://a.test/"
    assert list(
        zip(item.page.link_urls, item.page.link_kinds, item.page.link_nofollow, item.page.link_anchors, strict=True)
    ) == [
        ("http://a.test/y/one", LinkKind.A, 1, "One"),
        ("http://b.test/", LinkKind.IFRAME, 0, ""),
        ("http://a.test/", LinkKind.CANONICAL, 0, ""),
    ]


def wat_page(head: dict[str, Any], links: Sequence[object] = ()) -> ParsedPage:
    """What is read of a WAT record about a page with this head and these links."""
    value = deepcopy(WAT)
    html = {"Head": head, "Links": links}
    response = value["Envelope"]["Payload-Metadata"]["HTTP-Response-Metadata"]
    response |= {"Headers": {}, "HTML-Metadata": html}
    item = reader().wat(json.dumps(value).encode(), "http://a.test/x/", "2020-01-02T03:04:05Z")
    assert isinstance(item, ArchivedLinks)
    return item.page


def test_a_wat_record_keeps_what_its_meta_elements_say_to_crawlers() -> None:
    links = [{"path": "A@/href", "url": "one"}]
    plain = wat_page({"Metas": [{"name": "viewport", "content": "noindex, nofollow"}]}, links)
    assert (list(plain.link_nofollow), plain.noindex) == ([0], False)
    for name in ("Robots", "HINTERLAND"):
        forbidding = wat_page({"Metas": [{"name": name, "content": "noindex, nofollow"}]}, links)
        assert (list(forbidding.link_nofollow), forbidding.nofollow, forbidding.noindex) == ([1], True, True)
    assert not wat_page({"Metas": [{"name": "otherbot", "content": "noindex"}]}, links).noindex


def test_a_wat_record_keeps_where_a_page_refreshes_to_once() -> None:
    refreshes = [{"http-equiv": "Refresh", "content": f"0; url=/{name}"} for name in ("first", "second")]
    page = wat_page({"Metas": refreshes})
    assert list(zip(page.link_urls, page.link_kinds, strict=True)) == [("http://a.test/first", LinkKind.REFRESH)]


def test_a_wat_record_keeps_the_next_page_and_the_alternates_of_a_page() -> None:
    page = wat_page(
        {
            "Link": [
                {"url": "/2", "rel": "next"},
                {"url": "/de", "rel": "alternate"},
                {"url": "/dark.css", "rel": "alternate stylesheet"},
            ]
        }
    )
    assert list(zip(page.link_urls, page.link_kinds, strict=True)) == [
        ("http://a.test/2", LinkKind.NEXT),
        ("http://a.test/de", LinkKind.ALTERNATE),
    ]


@pytest.mark.parametrize("line", ["yesterday", "20200101000000"])
def test_link_data_without_a_usable_date_or_status_is_skipped_with_the_reason(line: str) -> None:
    status = "200" if line == "yesterday" else "?"
    text = f'test,a)/ {line} {{"url": "http://a.test/", "status": "{status}", "links": []}}'
    assert reader().cdxj(text.encode()) == Skipped("index line", "no usable URL, date or status")
    value = json.dumps(WAT).replace('"200"', f'"{status}"').replace("2020-01-02T03:04:05Z", line)
    assert reader().wat(value.encode(), "http://a.test/x/", "") == Skipped("metadata", "no usable URL, date or status")


async def test_wat_and_cdxj_fill_the_same_tables(tmp_path: Path) -> None:
    wat, cdxj = tmp_path / "x.warc.wat.gz", tmp_path / "x.cdxj"
    head = record("http://a.test/x/", json.dumps(WAT).encode(), "metadata")
    wat.write_bytes(gzip.compress(head.replace(b"Content-Length", b"Content-Type: application/json\r\nContent-Length")))
    cdxj.write_text(
        "!meta x\n"
        'test,b)/ 20200101000000 {"url": "http://b.test/", "links": ["/q", {"url": "/r", "text": "R"}]}\n'
        'test,c)/ 20200101000000 {"url": "http://c.test/", "status": "200"}\n'
    )
    report = await taken_in(tmp_path / "s.db", wat, cdxj)
    assert (report.link_data, report.outcomes["fetched"]) == (2, 2)
    assert report.skipped == {("index line", "no links in it"): 1}
    assert ("http://b.test/", "http://b.test/r", "a") in links(tmp_path / "s.db")
    assert ("http://a.test/x/", "http://a.test/y/one", "a") in links(tmp_path / "s.db")
    assert rows(tmp_path / "s.db", "SELECT title FROM pages WHERE url = 'http://a.test/x/'") == [("A page",)]


KEYS = (
    *("Envelope", "Payload-Metadata", "HTTP-Response-Metadata", "WARC-Header-Metadata", "WARC-Target-URI", "WARC-Date"),
    *("Response-Message", "Status", "Headers", "HTML-Metadata", "Head", "Links", "Link", "Metas", "Base", "url"),
    *("path", "rel", "text", "content-type", "Location", "links", "status"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=30,
)


@given(JSON)
def test_no_json_makes_link_data_raise(value: object) -> None:
    data = json.dumps(value).encode()
    assert isinstance(reader().wat(data, "http://a.test/", "2020-01-02T03:04:05Z"), ArchivedLinks | Skipped)
    assert isinstance(reader().cdxj(b"a 20200101000000 " + data), ArchivedLinks | Skipped)


@given(st.binary(max_size=60))
def test_no_line_makes_an_index_raise(line: bytes) -> None:
    assert isinstance(reader().cdxj(line), ArchivedLinks | Skipped | None)


@pytest.mark.parametrize(
    "date, seconds",
    [
        ("2020-01-02T03:04:05Z", 1577934245.0),
        ("2020-01-02T03:04:05.5Z", 1577934245.5),
        ("20200102030405", 1577934245.0),
        ("2020-01-02", 1577923200.0),
        ("2020-02", 1580515200.0),
        (" 2020", 1577836800.0),
        ("2020-13", None),
        ("yesterday", None),
        ("", None),
        ("99999999999999", None),
    ],
)
def test_dates_of_archives_are_read(date: str, seconds: float | None) -> None:
    assert archive_time(date) == seconds


WHOLE = b"".join(record(f"http://a.test/{n}", block=page(f'<a href="/{n + 1}">')) for n in range(4))


@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.binary(max_size=6), st.integers(0, 6)), max_size=3))
def test_no_mutation_of_an_archive_stops_an_import(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, bytes, int]]
) -> None:
    from hinterland.library.importing.format import Limits
    from hinterland.library.importing.opening import archive_items

    data = WHOLE
    for place, inserted, removed in changes:
        data = data[:place] + inserted + data[place + removed :]
    path = tmp_path_factory.mktemp("mutated") / "x.warc"
    path.write_bytes(data)
    limits = Limits(frozenset({"text/html"}), 1000)
    items = list(archive_items(path, reader(), limits))
    assert items or not data.strip()


async def test_where_redirects_lead_is_the_same_octet_for_octet_as_in_the_crawl(tmp_path: Path) -> None:
    targets = [b"/\xff\xfe", "/é".encode(), "/é".encode("latin-1"), b"/%E9", b"/a\xe9\xc3\xa9", "/日本".encode()]
    async with LoopbackWeb() as web:
        paths = [f"/{number}" for number in range(len(targets))]
        for path, target in zip(paths, targets, strict=True):
            head = b"HTTP/1.1 302 Found\r\nLocation: " + target + b"\r\nContent-Length: 0\r\n\r\n"
            web.answer("a.test", path, raw(head))
        seed = web.page("a.test", "/", links=paths)
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", storage=KEEP)
    await taken_in(tmp_path / "i.db", *(tmp_path / "warc").glob("*.gz"), local=(seed,), storage=KEEP)
    led_to = "SELECT target FROM links WHERE kind = 'redirect' ORDER BY source"
    assert len(rows(tmp_path / "s.db", led_to)) == len(targets)
    assert rows(tmp_path / "i.db", led_to) == rows(tmp_path / "s.db", led_to)


async def test_header_fields_that_are_not_utf_8_are_latin_1_in_archives_too(tmp_path: Path) -> None:
    block = b'HTTP/1.1 200 \xd6k\r\nContent-Type: text/html\r\nX-N\xe4me: \xff\r\nETag: "\xe9"\r\n\r\n<title>a</title>'
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(record(block=block)))
    report = await taken_in(tmp_path / "i.db", tmp_path / "a.warc.gz")
    assert report.outcomes == {"fetched": 1}
    assert rows(tmp_path / "i.db", "SELECT etag FROM fetch") == [('"é"',)]
