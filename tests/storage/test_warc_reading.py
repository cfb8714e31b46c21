"""Archives of strangers: whole, broken and hostile ones."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage.warc.cdxj import index_lines
from hinterland.storage.warc.reading import (
    ArchiveRecord,
    BrokenArchive,
    CutRecord,
    TooLarge,
    readable_records,
    records_from,
)


def record(url: str = "http://a.test/", block: bytes = b"", kind: str = "response", length: object = None) -> bytes:
    block = block or b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hi"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:0>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def read(path: Path, max_bytes: int = 1000) -> Iterator[tuple[str, bytes | str]]:
    """Return (url, body or what is wrong with it) of every record of any file."""
    for each in readable_records(path):
        if isinstance(each, BrokenArchive):
            yield "", str(each)
            continue
        try:
            yield each.url, each.body(max_bytes)
        except (CutRecord, TooLarge, BrokenArchive) as error:
            yield each.url, type(error).__name__


def urls(path: Path) -> list[str]:
    return [url for url, _ in read(path)]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_records_are_read_from_plain_and_packed_files(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(b"".join(pack(record(f"http://a.test/{n}")) for n in range(3)))  # type: ignore[operator]
    assert list(read(path)) == [(f"http://a.test/{n}", b"<p>hi") for n in range(3)]


@pytest.mark.parametrize("missing", [0, 60])
def test_a_file_packed_as_a_whole_is_read_all_the_same(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "x.warc.gz"
    data = gzip.compress(b"".join(record(f"http://a.test/{n}") for n in range(3)))
    path.write_bytes(data[: len(data) - missing])
    found = urls(path)
    assert found[0] == "http://a.test/0"
    assert (found == [f"http://a.test/{n}" for n in range(3)]) or missing


def test_the_head_of_a_response_is_at_hand(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(
        record(block=b"HTTP/1.1 404 Nope\r\nContent-Type: Text/HTML; charset=x\r\nLink: a\r\nLink: b\r\n\r\n")
    )
    [(status, media_type, links)] = [
        (
            each.status,
            each.media_type,
            [value for name, value in each.http.headers if name == "Link"] if each.http else [],
        )
        for each in records_from(path, 0)
    ]
    assert (status, media_type, links) == (404, "text/html", ["a", "b"])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    "lead",
    [b"\r\n", b"\n", b"\r\n\r\n", b"\n\n\n", b"\r\r\n", b"\r\r", b"\r\n" * 1000],
    ids=["CR LF", "LF", "two of CR LF", "three of LF", "CR CR LF", "CR", "a thousand"],
)
def test_a_response_is_found_after_empty_lines(tmp_path: Path, pack: object, lead: bytes) -> None:
    path = tmp_path / "x.warc"
    heads = [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        b"HTTP/1.0 404\nContent-Type: text/html\n\n",
        b"HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n",
    ]
    bodies = [b"\r\n<p>hi", b"\n\n", b"2\r\n\r\n\r\n0\r\n\r\n", b""]
    blocks = [lead + head + body for head, body in zip(heads, bodies, strict=True)]
    path.write_bytes(b"".join(pack(record(block=block)) for block in blocks))  # type: ignore[operator]
    found = [(each.status, each.media_type, each.body(1000)) for each in records_from(path, 0)]
    assert [status for status, _, _ in found] == [200, 404, 302, 304]
    assert {media_type for _, media_type, _ in found} == {"text/html"}
    assert [body for _, _, body in found] == [b"\r\n<p>hi", b"\n\n", b"\r\n", b""]


def test_the_head_of_a_revisit_is_found_after_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(record(block=b"\r\nHTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", kind="revisit"))
    assert [each.status_line for each in records_from(path, 0)] == ["HTTP/1.1 302 Found"]


@pytest.mark.parametrize("lead", [b" ", b"\t", b" \r\n", b"\r\n \r\n", b"\r\n\xef\xbb\xbf", b"\0\r\n", b"<p>\r\n"])
def test_after_anything_but_empty_lines_there_is_no_response(tmp_path: Path, lead: bytes) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(record(block=lead + b"HTTP/1.1 200 OK\r\n\r\n<p>hi"))
    assert [(each.status, each.status_line) for each in records_from(path, 0)] == [(None, "")]


@pytest.mark.parametrize("block", [b"\r\n", b"\n" * 2_000_000, b"\r" * 2_000_000 + b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_block_of_empty_lines_is_no_response_and_the_next_record_is_read(tmp_path: Path, block: bytes) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(record(block=block)) + gzip.compress(record("http://b.test/")))
    found = [each for each in readable_records(path) if isinstance(each, ArchiveRecord)]
    assert [each.status for each in found if each.url == "http://a.test/"] in ([], [None])
    assert [each.status for each in found if each.url == "http://b.test/"] == [200]


def test_chunks_are_taken_apart_and_content_coding_is_left(tmp_path: Path) -> None:
    packed = gzip.compress(b"<p>hi")
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (packed[:5], packed[5:], b""))
    path = tmp_path / "x.warc"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    path.write_bytes(record(block=head + chunks))
    assert list(read(path)) == [("http://a.test/", packed)]


def test_chunks_that_are_more_than_asked_for_together_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    path.write_bytes(record(block=head + b"258\r\n%s\r\n" % (b"x" * 600) * 2 + b"0\r\n\r\n"))
    assert list(read(path, max_bytes=1200)) == [("http://a.test/", b"x" * 1200)]
    assert list(read(path, max_bytes=1199)) == [("http://a.test/", "TooLarge")]


def test_a_body_larger_than_asked_for_is_refused_and_the_next_record_read(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(
        gzip.compress(record(block=b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000)) + gzip.compress(record("http://b.test/"))
    )
    assert list(read(path)) == [("http://a.test/", "TooLarge"), ("http://b.test/", b"<p>hi")]


def test_a_record_that_claims_a_gigabyte_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(record(length=10**9)) + gzip.compress(record("http://b.test/")))
    assert list(read(path)) == [("http://a.test/", "CutRecord"), ("http://b.test/", b"<p>hi")]


@pytest.mark.parametrize("length", ["-1", "x", "", "9" * 30, "1e9"])
def test_a_length_that_is_none_is_survived(tmp_path: Path, length: str) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(record(length=length)) + gzip.compress(record("http://b.test/")))
    assert urls(path)[-1] == "http://b.test/"


def test_what_is_broken_in_the_middle_does_not_cost_what_comes_after(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    parts = [gzip.compress(record(f"http://a.test/{n}")) for n in range(4)]
    parts[1] = parts[1][:30] + b"\0" * 20 + parts[1][50:]
    path.write_bytes(b"".join(parts))
    found = urls(path)
    assert found[0] == "http://a.test/0"
    assert found[-2:] == ["http://a.test/2", "http://a.test/3"]
    assert "" in found


def test_a_file_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(
        gzip.compress(record()) + gzip.compress(record(block=b"HTTP/1.1 200 OK\r\n\r\n" + bytes(range(256))))[:-40]
    )
    assert [what for _, what in read(path)] == [b"<p>hi", "CutRecord"]


def test_a_file_of_something_else_is_broken_from_its_first_byte(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(b"PNG\n\x1b[31mred" * 10)
    [(_, what)] = read(path)
    assert isinstance(what, str)
    assert "at byte 0" in what
    assert what.isprintable()


def bomb(text: bytes, megabytes: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([packer.compress(text), *(packer.compress(b"A" * 2**20) for _ in range(megabytes)), packer.flush()])


@pytest.mark.slow
@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"WARC/1.0\r\n",
        b"WARC/1.0\r\nX: ",
        record(length=2**40)[:-4],
        b"WARC/1.0\r\nContent-Length: 999999999\r\n\r\n",
    ],
)
def test_no_bomb_fills_the_memory(tmp_path: Path, beginning: bytes) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(bomb(beginning, 100) + gzip.compress(record("http://b.test/")))
    tracemalloc.start()
    try:
        found = urls(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found[-1] == "http://b.test/"
    assert peak < 50 * 2**20


@pytest.mark.slow
def test_a_header_of_endless_lines_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(b"WARC/1.0\r\n" + b"A: b\r\n" * 10**6) + gzip.compress(record("http://b.test/")))
    assert list(read(path))[-1] == ("http://b.test/", b"<p>hi")


def test_a_chunk_that_claims_gigabytes_is_only_as_large_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(record(block=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nabc"))
    [(_, body)] = read(path)
    assert isinstance(body, bytes)
    assert len(body) < 20


def damaged_files() -> Iterator[bytes]:
    """Files of five packed records, of which the second is damaged at different places and the fourth is torn off."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
    for place in (200, 3_000, 12_000, -9, -3):
        blocks = [head + random.Random(n).randbytes(15_000).hex().encode() for n in range(4)]
        members = [
            bytearray(gzip.compress(record(f"http://a.test/{n}", block))) for n, block in enumerate([*blocks, head])
        ]
        members[1][place] ^= 255
        del members[3][len(members[3]) // 2 :]
        yield b"".join(members)


def test_records_after_a_damaged_one_are_read_and_indexed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.warc.gz"
    for data in damaged_files():
        path.write_bytes(data)
        intact = [url for url, body in read(path, 100_000) if isinstance(body, bytes)]
        assert intact == [f"http://a.test/{n}" for n in (0, 2, 4)]
        caplog.clear()
        assert [line.split()[0] for line in index_lines(path)] == [f"test,a)/{n}" for n in (0, 2, 4)]
        assert "x.warc.gz: the record at byte " in caplog.text


WHOLE = [record(f"http://a.test/{n}", kind="request" if n % 3 == 2 else "response") for n in range(6)]


@pytest.mark.slow
@given(
    st.sampled_from([b"".join(WHOLE), b"".join(map(gzip.compress, WHOLE))]),
    st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=8), st.integers(0, 8)), max_size=4),
)
def test_no_mutation_of_a_file_is_worse_than_a_broken_archive(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, changes: list[tuple[int, bytes, int]]
) -> None:
    for place, inserted, removed in changes:
        data = data[:place] + inserted + data[place + removed :]
    path = tmp_path_factory.mktemp("mutated") / "x.warc"
    path.write_bytes(data)
    for each in readable_records(path):
        if isinstance(each, ArchiveRecord):
            with suppress(CutRecord, TooLarge, BrokenArchive):
                each.body(100)
    path.unlink()
    path.parent.rmdir()
