"""What a parser process does with one page, and the frames in which pages and answers travel."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import socket
import sys
import threading
import tracemalloc
from typing import Any

import msgspec
import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.messages import FrameReader, Greeting, PageDigest, ParserConfig, RawPage, frame
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.parsing.pool.progress import ParserProgress, new_file
from hinterland.crawler.parsing.pool.worker import answer_to, serve

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HTML = b"<!doctype html><title>T</title><h2>Head</h2><p>some <a href='/b'>text</a>"
ENCODER = msgspec.msgpack.Encoder()


def config(**changes: Any) -> ParserConfig:
    values: dict[str, Any] = {
        "agent": "Hinterland",
        "max_body_bytes": 10_000,
        "max_url_length": 200,
        "sort_parameters": False,
        "drop_parameters": ["sid"],
        "keep_text": True,
        "keep_bodies": False,
        "max_memory_bytes": 1 << 40,
    }
    return ParserConfig(**values | changes)


def digest(body: bytes, coding: str = "", **changes: Any) -> PageDigest:
    return PageDigester(config(**changes)).digest(RawPage("http://a.test/", body, coding))


def test_a_picture_that_is_sent_as_html_is_unreadable_and_leaves_no_text() -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
    found = PageDigester(config()).digest(RawPage("http://a.test/", picture, "", "text/html"))
    assert (found.failure, found.page, found.text) == (OutcomeKind.UNREADABLE, None, None)
    assert found.detail == "it is labelled as HTML, but is a PNG image"


# --- one page -----------------------------------------------------------------------------------


def test_a_page_is_decoded_parsed_and_summed_up() -> None:
    found = digest(gzip.compress(HTML), "gzip")
    assert found.page is not None
    assert (found.page.title, [*found.page.link_urls]) == ("T", ["http://a.test/b"])
    assert (found.body_bytes, found.body_hash) == (len(HTML), hashlib.sha256(HTML).digest()[:16])
    assert found.text is not None
    assert zstd.decompress(found.text).split() == [b"Head", b"some", b"text"]
    assert json.loads(found.headings) == [[2, "Head"]]
    assert found.body is None
    assert found.failure == ""


def test_text_and_body_are_kept_as_settings_say() -> None:
    neither = digest(HTML, keep_text=False)
    assert (neither.text, neither.headings, neither.body) == (None, "[]", None)
    body = digest(HTML, keep_bodies=True).body
    assert body is not None
    assert zstd.decompress(body) == HTML


def test_links_are_canonical_as_settings_say() -> None:
    html = b"<a href='/b?sid=1&x=2'>1</a><a href='/" + b"l" * 300 + b"'>2</a>"
    page = digest(html).page
    assert page is not None
    assert [*page.link_urls] == ["http://a.test/b?x=2"]
    assert page.bad_links == 1


@pytest.mark.parametrize(
    "body, coding, kind",
    [
        (gzip.compress(HTML)[:-9], "gzip", OutcomeKind.TRUNCATED),
        (HTML, "gzip", OutcomeKind.CORRUPT),
        (gzip.compress(bytes(10_001)), "gzip", OutcomeKind.TOO_LARGE),
        (bytes(10_001), "", OutcomeKind.TOO_LARGE),
        (gzip.compress(HTML), "rot13", OutcomeKind.UNKNOWN_ENCODING),
    ],
    ids=["cut off", "no gzip", "unpacks to too much", "too much", "unknown coding"],
)
def test_a_body_that_cannot_be_used_is_an_outcome(body: bytes, coding: str, kind: OutcomeKind) -> None:
    found = digest(body, coding)
    assert found.page is None
    assert found.failure == kind
    assert found.detail


def test_every_failure_is_the_name_of_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hinterland.crawler.parsing.pool.page_digester.parse_page", fail)
    found = digest(HTML, max_memory_bytes=128 << 20)
    assert OutcomeKind(found.failure) is OutcomeKind.PARSER_CRASH
    assert "128 MiB" in found.detail


@pytest.mark.parametrize("where", ["page_digester.PageDigester._compressed", "RawPageDecoder", "worker.frame"])
def test_a_page_is_answered_wherever_memory_runs_out(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    digester, asked = PageDigester(config(max_memory_bytes=128 << 20)), []

    def fail_once(*given: Any) -> Any:
        asked.append(given)
        if len(asked) == 1:
            raise MemoryError
        return frame(*given)

    class Decoder:
        decode = staticmethod(fail_once)

    decoder: Any = msgspec.msgpack.Decoder(RawPage)
    if where == "RawPageDecoder":
        decoder = Decoder()
    else:
        monkeypatch.setattr(f"hinterland.crawler.parsing.pool.{where}", fail_once)
    [payload] = FrameReader().feed(frame(RawPage("http://a.test/", HTML), ENCODER))
    [answer] = FrameReader().feed(answer_to(payload, digester, decoder, ENCODER))
    found = msgspec.msgpack.decode(answer, type=PageDigest)
    assert (found.failure, found.detail) == (OutcomeKind.PARSER_CRASH, "needs more than 128 MiB to parse")


def test_text_with_lone_surrogates_is_accepted() -> None:
    assert digest(b"<meta charset=utf-8><p>\xed\xa0\x80 &#xD800;").page is not None


# --- frames -------------------------------------------------------------------------------------

MESSAGES = [RawPage(f"http://a.test/{n}", bytes(n)) for n in (0, 1, 5, 300)]
STREAM = b"".join(frame(message, ENCODER) for message in MESSAGES)


def read(parts: list[bytes]) -> list[RawPage]:
    reader = FrameReader()
    return [msgspec.msgpack.decode(payload, type=RawPage) for part in parts for payload in reader.feed(part)]


def test_frames_come_out_as_they_went_in_however_the_stream_is_cut() -> None:
    for cut in range(len(STREAM) + 1):
        assert read([STREAM[:cut], STREAM[cut:]]) == MESSAGES
    assert read([STREAM[n : n + 1] for n in range(len(STREAM))]) == MESSAGES


def test_an_unfinished_frame_gives_nothing_yet() -> None:
    assert read([STREAM[:-1]]) == MESSAGES[:-1]
    assert read([b"\0\0"]) == []


def test_a_large_frame_is_held_once_while_it_is_looked_at() -> None:
    size = 5_000_000
    stream = frame(RawPage("http://a.test/", bytes(size)), ENCODER)
    reader = FrameReader()
    tracemalloc.start()
    try:
        for payload in reader.feed(stream):
            held, most = tracemalloc.get_traced_memory()
            assert held < 1.1 * size < len(payload) * 1.2
            assert most < 2.3 * size
    finally:
        tracemalloc.stop()


def test_a_frame_says_its_length_first() -> None:
    framed = frame(MESSAGES[3], ENCODER)
    assert int.from_bytes(framed[:4], "big") == len(framed) - 4


# --- the conversation ---------------------------------------------------------------------------


def test_a_parser_greets_and_answers_each_page_in_order_until_the_other_side_hangs_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        serving = threading.Thread(
            target=serve, args=(theirs, ParserProgress(file := new_file()), PageDigester(config()))
        )
        serving.start()
        os.close(file)
        conversation = [frame(RawPage("http://a.test/", b"<title>%d" % n), ENCODER) for n in range(20)]
        ours.sendall(b"".join(conversation))
        ours.shutdown(socket.SHUT_WR)
        reader = FrameReader()
        payloads: list[bytes] = []
        while len(payloads) < 21:
            payloads += reader.feed(ours.recv(1000))
        serving.join()
    assert msgspec.msgpack.decode(payloads[0], type=Greeting) == Greeting(os.getpid())
    answers = [msgspec.msgpack.decode(each, type=PageDigest) for each in payloads[1:]]
    assert [answer.page.title for answer in answers if answer.page] == [str(n) for n in range(20)]
