"""What an archive of a crawl holds: what went over the wire, no more and no less."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from warcio.archiveiterator import ArchiveIterator

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.answers import Answer as Fetched
from hinterland.crawler.fetching.answers import BodyLimits, NoAnswer
from hinterland.crawler.fetching.archiving.recorder import ArchiveBroken, ArchiveFailed, Recorder, archive_failure
from hinterland.crawler.fetching.archiving.recording import RecordingWire
from hinterland.crawler.fetching.archiving.recording_fetcher import RecordingFetcher
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import FetchingSettings
from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.cdxj import INDEX_NAME
from hinterland.storage.warc.folder import WarcFolder
from hinterland.storage.warc.packed_captures import PackedCapture
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import crawl, fetched, outcomes
from tests.support.web import Answer, Handler, LoopbackWeb
from tests.support.web_behaviours import (
    chunked,
    drop,
    encoded,
    huge,
    raw,
    stale_keep_alive,
    stall,
    status,
    surplus_after_close,
    truncated,
    until_close,
)

pytestmark = pytest.mark.slow

PAGE = Answer(b"<title>t</title><p>hello", headers={"X-A": "1"})


class Archive:
    """The responses of an archive by path, and the requests; every digest is checked."""

    def __init__(self, folder: Path) -> None:
        self.responses: dict[str, tuple[Any, bytes]] = {}
        self.requests: dict[str, bytes] = {}
        for path in sorted(folder.glob("*.warc.gz")):
            with path.open("rb") as file:
                for record in ArchiveIterator(file, check_digests="raise"):
                    record.raw_stream.read()
            with path.open("rb") as file:
                for record in ArchiveIterator(file, no_record_parse=True):
                    url = record.rec_headers.get_header("WARC-Target-URI") or "//x/"
                    place = "/" + url.split("/", 3)[3]
                    block = record.raw_stream.read()
                    if record.rec_type == "response":
                        self.responses[place] = record.rec_headers, block
                    elif record.rec_type == "request":
                        self.requests[place] = block

    def truncated(self, path: str) -> str | None:
        value: str | None = self.responses[path][0].get_header("WARC-Truncated")
        return value


async def archived(handler: Handler, folder: Path, path: str = "/", **changes: Any) -> Archive:
    async with LoopbackWeb() as web:
        seed = web.answer("a.test", path, handler)
        await crawl(web.addresses, [seed], folder / "s.db", warc=folder / "warc", **changes)
    return Archive(folder / "warc")


async def test_head_and_body_are_as_the_server_sent_them(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 Fine  by me\r\ncontent-TYPE:text/html\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 9\r\n\r\n"
    sent = head + b"<p>hello\n"
    archive = await archived(raw(sent, close=False), tmp_path)
    assert archive.responses["/"][1] == sent
    assert archive.truncated("/") is None


async def test_the_request_is_as_we_sent_it(tmp_path: Path) -> None:
    archive = await archived(PAGE, tmp_path)
    lines = archive.requests["/"].decode().split("\r\n")
    assert lines[0] == "GET / HTTP/1.1"
    assert lines[1].startswith("Host: a.test:")
    assert lines[-2:] == ["", ""]
    assert any(line.startswith("User-Agent: Hinterland/") for line in lines)


async def test_secret_header_fields_are_not_archived(tmp_path: Path) -> None:
    fetching = {"headers": {"Authorization": "Bearer s3cret", "X-Key": "s3cret"}, "cookies": True}
    answer = Answer(b'<a href="/next">', headers={"Set-Cookie": "session=s3cret"})
    archive = await archived(answer, tmp_path, fetching=fetching)
    assert all(b"s3cret" not in request for request in archive.requests.values())
    assert b"Authorization: hidden\r\n" in archive.requests["/"]
    assert b"X-Key: hidden\r\n" in archive.requests["/"]
    assert b"Cookie: hidden\r\n" in archive.requests["/next"]


async def test_chunks_stay_chunks(tmp_path: Path) -> None:
    archive = await archived(chunked(PAGE, 10), tmp_path)
    assert archive.responses["/"][1].endswith(b"\r\n\r\na\r\n<title>t</\r\na\r\ntitle><p>h\r\n4\r\nello\r\n0\r\n\r\n")
    assert archive.truncated("/") is None


async def test_content_coding_stays(tmp_path: Path) -> None:
    archive = await archived(encoded(PAGE, "gzip"), tmp_path)
    block = archive.responses["/"][1]
    assert gzip.decompress(block.partition(b"\r\n\r\n")[2]) == PAGE.body


async def test_a_body_that_ends_with_the_connection_is_whole(tmp_path: Path) -> None:
    archive = await archived(until_close(PAGE), tmp_path)
    assert archive.responses["/"][1].endswith(PAGE.body)
    assert archive.truncated("/") is None


async def test_what_comes_after_a_body_is_not_part_of_it(tmp_path: Path) -> None:
    archive = await archived(surplus_after_close(PAGE), tmp_path)
    assert archive.responses["/"][1].endswith(PAGE.body)


CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\n\r\n0\r\n\r\r\n1\r\n!\r\n0\r\n"


@pytest.mark.parametrize(
    "first",
    [PAGE.head() + PAGE.body, CHUNKS + b"\r\n", CHUNKS + b"X-Trailer: z\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n"],
)
async def test_a_second_response_that_nobody_asked_for_is_not_archived(tmp_path: Path, first: bytes) -> None:
    second = Answer(b"<title>other</title>not asked for")
    archive = await archived(raw(first + second.head() + second.body), tmp_path)
    assert archive.responses["/"][1] == first


async def test_interim_responses_are_not_the_response(tmp_path: Path) -> None:
    final = PAGE.head() + PAGE.body
    archive = await archived(raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + final), tmp_path)
    assert archive.responses["/"][1] == final


@pytest.mark.parametrize(
    "lead",
    [b"\r\n", b"\n", b"\r\n\r\n\r\n", b"\r\r", b"HTTP/1.1 103 Early Hints\r\n\r\n\r\n", b"\nHTTP/1.1 103 E\r\n\r\n\n"],
)
@pytest.mark.parametrize(
    "response",
    [
        PAGE.head() + PAGE.body,
        PAGE.head().replace(b"HTTP/1.1", b"HTTP/1.0") + PAGE.body,
        PAGE.head().replace(b"\r\n", b"\n") + PAGE.body,
        PAGE.head().replace(b"200 OK", b"404 Not Found") + PAGE.body,
        b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\r\n\r\n0\r\n\r\n",
    ],
    ids=["page", "HTTP/1.0", "LF only", "error", "redirect", "chunks"],
)
async def test_empty_lines_before_a_status_line_are_not_part_of_the_response(lead: bytes, response: bytes) -> None:
    captures: list[Capture] = []
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", raw(lead + response))
        async with recording_fetcher(web, captures) as fetcher:
            assert isinstance(await fetcher.fetch(url, BodyLimits(None, 1000)), Fetched)
    [capture] = captures
    assert capture.response == response
    assert response.endswith(bytes(capture.payload))
    assert capture.response[: capture.response_head_bytes].endswith(b"\n")
    assert str(capture.status).encode() in response.splitlines()[0]


@pytest.mark.parametrize(
    "handler, reason",
    [
        (truncated(PAGE), "disconnect"),
        (stall(PAGE.head() + PAGE.body[:5]), "time"),
        (huge(300_000), "length"),
        (
            raw(PAGE.head().replace(b"Content-Length: 24", b"Transfer-Encoding: chunked") + b"5\r\nhello\r\nzz"),
            "unspecified",
        ),
    ],
    ids=["disconnect", "time", "length", "broken"],
)
async def test_what_is_not_whole_says_why(tmp_path: Path, handler: Handler, reason: str) -> None:
    fetching = {"max_attempts": 1, "body_timeout_seconds": 0.3, "max_body_bytes": 100_000}
    archive = await archived(handler, tmp_path, fetching=fetching)
    assert archive.truncated("/") in (reason, "disconnect" if reason == "unspecified" else reason)
    assert archive.responses["/"][1].partition(b"\r\n\r\n")[2]


async def test_of_a_type_that_is_not_read_the_head_is_kept(tmp_path: Path) -> None:
    picture = Answer(b"\x89PNG" * 2_000_000, content_type="image/png")
    archive = await archived(picture, tmp_path)
    assert archive.responses["/"][1].endswith(b"\r\nContent-Type: image/png\r\n\r\n")
    assert archive.truncated("/") == "length"


async def test_pages_of_errors_are_archived_whole_and_stay_errors(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        missing = chunked(Answer(b"<p>" + b"lost " * 10_000, status=404), 9000)
        seeds = [
            web.answer("a.test", "/lost", missing),
            web.answer("a.test", "/broken", status(500)),
            web.page("a.test", "/"),
        ]
        done = await crawl(
            web.addresses, seeds, tmp_path / "s.db", warc=tmp_path / "warc", fetching={"max_attempts": 1}
        )
    archive = Archive(tmp_path / "warc")
    assert archive.responses["/lost"][1].count(b"lost ") > 9_900
    assert archive.truncated("/lost") is None
    assert done.outcome(seeds[0]) == "client_error"
    assert done.outcome(seeds[1]) == "server_error"


async def test_robots_and_redirects_are_archived_too(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("a.test", "User-agent: *\nDisallow: /no\n")
        seed = web.redirect("a.test", "/old", ("a.test", "/new"))
        web.page("a.test", "/new")
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc")
    archive = Archive(tmp_path / "warc")
    assert set(archive.responses) == {"/robots.txt", "/old", "/new"}
    assert b"Disallow: /no" in archive.responses["/robots.txt"][1]
    assert archive.responses["/old"][1].startswith(b"HTTP/1.1 301 ")


async def test_a_request_on_a_stale_connection_is_archived_once_as_it_was_answered(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/next"])
        web.answer("a.test", "/next", stale_keep_alive(PAGE))
        done = await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc")
    archive = Archive(tmp_path / "warc")
    assert len(fetched(done.store)) == 2
    assert archive.requests["/next"].count(b"GET /next") == 1
    assert archive.responses["/next"][1].endswith(PAGE.body)


async def test_a_crawl_finds_the_same_with_and_without_an_archive(tmp_path: Path) -> None:
    stores = []
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b", "/gone", "/moved"])
        web.answer("a.test", "/b", encoded(PAGE, "br"))
        web.redirect("a.test", "/moved", ("b.test", "/"))
        for name, warc in (("with", tmp_path / "warc"), ("without", None)):
            stores.append((await crawl(web.addresses, [seed], tmp_path / f"{name}.db", warc=warc)).store)
    assert outcomes(stores[0]) == outcomes(stores[1])


@asynccontextmanager
async def recording_fetcher(web: LoopbackWeb, captures: list[Capture]) -> AsyncIterator[RecordingFetcher]:
    async def archive(capture: Capture) -> None:
        captures.append(capture)

    now = asyncio.get_running_loop().time
    settings = FetchingSettings(allow_networks=("127.0.0.0/8",), addresses=web.addresses)
    async with Fetcher(settings, "Hinterland/1", now, RecordingWire) as fetcher:
        yield RecordingFetcher(fetcher, archive, now)


async def test_what_is_asked_only_to_see_whether_a_host_answers_is_not_archived() -> None:
    captures: list[Capture] = []
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", PAGE)
        async with recording_fetcher(web, captures) as fetcher:
            asked = await fetcher.fetch(url, BodyLimits(frozenset(), 0))
            assert isinstance(asked, Fetched)
            assert captures == []
            await fetcher.fetch(url, BodyLimits(None, 1000))
    assert [capture.response.endswith(PAGE.body) for capture in captures] == [True]


async def test_of_a_host_that_says_nothing_nothing_is_archived() -> None:
    captures: list[Capture] = []
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", drop)
        async with recording_fetcher(web, captures) as fetcher:
            answer = await fetcher.fetch(url, BodyLimits(None, 1000))
    assert isinstance(answer, NoAnswer)
    assert captures == []


async def test_an_answer_that_has_no_body_is_archived_without_one(tmp_path: Path) -> None:
    head = b"HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n"
    archive = await archived(raw(head + b"what nobody asked for"), tmp_path)
    assert archive.responses["/"][1] == head
    assert archive.truncated("/") is None


async def test_what_a_second_crawl_meets_again_is_written_as_a_revisit(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/changes", "/gone"])
        for number in range(2):
            web.answer("a.test", "/changes", Answer(f"<title>{number}</title>".encode()))
            await crawl(web.addresses, [seed], tmp_path / f"{number}.db", warc=tmp_path / "warc")
    first, second = sorted((tmp_path / "warc").glob("*.warc.gz"))
    assert [kind for kind, path in records_of(first) if path == "/"] == ["response", "request"]
    assert [kind for kind, path in records_of(second) if path == "/"] == ["revisit"]
    assert [kind for kind, path in records_of(second) if path == "/changes"] == ["response", "request"]
    assert [kind for kind, path in records_of(second) if path == "/gone"] == ["revisit"]


async def test_a_304_is_written_as_a_revisit_of_what_the_folder_has(tmp_path: Path) -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 29\r\n\r\n'  # of what it would have sent
    await revisited(tmp_path, head)


async def test_a_304_after_empty_lines_is_written_as_a_revisit_too(tmp_path: Path) -> None:
    await revisited(tmp_path, b'\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n')


async def revisited(tmp_path: Path, head: bytes) -> None:
    """Crawl a page, then meet this head of a 304 instead, which must become a revisit record."""
    async with LoopbackWeb() as web:
        handlers: list[Handler] = [PAGE, raw(head)]
        for number, handler in enumerate(handlers):
            seed = web.answer("a.test", "/", handler)
            await crawl(web.addresses, [seed], tmp_path / f"{number}.db", warc=tmp_path / "warc")
    first, second = sorted((tmp_path / "warc").glob("*.warc.gz"))
    assert ("response", "/") in records_of(first)
    assert [kind for kind, path in records_of(second) if path == "/"] == ["revisit"]


async def test_the_archive_of_a_recrawl_has_revisits_of_what_stands_and_whole_what_has_changed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("new", ""))
        seed = web.url("a.test", "/home")
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc")
        pages["b"] = TEXT.format("burnt", "")
        again: dict[str, Any] = {"revisiting": Revisiting(), "warc": tmp_path / "warc", "sitemaps": {"use": "never"}}
        for _ in range(2):
            await crawl(web.addresses, [], tmp_path / "s.db", **again)
    _, second, third = sorted((tmp_path / "warc").glob("*.warc.gz"))
    assert sorted(records_of(second)) == [
        ("request", "/b"),
        ("response", "/b"),
        ("revisit", "/a"),
        ("revisit", "/home"),
    ]
    assert sorted(records_of(third)) == [("revisit", "/a"), ("revisit", "/b"), ("revisit", "/home")]


def records_of(path: Path) -> list[tuple[str, str]]:
    """Type of record, and path of the URL."""
    with path.open("rb") as file:
        records = [(each.rec_type, each.rec_headers.get_header("WARC-Target-URI")) for each in ArchiveIterator(file)]
    return [(kind, "/" + url.split("/", 3)[3]) for kind, url in records if url]


async def test_who_no_longer_waits_for_the_archive_stops_nobody_else(tmp_path: Path) -> None:
    held = threading.Event()
    write = WarcFolder.write_packed

    def slow(self: WarcFolder, captures: Sequence[PackedCapture], now: float) -> None:
        assert held.wait(60)
        write(self, captures, now)

    capture = Capture("http://a.test/", 1e9, "127.0.0.1", b"GET / HTTP/1.1\r\n\r\n", PAGE.head() + PAGE.body, 0, "")
    with patch.object(WarcFolder, "write_packed", slow):
        async with Recorder(tmp_path, {}, 10**9, lambda: 1e9) as recorder:
            first, second = (asyncio.create_task(recorder.record(capture)) for _ in range(2))
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.wait((first,))
            held.set()
            await second
    assert first.cancelled()


@pytest.mark.parametrize("has_other_failure", [False, True])
async def test_an_archive_whose_index_cannot_be_written_hides_no_other_failure(
    tmp_path: Path, has_other_failure: bool
) -> None:
    async def used() -> None:
        async with Recorder(tmp_path, {}, 10**9, lambda: 1e9):
            (tmp_path / INDEX_NAME).mkdir()
            if has_other_failure:
                raise KeyError("a bug")

    with pytest.raises(KeyError if has_other_failure else ArchiveFailed) as caught:
        await used()
    told = "".join(getattr(caught.value, "__notes__", [])) if has_other_failure else str(caught.value)
    assert f"the archive {tmp_path} cannot be written" in told


async def test_a_bug_in_the_archive_thread_is_raised_where_it_is_waited_for(tmp_path: Path) -> None:
    def broken(self: WarcFolder, captures: Any, now: float) -> None:
        raise KeyError("a bug")

    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/")
        with patch.object(WarcFolder, "write_packed", broken), pytest.raises(ExceptionGroup) as caught:
            await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc")
    assert archive_failure(caught.value) is None
    assert caught.group_contains(ArchiveBroken)
    lasting: BaseException = caught.value
    while isinstance(lasting, BaseExceptionGroup):
        lasting = lasting.exceptions[0]
    assert isinstance(lasting.__cause__, KeyError)


async def test_a_disk_that_fails_ends_the_crawl_and_says_so(tmp_path: Path) -> None:
    write = WarcFolder.write_packed
    calls = []

    def failing(self: WarcFolder, captures: Any, now: float) -> None:
        calls.append(captures)
        if len(calls) > 3:
            raise OSError(28, "No space left on device")
        write(self, captures, now)

    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=[f"/{n}" for n in range(20)])
        for n in range(20):
            web.page("a.test", f"/{n}")
        with patch.object(WarcFolder, "write_packed", failing), pytest.raises(ExceptionGroup) as caught:
            await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc")
        failure = archive_failure(caught.value)
        assert failure is not None
        assert "No space left on device" in str(failure)
        assert not list((tmp_path / "warc").glob("*.open"))
        done = await crawl(web.addresses, [], tmp_path / "s.db", warc=tmp_path / "warc")
    assert done.reason is EndReason.EXHAUSTED
    assert {f"/{n}" for n in range(20)} <= set(Archive(tmp_path / "warc").responses)
