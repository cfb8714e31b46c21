"""Bodies as archives hold them: as they were sent, or unpacked under the fields that they were sent with."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content, zstd
from hinterland.library.importing.unpacked_bodies import coding_of
from tests.library.importing.test_importing import said, taken_in
from tests.storage.test_warc_reading import damaged_files, record
from tests.support.crawling import crawl, rows
from tests.support.web import Exchange, Handler, LoopbackWeb

pytestmark = pytest.mark.slow

PAGE = b"<!doctype html><title>One page</title><p>Text of it. <a href=/next>on</a>"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
BODIES = {
    "a page": PAGE,
    "a page in UTF-16": "\ufeff<title>One page</title>".encode("utf-16-le"),
    "a page with a mark of UTF-8": b"\xef\xbb\xbf" + PAGE,
    "a page in Japanese": "<title>吾輩は猫である</title><p>名前はまだ無い。".encode("shift_jis"),
    "a page in Russian": "<title>Страница</title><p>Привет".encode("koi8-r"),
    "a text": b"nothing but a text of some length",
    "an empty line": b"\n\n\n<p>" + PAGE,
    "a document": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
}


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_that_is_not_in_the_coding_of_its_field_has_none(coding: str, body: bytes) -> None:
    assert coding_of(body, coding) == ""
    assert coding_of(body, f"identity, {coding.upper()}") == ""


@given(st.sampled_from([*PACK.items(), ("deflate", raw_deflate)]), st.binary() | st.text().map(str.encode))
@example(("deflate", raw_deflate), b"")
@example(("br", brotli.compress), b"")
def test_a_packed_body_keeps_its_coding(coding: tuple[str, Callable[[bytes], bytes]], body: bytes) -> None:
    name, pack = coding
    assert coding_of(pack(body), name) == name
    assert decode_content(pack(body), name, 1 << 20) == body


@given(st.binary(min_size=1, max_size=200), st.sampled_from([*PACK, "", "identity", "rot13", "gzip, br", ", ,"]))
def test_what_keeps_its_coding_and_cannot_be_decoded_is_left_to_the_parser(body: bytes, coding: str) -> None:
    kept = coding_of(body, coding)
    assert kept in ("", coding)
    if not kept and coding:
        with pytest.raises(ContentDecodingError):
            decode_content(body, coding, 1 << 20)


def response(*fields: str, body: bytes) -> bytes:
    head = "".join(f"{field}\r\n" for field in ("HTTP/1.1 200 OK", "Content-Type: text/html", *fields, ""))
    return head.encode() + body


async def title_and_links(tmp_path: Path, block: bytes) -> list[tuple[Any, ...]]:
    (tmp_path / "a.warc").write_bytes(record(block=block))
    await taken_in(tmp_path / "i.db", tmp_path / "a.warc")
    return rows(
        tmp_path / "i.db",
        "SELECT outcome, title, body_bytes, (SELECT count(*) FROM link) FROM pages WHERE outcome IS NOT NULL",
    )


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("form", ["packed", "unpacked", "unpacked, of another length", "chunks left", "chunks gone"])
async def test_pages_of_archives_are_read_whether_they_were_unpacked_or_not(
    coding: str, form: str, tmp_path: Path
) -> None:
    packed = PACK[coding](PAGE)
    blocks = {
        "packed": response(f"Content-Encoding: {coding}", body=packed),
        "unpacked": response(f"Content-Encoding: {coding}", f"Content-Length: {len(PAGE)}", body=PAGE),
        "unpacked, of another length": response(
            f"content-encoding: {coding}", f"Content-Length: {len(packed)}", body=PAGE
        ),
        "chunks left": response(
            f"Content-Encoding: {coding}",
            "Transfer-Encoding: chunked",
            body=b"%x\r\n%s\r\n0\r\nX-Trailer: t\r\n\r\n" % (len(PAGE), PAGE),
        ),
        "chunks gone": response(f"Content-Encoding: {coding}", "Transfer-Encoding: chunked", body=PAGE),
    }
    assert await title_and_links(tmp_path, blocks[form]) == [("fetched", "One page", len(PAGE), 1)]


async def test_codings_in_two_lines_are_one_list(tmp_path: Path) -> None:
    block = response("Content-Encoding: identity", "Content-Encoding: gzip", body=gzip.compress(PAGE))
    assert await title_and_links(tmp_path, block) == [("fetched", "One page", len(PAGE), 1)]


async def test_a_robots_txt_that_was_unpacked_is_read(tmp_path: Path) -> None:
    rules = b"User-agent: *\nDisallow: /private\n"
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n" + rules
    (tmp_path / "a.warc").write_bytes(record("http://a.test/robots.txt", block=block) + record())
    await taken_in(tmp_path / "i.db", tmp_path / "a.warc")
    assert rows(tmp_path / "i.db", "SELECT status, length(text) > 0 FROM robots") == [(200, 1)]


def sent(*parts: bytes) -> Handler:
    """An answer, byte for byte."""

    async def send(exchange: Exchange) -> None:
        for part in parts:
            await exchange.send(part)

    return send


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
SIZE = b"%x" % len(PAGE)
WIRE = {
    "/trailers": CHUNKED + SIZE + b"\r\n" + PAGE + b"\r\n0\r\nX-Checksum: abc\r\nX-Time: 5\r\n\r\n",
    "/long-lines": CHUNKED + SIZE + b";signature=" + b"s" * 200 + b"\r\n" + PAGE + b"\r\n0\r\n\r\n",
    "/capitals": CHUNKED + SIZE.upper() + b"\r\n" + PAGE + b"\r\n000\r\n\r\n",
    "/bytes": CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in PAGE) + b"0\r\n\r\n",
    "/packed": CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
    + b"%x\r\n%s\r\n0\r\nX: y\r\n\r\n" % (len(gzip.compress(PAGE)), gzip.compress(PAGE)),
    "/lies": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s"
    % (len(PAGE), PAGE),
}


async def test_a_page_of_our_own_archive_has_the_hash_that_the_crawl_gave_it(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        for path, answer in WIRE.items():
            web.answer("a.test", path, sent(answer))
        seed = web.page("a.test", "/", links=list(WIRE))
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", storage={"keep_bodies": True})
    archive = next((tmp_path / "warc").glob("*.gz"))
    await taken_in(tmp_path / "i.db", archive, local=(seed,), storage={"keep_bodies": True})
    assert said(tmp_path / "i.db")[:-1] == said(tmp_path / "s.db")[:-1]
    hashes = rows(tmp_path / "s.db", "SELECT count(*), count(DISTINCT body_hash) FROM pages WHERE title = 'One page'")
    assert hashes == [(len(WIRE) - 1, 1)]  # all but the one that lies


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "it is empty"),
        (gzip.compress(b""), "it holds no record"),
        (b"\r\n\r\n", "it holds no record"),
        (gzip.compress(b"\r\n\r\n"), "it holds no record"),
    ],
)
@pytest.mark.parametrize("name", ["a.warc.gz", "a.warc", "a.wat.gz"])
async def test_an_archive_without_a_record_says_so(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    report = await taken_in(tmp_path / "i.db", tmp_path / name)
    assert dict(report.skipped) == {("file", reason): 1}


async def test_an_index_without_a_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.cdxj").write_bytes(b"")
    report = await taken_in(tmp_path / "i.db", tmp_path / "a.cdxj")
    assert dict(report.skipped) == {("file", "it is empty"): 1}


async def test_a_damaged_record_costs_no_other_one(tmp_path: Path) -> None:
    for number, data in enumerate(damaged_files()):
        path = tmp_path / f"{number}.warc.gz"
        path.write_bytes(data)
        report = await taken_in(tmp_path / f"{number}.db", path)
        assert report.outcomes == {"fetched": 3}
        assert {kind for kind, _ in report.skipped} == {"file"}
