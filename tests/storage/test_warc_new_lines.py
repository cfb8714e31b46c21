"""The index that is written beside an archive is the one that reading its records gives."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.cdxj import INDEX_NAME, update_index, write_index
from hinterland.storage.warc.folder import WarcFolder
from hinterland.storage.warc.new_lines import NewLines
from hinterland.storage.warc.originals import Originals

LINES = st.sampled_from(
    [
        *(b"Content-Type: text/HTML; charset=x", b"content-type:image/png", b"Content-Type:", b"X: 1", b"no colon"),
        *(b" folded: text/css", b"Content-Type: text/\xe4", b"Content-Type : text/css", b": empty", b"\tX: 2"),
    ]
)
STATUSES = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.0 404", b"HTTP/1.1 304 Not Modified", b"HTTP/1.1 20x", b"nonsense", b"HTTP/1.1 200OK"]
)
ENDS = st.sampled_from([b"\r\n", b"\n"])


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    end = draw(ENDS)
    head = end.join([draw(STATUSES), *draw(st.lists(LINES, max_size=3))]) + end + end
    url = draw(st.sampled_from(["http://a.test/", "https://a.test/\u00e4?b=1", "http://b.test/x.PNG"]))
    body = draw(st.sampled_from([b"", b"<p>hello", b"other"]))
    return Capture(url, 1_700_000_000.25, None, b"GET / HTTP/1.1\r\n\r\n", head + body, len(head))


@given(st.lists(captures(), max_size=6), st.sampled_from([1, 10**9]))
def test_lines_noted_while_records_are_written_equal_those_read_from_them(seen: list[Capture], max_bytes: int) -> None:
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        lines = NewLines(opened.enter_context(TemporaryFile()))
        files = WarcFolder(folder, {}, max_bytes, opened.enter_context(Originals(folder)), lines)
        for each in seen:
            files.write([each], each.captured_at)
        files.close()
        update_index(folder, lines, lines.files)
        index = folder / INDEX_NAME
        noted = index.read_text() if index.exists() else ""
        assert write_index(folder) == len(seen)
        assert index.read_text() == noted


def test_lines_of_a_file_that_was_moved_are_left_out(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with TemporaryFile() as file:
        lines = NewLines(file)
        files = WarcFolder(tmp_path, {}, 1, None, lines)
        for name in "ab":
            files.write([Capture(f"http://{name}.test/", 1.7e9, None, b"", head, len(head))], 1.7e9)
        files.close()
        min(tmp_path.glob("*.warc.gz")).unlink()
        update_index(tmp_path, lines, lines.files)
    [line] = (tmp_path / INDEX_NAME).read_text().splitlines()
    assert line.startswith("test,b)/ ")
