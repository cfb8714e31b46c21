"""WARC files as they are written, and as a kill leaves them."""

from __future__ import annotations

import gzip
import os
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest
from warcio.archiveiterator import ArchiveIterator

from hinterland.storage.warc import cdxj
from hinterland.storage.warc.capture_index import CaptureIndex
from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.cdxj import INDEX_NAME, update_index, write_index
from hinterland.storage.warc.folder import OPEN, WarcFolder
from hinterland.storage.warc.records import warc_date
from hinterland.storage.warc.repair import repair_folder
from hinterland.storage.warc.surt import surt
from tests.storage.test_warc_reading import record

NOW = 1_700_000_000.25
HEAD = b"HTTP/1.1 200 OK\r\ncontent-TYPE:  text/html\r\nX-A: 1\r\nX-A: 2\r\n\r\n"


def capture(url: str = "http://a.test/", body: bytes = b"<p>hello", truncated: str = "") -> Capture:
    request = b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"
    return Capture(url, NOW, "127.0.0.1", request, HEAD + body, len(HEAD), truncated)


def written(folder: Path, *captures: Capture, max_bytes: int = 10**9) -> list[Path]:
    files = WarcFolder(folder, {"software": "test"}, max_bytes)
    for each in captures:
        files.write([each], NOW)
    files.close()
    return sorted(folder.iterdir())


def records(path: Path) -> list[tuple[str, str, bytes]]:
    """(type, target, block) of every record, its digests checked by warcio."""
    with path.open("rb") as file:
        for each in ArchiveIterator(file, check_digests="raise"):
            each.raw_stream.read()
        file.seek(0)
        return [
            (each.rec_type, each.rec_headers.get_header("WARC-Target-URI") or "", each.raw_stream.read())
            for each in ArchiveIterator(file, no_record_parse=True)
        ]


