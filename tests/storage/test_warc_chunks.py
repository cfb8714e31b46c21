"""Bodies in chunks as they are archived: by the book, leniently, cut off, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage.warc.chunks import ChunkReader

BODY = b"<p>hello <a href=/x>x</a>"
LONG = b";name=" + b"v" * 200


def read(*pieces: bytes) -> bytes:
    reader = ChunkReader()
    return b"".join([*map(reader.feed, pieces), reader.rest()])


def chunked(parts: Sequence[bytes], extension: bytes = b"", end: bytes = b"\r\n", last: bytes = b"0") -> bytes:
    """The parts as chunks, with an extension after each size, and the last chunk without trailers."""
    chunks = [b"%x%s%s%s%s" % (len(part), extension, end, part, end) for part in parts]
    return b"".join(chunks) + last + end + end


PARTS = (BODY[:3], BODY[3:])


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(chunked(PARTS), id="by the book"),
        pytest.param(chunked(PARTS)[:-2] + b"X-Checksum: abc\r\nServer-Timing: db;dur=5\r\n\r\n", id="trailers"),
        pytest.param(chunked(PARTS)[:-2] + b"X-Checksum: abc\n\n", id="trailers with bare ends of lines"),
        pytest.param(chunked(PARTS)[:-2] + b"X-Checksum: ab", id="trailers that are cut off"),
        pytest.param(chunked(PARTS)[:-2], id="no empty line at the end"),
        pytest.param(chunked(PARTS)[:-5], id="no last chunk"),
        pytest.param(chunked(PARTS)[:-4], id="the last chunk is cut off"),
        pytest.param(chunked(PARTS)[:-7], id="the end of the last line is missing"),
        pytest.param(chunked(PARTS, end=b"\n"), id="bare ends of lines"),
        pytest.param(chunked(PARTS, LONG), id="lines of more than 64 bytes"),
        pytest.param(chunked(PARTS, LONG, b"\n"), id="both"),
        pytest.param(chunked(PARTS, b"  "), id="spaces after the size"),
        pytest.param(chunked(PARTS, b" ; a=b"), id="a space before an extension"),
        pytest.param(chunked(PARTS, last=b"000000"), id="zeros in the last size"),
        pytest.param(b"00003\r\n<p>\r\n" + chunked(PARTS[1:]), id="zeros before a size"),
        pytest.param(chunked(PARTS).upper().replace(PARTS[0].upper(), PARTS[0]).replace(PARTS[1].upper(), PARTS[1]),
                     id="sizes in capitals"),
        pytest.param(chunked([BODY[n : n + 1] for n in range(len(BODY))]), id="a byte a chunk"),
        pytest.param(chunked([BODY]) + b"HTTP/1.1 200 OK\r\n\r\nanother", id="something after the end"),
        pytest.param(BODY, id="not in chunks"),
        pytest.param(b"%x\r\n%s" % (len(BODY), BODY), id="one chunk without an end"),
        pytest.param(b"%x\r\n%s" % (len(BODY) + 9, BODY), id="cut off in the first chunk"),
    ],
)  # fmt: skip
def test_a_body_comes_out_of_its_chunks_without_framing(sent: bytes) -> None:
    assert read(sent) == BODY
    assert read(*(sent[n : n + 1] for n in range(len(sent)))) == BODY


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b"abc\nis how the alphabet begins",
        b"5\r\nhello world\r\n",
        b"User-agent: *\nDisallow: /\n",
        b"fffffffffffffffffff\r\n",
        b";\r\n",
        b"\r\n\r\n<p>",
    ],
)
def test_what_only_looks_like_chunks_is_left_as_it_is(body: bytes) -> None:
    assert read(body) == body


def test_what_follows_a_chunk_and_is_none_is_kept() -> None:
    assert read(b"3\r\nabc\r\n<p>no chunk</p>") == b"abc<p>no chunk</p>"


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.sampled_from([b"\r\n", b"\n"]), st.data())
def test_any_body_comes_out_whole_however_it_is_fed(parts: list[bytes], end: bytes, data: st.DataObject) -> None:
    sent = chunked(parts, end=end)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=5)))
    pieces = [sent[begin:stop] for begin, stop in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    assert read(*pieces) == b"".join(parts)


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_no_bytes_are_too_strange(pieces: list[bytes]) -> None:
    reader = ChunkReader()
    size = sum(len(reader.feed(piece)) for piece in pieces) + len(reader.rest())
    assert size <= sum(map(len, pieces))
