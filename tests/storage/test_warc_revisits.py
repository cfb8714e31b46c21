"""What a folder says already is not written into it again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from hinterland.storage.warc import originals as searched
from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.cdxj import INDEX_NAME, update_index, write_index
from hinterland.storage.warc.folder import WarcFolder
from hinterland.storage.warc.originals import IndexFile, Originals
from hinterland.storage.warc.records import sha1, warc_date
from tests.storage.test_warc_reading import record

FIRST, SECOND, THIRD = 1_700_000_000.25, 1_700_100_000.5, 1_700_200_000.75
HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "a"\r\n\r\n'
URL = "http://a.test/"
DIGEST = sha1(b"<p>hello")


def page(at: float, body: bytes = b"<p>hello", url: str = URL, truncated: str = "", head: bytes = HEAD) -> Capture:
    return Capture(url, at, "127.0.0.1", b"GET / HTTP/1.1\r\n\r\n", head + body, len(head), truncated)


def not_modified(at: float, url: str = URL) -> Capture:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'
    return Capture(url, at, "127.0.0.1", b'GET / HTTP/1.1\r\nIf-None-Match: "a"\r\n\r\n', head, len(head))


def run(folder: Path, *captures: Capture, is_killed: bool = False) -> list[Any]:
    """The headers of the records that a run which sees these adds to a folder, without warcinfo. is_killed: without
    an index of them."""
    before = set(folder.glob("*.warc.gz"))
    with Originals(folder) as originals:
        files = WarcFolder(folder, {}, 10**9, originals)
        for capture in captures:
            files.write([capture], capture.captured_at)
        files.close()
    if not is_killed:
        update_index(folder)
    return [each for path in sorted(set(folder.glob("*.warc.gz")) - before) for each in headers(path)]


def headers(path: Path) -> list[Any]:
    with path.open("rb") as file:
        found = []
        for record in ArchiveIterator(file, check_digests="raise"):
            record.raw_stream.read()
            found.append(record)
    return [each.rec_headers for each in found if each.rec_type != "warcinfo"]


def kinds(records: Sequence[Any]) -> list[str]:
    return [each.get_header("WARC-Type") for each in records]


def test_a_304_becomes_a_revisit_of_the_response(tmp_path: Path) -> None:
    response, _ = run(tmp_path, page(FIRST))
    [revisit] = run(tmp_path, not_modified(SECOND))
    assert revisit.protocol == "WARC/1.1"
    assert revisit.get_header("WARC-Profile") == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert revisit.get_header("WARC-Target-URI") == revisit.get_header("WARC-Refers-To-Target-URI") == URL
    assert revisit.get_header("WARC-Date") == warc_date(SECOND)
    assert revisit.get_header("WARC-Refers-To-Date") == response.get_header("WARC-Date") == warc_date(FIRST)
    assert revisit.get_header("WARC-Payload-Digest") == response.get_header("WARC-Payload-Digest")
    assert revisit.get_header("Content-Length") == "0"
    assert revisit.get_header("WARC-IP-Address") is None, "it is the same"
    [moved] = run(tmp_path, replace(not_modified(THIRD), address="127.0.0.2"))
    assert moved.get_header("WARC-IP-Address") == "127.0.0.2"


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_same_payload_again_becomes_a_revisit_with_the_head_if_that_says_anything_new(
    tmp_path: Path, is_killed: bool
) -> None:
    dated = HEAD.replace(b"\r\n\r\n", b"\r\nDate: Mon, 23 Nov 2026 15:00:00 GMT\r\n\r\n")
    same = page(SECOND, head=dated)
    first, *rest = run(tmp_path, page(FIRST), *([same] if is_killed else []))
    *_, revisit = rest if is_killed else run(tmp_path, same)
    assert first.get_header("WARC-Type") == "response"
    assert revisit.get_header("WARC-Profile") == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    assert revisit.get_header("Content-Length") == "0"
    assert revisit.get_header("WARC-Truncated") is None
    other = HEAD.replace(b'"a"', b'"b"')
    [revisit] = run(tmp_path, page(THIRD, head=other))
    assert revisit.get_header("WARC-Profile") == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    assert revisit.get_header("WARC-Refers-To-Date") == warc_date(FIRST)
    assert revisit.get_header("WARC-Truncated") == "length"
    last = max(tmp_path.glob("*.warc.gz"))
    with last.open("rb") as file:
        *_, record = (each.raw_stream.read() for each in ArchiveIterator(file, no_record_parse=True))
    assert record == other


@pytest.mark.parametrize("others", [0, 20])
def test_captures_that_are_written_together_are_revisits_of_each_other_and_of_earlier_ones(
    tmp_path: Path, others: int
) -> None:
    between = [page(FIRST, url=f"{URL}{number}") for number in range(others)]
    with Originals(tmp_path) as originals:
        files = WarcFolder(tmp_path, {}, 10**9, originals)
        files.write([page(FIRST), *between, page(SECOND), page(SECOND, b"<p>new"), not_modified(SECOND)], SECOND)
        files.write([page(THIRD, b"<p>new"), *between[:3], page(THIRD)], THIRD)
        files.close()
    [path] = tmp_path.glob("*.warc.gz")
    found = [each for each in headers(path) if each.get_header("WARC-Type") != "request"]
    together, later = found[: others + 4], found[others + 4 :]
    assert kinds(together) == ["response"] * (others + 1) + ["revisit", "response", "revisit"]
    assert together[-1].get_header("WARC-Refers-To-Date") == warc_date(SECOND)
    assert kinds(later) == ["revisit"] * (1 + len(between[:3])) + ["response"]


def test_a_revisit_never_refers_to_a_revisit(tmp_path: Path) -> None:
    run(tmp_path, page(FIRST))
    records = run(tmp_path, page(SECOND), not_modified(SECOND + 1), page(SECOND + 2))
    records += run(tmp_path, not_modified(THIRD))
    assert kinds(records) == ["revisit"] * 4
    assert {each.get_header("WARC-Refers-To-Date") for each in records} == {warc_date(FIRST)}


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_has_changed_is_written_and_is_what_a_304_speaks_of_from_then_on(tmp_path: Path, is_killed: bool) -> None:
    run(tmp_path, page(FIRST))
    records = run(tmp_path, page(SECOND, b"<p>other"), not_modified(SECOND + 1), is_killed=is_killed)
    records += run(tmp_path, not_modified(THIRD))
    assert kinds(records) == ["response", "request", "revisit", "revisit"]
    assert {each.get_header("WARC-Refers-To-Date") for each in records[2:]} == {warc_date(SECOND)}


def test_what_is_as_it_was_before_the_last_time_is_written_again(tmp_path: Path) -> None:
    run(tmp_path, page(FIRST), page(SECOND, b"<p>other"))
    assert kinds(run(tmp_path, page(THIRD), not_modified(THIRD + 1))) == ["response", "request", "revisit"]


@pytest.mark.parametrize(
    "capture",
    [
        not_modified(SECOND, "http://a.test/other"),
        not_modified(SECOND, "http://a.test/#fragment"),
        page(SECOND, url="http://www.a.test/"),  # which has the same key in the index
        page(SECOND, truncated="length"),
        page(SECOND, b""),
    ],
)
def test_what_has_no_original_is_written_as_it_is(tmp_path: Path, capture: Capture) -> None:
    run(tmp_path, page(FIRST))
    assert kinds(run(tmp_path, capture)) == ["response", "request"]


def test_errors_and_redirects_repeat_their_like_alone(tmp_path: Path) -> None:
    head, away = b"HTTP/1.1 404 Not Found\r\n\r\n", b"HTTP/1.1 301 Moved\r\nLocation: /{}\r\n\r\n"
    error = Capture(URL, FIRST, None, b"GET / HTTP/1.1\r\n\r\n", head + b"<p>hello", len(head))
    moved = [replace(error, response=away.replace(b"{}", to), response_head_bytes=len(away) - 1) for to in (b"x", b"y")]
    assert kinds(run(tmp_path, error, moved[0])) == ["response", "request"] * 2
    again = run(tmp_path, error, moved[1], page(SECOND), not_modified(THIRD))
    assert kinds(again) == ["revisit", "revisit", "response", "request", "revisit"]
    assert [again[place].get_header("WARC-Refers-To-Date") for place in (0, 4)] == [warc_date(FIRST), warc_date(SECOND)]
    with max(tmp_path.glob("*.warc.gz")).open("rb") as file:
        assert b"Location: /y" in [each.raw_stream.read() for each in ArchiveIterator(file, no_record_parse=True)][2]


def test_a_page_can_repeat_a_response_of_others_whose_status_line_is_not_utf_8(tmp_path: Path) -> None:
    block = b"HTTP/1.\xff 200 \xff\r\nX-\xff: \xff\r\n\r\n<p>hello"
    others = record(block=block).replace(b"WARC-Date", b"WARC-Payload-Digest: %b\r\nWARC-Date" % DIGEST.encode())
    (tmp_path / "others.warc").write_bytes(others)
    assert kinds(run(tmp_path, page(FIRST))) == ["revisit"]


def test_an_original_that_is_gone_is_none(tmp_path: Path) -> None:
    run(tmp_path, page(FIRST))
    with Originals(tmp_path) as originals, originals.together([URL]):
        assert originals.repeated_by(not_modified(SECOND), "") is not None
        [path] = tmp_path.glob("*.warc.gz")
        path.unlink()
        assert originals.repeated_by(not_modified(SECOND), "") is None
    assert kinds(run(tmp_path, not_modified(SECOND))) == ["response", "request"]


def test_archives_of_others_have_originals_too(tmp_path: Path) -> None:
    run(tmp_path, page(FIRST))
    [path] = tmp_path.glob("*.warc.gz")
    path.rename(tmp_path / 'theirs "é".warc.gz')
    (tmp_path / INDEX_NAME).unlink()
    assert kinds(run(tmp_path, not_modified(SECOND))) == ["revisit"]


# ------------------------------------------------------------------------------------------- the index


def test_a_revisit_is_in_the_index_by_the_digest_of_its_original_and_without_a_status(tmp_path: Path) -> None:
    run(tmp_path, page(FIRST))
    run(tmp_path, not_modified(SECOND))
    first, second = (tmp_path / INDEX_NAME).read_text().splitlines()
    assert '"mime": "warc/revisit", "digest": "' in second
    assert second.split('"digest": ')[1].split(",")[0] == first.split('"digest": ')[1].split(",")[0]


def changed(folder: Path, how: str) -> None:
    files = sorted(folder.glob("*.warc.gz"))
    match how:
        case "a file is removed":
            files[0].unlink()
        case "a file is renamed":
            files[0].rename(folder / "other.warc.gz")
        case "a file is rewritten":
            files[0].write_bytes(files[1].read_bytes())
            os.utime(files[0], (4e9, 4e9))
        case "the index is gone":
            (folder / INDEX_NAME).unlink()
        case "the index is not sorted":
            lines = (folder / INDEX_NAME).read_text().splitlines(keepends=True)
            (folder / INDEX_NAME).write_text("".join(reversed(lines)))
        case "the index is none":
            (folder / INDEX_NAME).write_bytes(b"\xff\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        *("nothing", "a file is removed", "a file is renamed", "a file is rewritten"),
        *("the index is gone", "the index is not sorted", "the index is none"),
    ],
)
def test_an_updated_index_equals_a_rebuilt_one(tmp_path: Path, how: str) -> None:
    for number in range(4):
        run(tmp_path, *(page(FIRST + number, url=f"http://{letter}{number}.test/") for letter in "dacb"))
    changed(tmp_path, how)
    update_index(tmp_path)
    brought = (tmp_path / INDEX_NAME).read_text()
    write_index(tmp_path)
    assert brought == (tmp_path / INDEX_NAME).read_text()


def test_files_that_the_index_has_are_not_read_again(tmp_path: Path) -> None:
    run(tmp_path, page(FIRST))
    index = (tmp_path / INDEX_NAME).read_text()
    [path] = tmp_path.glob("*.warc.gz")
    at = path.stat().st_mtime
    path.write_bytes(b"no longer an archive")
    os.utime(path, (at, at))
    run(tmp_path, page(SECOND, url="http://b.test/"))
    lines = (tmp_path / INDEX_NAME).read_text().splitlines(keepends=True)
    assert [lines[0], len(lines)] == [index, 2]


@pytest.mark.slow
@given(st.sets(st.text("abc", min_size=1, max_size=6), max_size=60), st.text("abc", min_size=1, max_size=3))
def test_a_search_finds_what_reading_it_all_would(
    tmp_path_factory: pytest.TempPathFactory, words: set[str], prefix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines"
    lines = sorted(f"{word} {'x' * (len(word) * 7)}\n".encode() for word in words)
    path.write_bytes(b"".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searched, "_PROBE_BYTES", 20)
        index = IndexFile(path)
        assert list(index.lines(prefix)) == [line for line in lines if line.startswith(prefix.encode())]
        index.close()