def test_a_response_is_kept_byte_for_byte_with_its_request(tmp_path: Path) -> None:
    [path] = written(tmp_path, capture())
    info, response, request = records(path)
    assert info[0] == "warcinfo"
    assert b"software: test\r\n" in info[2]
    assert response == ("response", "http://a.test/", HEAD + b"<p>hello")
    assert request == ("request", "http://a.test/", b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")


def test_captures_of_one_call_are_written_together(tmp_path: Path) -> None:
    files = WarcFolder(tmp_path, {}, 10**9)
    with patch.object(os, "write", wraps=os.write) as write:
        files.write([capture(f"http://a.test/{number}") for number in range(5)], NOW)
    files.close()
    [path] = tmp_path.iterdir()
    assert write.call_count == 1
    assert [target for kind, target, _ in records(path) if kind == "response"] == [
        f"http://a.test/{n}" for n in range(5)
    ]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_file_that_is_deleted_or_moved_under_the_writer_is_missed(is_moved: bool, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    files = WarcFolder(folder, {}, 10**9)
    files.write([capture()], NOW)
    if is_moved:
        folder.rename(tmp_path / "elsewhere")
    else:
        next(folder.iterdir()).unlink()
    with pytest.raises(OSError, match=r"\.warc\.gz\.open was deleted or moved while it was being written"):
        files.write([capture()], NOW)
    with pytest.raises(FileNotFoundError):
        files.close()


def test_every_record_says_what_the_standard_requires(tmp_path: Path) -> None:
    [path] = written(tmp_path, capture(truncated="length"))
    with path.open("rb") as file:
        info, response, request = [(each.rec_headers, each.raw_stream.read())[0] for each in ArchiveIterator(file)]
    assert {each.protocol for each in (info, response, request)} == {"WARC/1.1"}
    assert info.get_header("WARC-Filename") == path.name
    assert response.get_header("WARC-Date") == warc_date(NOW) == "2023-11-14T22:13:20.250000Z"
    assert response.get_header("WARC-IP-Address") == "127.0.0.1"
    assert response.get_header("WARC-Truncated") == "length"
    assert request.get_header("WARC-Concurrent-To") == response.get_header("WARC-Record-ID")
    assert request.get_header("WARC-Date") == response.get_header("WARC-Date")


def test_every_record_is_a_gzip_member_of_its_own(tmp_path: Path) -> None:
    [path] = written(tmp_path, capture())
    data = path.read_bytes()
    with path.open("rb") as file:
        iterator = ArchiveIterator(file)
        places = [(iterator.get_record_offset(), iterator.get_record_length()) for _ in iterator]
    for offset, length in places:
        assert gzip.decompress(data[offset : offset + length]).startswith(b"WARC/1.1\r\n")
    assert sum(length for _, length in places) == len(data)


def test_no_file_grows_beyond_the_size_it_may_have(tmp_path: Path) -> None:
    captures = [capture(f"http://a.test/{n}", os.urandom(2000)) for n in range(10)]
    paths = written(tmp_path, *captures, max_bytes=8000)
    assert len(paths) > 2
    assert max(path.stat().st_size for path in paths) <= 8000
    found = [url for path in paths for kind, url, _ in records(path) if kind == "response"]
    assert found == [each.url for each in captures]
    assert len({path.name for path in paths}) == len(paths)


def test_a_file_is_named_open_while_it_is_written_and_holds_all_that_was_handed_in(tmp_path: Path) -> None:
    files = WarcFolder(tmp_path, {}, 10**9)
    files.write([capture()], NOW)
    [path] = tmp_path.iterdir()
    assert path.name.endswith(f".warc.gz{OPEN}")
    assert len(records(path)) == 3
    files.close()
    [path] = tmp_path.iterdir()
    assert path.name.endswith(".warc.gz")


@pytest.mark.slow
def test_a_file_cut_at_any_byte_is_repaired_to_its_complete_records(tmp_path: Path) -> None:
    [path] = written(tmp_path, capture(), capture("http://a.test/2"))
    whole, data = records(path), path.read_bytes()
    path.unlink()
    with BytesIO(data) as file:
        iterator = ArchiveIterator(file)
        ends = [iterator.get_record_offset() + iterator.get_record_length() for _ in iterator]
    for cut in range(0, len(data) + 1, 7):
        broken = tmp_path / f"x.warc.gz{OPEN}"
        broken.write_bytes(data[:cut])
        [mended] = repair_folder(tmp_path)
        complete = sum(end <= cut for end in ends)
        assert mended.lost_bytes == cut - (ends[complete - 1] if complete else 0)
        remaining = list(tmp_path.iterdir())
        assert len(remaining) == (1 if complete else 0)
        for each in remaining:
            assert records(each) == whole[:complete]
            each.unlink()


def test_a_record_that_unpacks_to_far_more_than_it_takes_is_whole_too(tmp_path: Path) -> None:
    [path] = written(tmp_path, capture(body=bytes(3_000_000)), capture("http://a.test/2"))
    size = path.stat().st_size
    path.rename(path.with_name(path.name + OPEN))
    [mended] = repair_folder(tmp_path)
    assert (mended.name, mended.lost_bytes) == (path.name, 0)
    assert path.stat().st_size == size


def test_a_name_that_is_taken_is_not_taken_again(tmp_path: Path) -> None:
    [first] = written(tmp_path, capture())
    before = first.read_bytes()
    assert len(written(tmp_path, capture("http://a.test/2"))) == 2
    assert first.read_bytes() == before


def test_a_file_that_somebody_is_writing_is_left_alone(tmp_path: Path) -> None:
    files = WarcFolder(tmp_path, {}, 10**9)
    files.write([capture()], NOW)
    assert repair_folder(tmp_path) == []
    files.close()
    assert len(list(tmp_path.glob("*.warc.gz"))) == 1


def test_after_a_failed_write_the_file_has_only_whole_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = WarcFolder(tmp_path, {}, 10**9)
    files.write([capture()], NOW)
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, bytes(data)[:10]) if len(data) > 10 else full())
    with pytest.raises(OSError, match="no room"):
        files.write([capture()], NOW)
    monkeypatch.undo()
    files.close()
    [path] = tmp_path.iterdir()
    assert len(records(path)) == 3


def full() -> int:
    raise OSError("no room")


def test_the_index_is_sorted_and_points_at_every_response(tmp_path: Path) -> None:
    urls = ["http://b.test/", "http://www.a.test/z", "http://a.test/x?b=2&a=1"]
    [path] = written(tmp_path, *map(capture, urls))
    assert write_index(tmp_path) == 3
    lines = (tmp_path / INDEX_NAME).read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["test,a)/x?a=1&b=2", "test,a)/z", "test,b)/"]
    assert lines == sorted(lines)
    assert all(f'"filename": "{path.name}"' in line for line in lines)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, INDEX_NAME])


