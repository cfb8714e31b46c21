"""What others have crawled, taken in: texts of WET files, rows of the Open Web Index, records of archives elsewhere."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.answers import Answer as FetchedAnswer
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.library.importing.extracted_texts import CONTENT_TYPE, ExtractedText, as_html
from hinterland.library.importing.format import Limits
from hinterland.library.importing.formats.index_answers import Piece, pieces_in
from hinterland.library.importing.formats.open_web_index import item_of
from hinterland.library.importing.importing import ImportReport, ImportRequest, import_archives
from hinterland.library.importing.items import ArchivedResponse, Skipped
from hinterland.library.importing.link_data import LinkDataReader
from hinterland.library.importing.opening import SUFFIXES, archive_items
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.compression import unpacked
from tests.storage.test_warc_reading import record
from tests.support.crawling import crawl, fetched, is_sound, links, outcomes, quick_settings, rows
from tests.support.web import ANY_PATH, Answer, Exchange, LoopbackWeb

slow = pytest.mark.slow
LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=40)


async def taken_in(store: Path, *paths: Path, at: str = "", addresses: dict[str, str] | None = None) -> ImportReport:
    settings = quick_settings(addresses or {}, storage={"keep_bodies": True})
    async with LinkStore(store) as opened:
        request = ImportRequest(paths, settings, (), ["import"], archives_at=at)
        report = await import_archives(request, opened, lambda: 1e9, lambda _: None)
    assert is_sound(store)
    return report


def texts(store: Path) -> dict[str, tuple[Any, ...]]:
    sql = "SELECT url, title, text, body FROM pages JOIN content ON content.page = pages.id"
    return {url: (title, unpacked(text), body) for url, title, text, body in rows(store, sql)}


@given(st.lists(LINES, max_size=5), LINES, st.lists(st.tuples(LINES, LINES), max_size=3))
def test_a_text_that_was_made_a_page_is_read_back_whole(
    lines: list[str], title: str, pairs: list[tuple[str, str]]
) -> None:
    page = ExtractedText("http://a.test/", 0.0, "\n".join(lines), title, "de", links=pairs)
    read, shown = parse_page(
        HtmlSource(as_html(page).encode(), CONTENT_TYPE),
        url=page.url,
        resolver=LinkResolver(Canonicaliser()),
        agent="Hinterland",
    )
    words = " ".join(shown.text.decode().split())
    assert words.startswith(" ".join(" ".join(lines).split()))
    assert read.language == "de"


def wet(url: str, text: str) -> bytes:
    block = text.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: text/plain\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n")


@slow
async def test_the_texts_of_a_wet_file_are_pages_without_links_and_bodies(tmp_path: Path) -> None:
    file = tmp_path / "part.warc.wet.gz"
    pdf = record("http://a.test/x.pdf", b"%PDF", "conversion").replace(
        b"\r\n\r\n%PDF", b"\r\nContent-Type: a/b\r\n\r\n%PDF"
    )
    file.write_bytes(wet("http://a.test/", "Ferries\nBoats <go> at noon.\n\nEvery & day.") + gzip.compress(pdf))
    report = await taken_in(tmp_path / "s.db", file)
    assert report.outcomes == {"fetched": 1}
    assert report.skipped == {("conversion", "not the page as it was, and no text"): 1}
    [(title, text, body)] = texts(tmp_path / "s.db").values()
    assert (title, body) == ("Ferries", None)
    assert text.split("\n\n") == ["Ferries", "Boats <go> at noon.", "Every & day."]


def test_a_row_of_the_open_web_index_keeps_what_its_site_allows() -> None:
    row = {"url": "http://a.test/", "plain_text": "Boats.", "warc_date": "2026-01-02T03:04:05Z", "ows_genai": False}
    item = item_of(row)
    assert isinstance(item, ArchivedResponse)
    assert isinstance(item.answer, FetchedAnswer)
    assert b'content="noai"' in item.answer.body
    assert item_of({**row, "warc_date": "yesterday"}) == Skipped("row", "no usable date")
    assert item_of({**row, "url": "ftp://a.test/"}) == Skipped("row", "not a web URL")
    assert item_of({**row, "plain_text": None}) == Skipped("row", "no text")


VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text() | st.none())
COLUMNS = st.sampled_from(["url", "title", "plain_text", "warc_date", "outlinks", "ows_index"])


@given(st.dictionaries(COLUMNS, VALUES))
def test_no_row_is_an_error(row: dict[str, Any]) -> None:
    item_of(row)


@slow
async def test_parquet_of_the_open_web_index_is_read_with_its_links(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(
        {
            "url": ["http://a.test/", "http://a.test/shut"],
            "title": ["Ferries", "Shut"],
            "language": ["en", None],
            "main_content": ["Boats go.", "Nothing."],
            "warc_date": [datetime(2026, 1, 2, tzinfo=UTC)] * 2,
            "outgoing_links": [[{"url": "http://b.test/", "text": "Boats"}], []],
            "ows_index": [True, False],
            "unknown": [1, 2],
        }
    )
    parquet.write_table(table, tmp_path / "metadata_0.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    store = tmp_path / "s.db"
    report = await taken_in(store, *(tmp_path / f"{name}.parquet" for name in ("metadata_0", "broken", "other")))
    assert report.outcomes == {"fetched": 2}
    assert sum(report.skipped.values()) == 2
    assert texts(store)["http://a.test/"][:2] == ("Ferries", "Boats go.\n\nBoats")
    assert ("http://a.test/", "http://b.test/", "a") in links(store)
    assert dict(rows(store, "SELECT url, is_noindex FROM pages WHERE outcome = 'fetched'"))["http://a.test/shut"] == 1


def test_a_row_with_an_unreadable_value_costs_no_other_row(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    texts_of = pa.array([b"one", b"\xff\xfe", b"three", b"four"])
    table = pa.table(
        {
            "url": [f"http://a.test/{row}" for row in range(4)],
            "text": pa.Array.from_buffers(pa.string(), 4, texts_of.buffers()),
            "warc_date": pa.array([0, 1, 10**15, 3], pa.timestamp("s")),
            "outlinks": ["/x"] * 4,
        }
    )
    parquet.write_table(table, tmp_path / "rows.parquet")
    reader = LinkDataReader(LinkResolver(Canonicaliser()), "Hinterland")
    found = list(archive_items(tmp_path / "rows.parquet", reader, Limits(frozenset({"text/html"}), 1_000)))
    assert [each.reason if isinstance(each, Skipped) else each.url for each in found] == [
        "http://a.test/0",
        "a value in it cannot be read",
        "a value in it cannot be read",
        "http://a.test/3",
    ]


def test_lines_of_an_index_that_name_no_record_say_so() -> None:
    good = {"url": "http://a.test/", "timestamp": "20260102030405", "filename": "x.gz", "offset": "7", "length": "3"}
    lines = [json.dumps(good).encode(), b"test,a)/ 20260102030405 " + json.dumps({**good, "timestamp": ""}).encode()]
    [first, second] = pieces_in(lines)
    assert first == second
    assert isinstance(first, Piece)
    assert (first.range, first.url_below("http://d.test/")) == ("bytes=7-9", "http://d.test/x.gz")
    bad = [{**good, "length": 0}, {**good, "offset": -1}, {**good, "filename": "../x"}, {**good, "length": 1 << 40}, 3]
    assert all(
        isinstance(each, Skipped) for each in pieces_in([*(json.dumps(row).encode() for row in bad), b"{", b"x y"])
    )


@given(
    st.binary(max_size=60) | st.builds(lambda value: json.dumps(value).encode(), st.dictionaries(st.text(), st.text()))
)
def test_no_line_of_an_index_is_an_error(line: bytes) -> None:
    list(pieces_in([line]))


class Archives:
    """A WARC file on a server that gives ranges, and the answer of an index that names its records."""

    def __init__(self, web: LoopbackWeb, paths: list[str]) -> None:
        page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>%s</title><a href=/3>x</a>"
        members = [gzip.compress(record(f"http://site.test{path}", page % path.encode())) for path in paths]
        self.file, self.lines, self.busy = b"".join(members), list[dict[str, Any]](), 0
        at = 0
        for path, member in zip(paths, members, strict=True):
            self.lines.append({"url": f"http://site.test{path}", "timestamp": "20200102030405", "filename": "cc/0.gz",
                               "offset": f"{at}", "length": f"{len(member)}"})  # fmt: skip
            at += len(member)
        self.at = web.answer("data.test", ANY_PATH, self._send).rpartition("/")[0]

    async def _send(self, exchange: Exchange) -> None:
        if self.busy:
            self.busy -= 1
            await Answer(b"slow down", 503, headers={"Retry-After": "0"})(exchange)
            return
        first, _, last = exchange.request.headers["range"].removeprefix("bytes=").partition("-")
        part = self.file[int(first) : int(last) + 1]
        await Answer(part, 206, content_type="application/octet-stream")(exchange)

    def answer(self, folder: Path) -> Path:
        file = folder / "answer.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in self.lines), encoding="utf-8")
        return file


@slow
async def test_records_that_an_index_names_are_requested_by_their_ranges_once(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        archives = Archives(web, ["/1", "/2"])
        archives.busy = 1
        found = await taken_in(store, archives.answer(tmp_path), at=archives.at, addresses=dict(web.addresses))
        assert found.outcomes == {"fetched": 2}
        asked = [each.headers["range"] for each in web.log]
        assert len(asked) == 3  # one of them was refused at first
        assert len(set(asked)) == 2
        assert {each.path for each in web.log} == {"/cc/0.gz"}
        again = await taken_in(store, archives.answer(tmp_path), at=archives.at, addresses=dict(web.addresses))
        assert (again.pages, again.known_already, len(web.log)) == (0, 2, 3)
    assert fetched(store) == {"http://site.test/1", "http://site.test/2"}
    assert texts(store)["http://site.test/1"][2] is not None


@slow
async def test_archives_that_do_not_answer_are_given_up_and_single_ones_are_counted(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        archives = Archives(web, ["/1"])
        archives.lines.insert(0, {**archives.lines[0], "url": "http://site.test/cut", "offset": "999999"})
        found = await taken_in(
            tmp_path / "s.db", archives.answer(tmp_path), at=archives.at, addresses=dict(web.addresses)
        )
        assert found.outcomes == {"fetched": 1}
        assert found.skipped == {("index line", "its archive ends before it does"): 1}
        web.answer("data.test", ANY_PATH, Answer(b"", 403))
        archives.lines = [{**archives.lines[0], "url": f"http://site.test/{number}"} for number in range(9)]
        with pytest.raises(OSError, match=r"5 records in a row could not be read.*status 403"):
            await taken_in(tmp_path / "s.db", archives.answer(tmp_path), at=archives.at, addresses=dict(web.addresses))


@slow
async def test_after_an_import_only_pages_that_are_missing_or_old_are_requested(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seed = web.page("site.test", "/1", links=["/2", "/3"])
        web.page("site.test", "/2")
        web.page("site.test", "/3")
        file = tmp_path / "part.wet"
        file.write_bytes(
            gzip.decompress(wet(seed, "One\ntext")) + gzip.decompress(wet(web.url("site.test", "/2"), "Two"))
        )
        settings = quick_settings(web.addresses)
        async with LinkStore(store) as opened:
            request = ImportRequest([file], settings, [seed], ["import"])
            await import_archives(request, opened, lambda: 1e9, lambda _: None)
        await crawl(web.addresses, [seed, web.url("site.test", "/3")], store)
        assert [each.path for each in web.log] == ["/robots.txt", "/3"]
        await crawl(web.addresses, [], store, revisiting=Revisiting(older_than=86_400.0), sitemaps={"use": "never"})
    assert sorted(each.path for each in web.log[2:]) == ["/1", "/2"]
    assert set(outcomes(store).values()) == {"fetched"}
    assert texts(store)[seed][0] != "One"


def test_every_suffix_is_that_of_a_file_that_can_be_read() -> None:
    assert {".wet", ".wet.gz", ".parquet", ".jsonl", ".cdxj", ".wacz"} <= set(SUFFIXES)