def test_the_index_says_the_status_of_a_response_after_empty_lines(tmp_path: Path) -> None:
    block = b"\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"
    (tmp_path / "others.warc").write_bytes(record(block=block))
    assert write_index(tmp_path) == 1
    assert '"mime": "text/html", "status": "404"' in (tmp_path / INDEX_NAME).read_text()


def test_an_index_of_more_lines_than_fit_into_memory_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, *(capture(f"http://{letter}.test/") for letter in "dacb"))
    write_index(tmp_path)
    whole = (tmp_path / INDEX_NAME).read_text()
    monkeypatch.setattr(cdxj, "_LINES_IN_MEMORY", 2)
    assert write_index(tmp_path) == 4
    assert (tmp_path / INDEX_NAME).read_text() == whole


@pytest.mark.parametrize(
    "url, key",
    [
        ("https://www2.Example.com:443/A/B/?C=d&a=b", "com,example)/a/b?a=b&c=d"),
        ("http://example.com:8080/", "com,example:8080)/"),
        ("http://example.com//x//", "com,example)/x"),
        ("http://127.0.0.1:80/", "1,0,0,127)/"),
        ("http://[::1]/a", "::1)/a"),
        ("http://example.com/?", "com,example)/"),
        ("http://example.com/?a=2&a=1&jsessionid=" + "0" * 32, "com,example)/?&a=1&a=2"),
        ("http://example.com/?a=1&a-b&a=&a&=x", "com,example)/?=x&a&a=&a=1&a-b"),
        ("http://example.com/%7Euser/%7Bx%7D%27|", "com,example)/~user/{x}'|"),
        ("http://example.com/~user/{x}%27%7C", "com,example)/~user/{x}'|"),
        ("http://example.com/a b%20c#d", "com,example)/a%20b%20c"),
        ("http://example.com/É?%C3%89=%25", "com,example)/%c3%89?%c3%89=%25"),
        ("http://example.com/%2541/%zz%", "com,example)/a/%25zz%25"),
        ("http://example.com/?a=1%262", "com,example)/?2&a=1"),
        ("http://example.com/a/./b/../c%2F%2Fd", "com,example)/a/c/d"),
        ("http://B\u00fccher.example./", "example,xn--bcher-kva)/"),
        (f"http://example.com/x/(S({'a1' * 12}))/y.aspx", "com,example)/x/y.aspx"),
        (f"http://example.com/x/({'a1' * 12})/y.aspx?b", "com,example)/x/y.aspx?b"),
        ("http://example.com/x/(short)/y.aspx", "com,example)/x/(short)/y.aspx"),
        ("dns:example.com", "dns:example.com"),
    ],
)
def test_keys_bring_the_pages_of_a_domain_together(url: str, key: str) -> None:
    assert surt(url) == key


def test_a_url_with_thousands_of_escapes_of_escapes_has_a_key() -> None:
    assert surt("http://example.com/%" + "25" * 30_000).startswith("com,example)/%25")


def test_all_spellings_of_a_url_are_found_under_one_key(tmp_path: Path) -> None:
    url = "http://a.test/fonts?family=A+B|C&x='y'"
    (tmp_path / "others.warc").write_bytes(record(url, b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"))
    write_index(tmp_path)
    for spelling in (url, url.replace("|", "%7C"), url.replace("'", "%27"), url.replace("family", "%66amily")):
        assert [each.url for each in CaptureIndex(tmp_path).versions(spelling)] == [url]


def test_an_index_with_keys_of_an_earlier_version_is_written_anew(tmp_path: Path) -> None:
    written(tmp_path, capture("http://127.0.0.1/"), capture("http://a.test/%7Bx%7D"), capture("http://b.test/"))
    update_index(tmp_path)
    index = tmp_path / INDEX_NAME
    whole = index.read_text()
    index.write_text("".join(sorted(whole.replace("1,0,0,127)/", "127.0.0.1)/").splitlines(keepends=True))))
    update_index(tmp_path)
    assert index.read_text() == whole
    index.write_text("".join(sorted(whole.replace("{x}", "%7bx%7d", 1).splitlines(keepends=True))))
    update_index(tmp_path)
    assert index.read_text() == whole
