"""What stands in a single WARC record, and how it is packed."""

from __future__ import annotations

import base64
import gzip
import hashlib
from datetime import UTC, datetime
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.records import capture_members, sha1, warc_date

BODY = b"<p>hello " * 300


def packed(*fields: bytes) -> bytes:
    """The member of a response with these fields and a body that would shrink."""
    head = b"".join((b"HTTP/1.1 200 OK\r\n", *(field + b"\r\n" for field in fields), b"\r\n"))
    capture = Capture("http://a.test/", 1e9, None, b"GET / HTTP/1.1\r\n\r\n", head + BODY, len(head))
    return capture_members(capture, sha1(BODY), warc_date(1e9))[0]


@pytest.mark.parametrize(
    "fields",
    [
        (b"Content-Type: image/png",),
        (b"content-type:IMAGE/JPEG; q=1",),
        (b"Content-Type: font/woff2",),
        (b"Content-Type: video/mp4",),
        (b"Content-Type: text/html", b"Content-Encoding:\tbr"),
        (b"X-A: 1", b"content-encoding: gzip, br"),
    ],
)
def test_a_body_that_is_compressed_already_is_stored_as_it_is(fields: tuple[bytes, ...]) -> None:
    member = packed(*fields)
    assert BODY in member
    record = next(ArchiveIterator(BytesIO(member), check_digests="raise"))
    assert record.raw_stream.read() == BODY
    assert gzip.decompress(member).startswith(b"WARC/1.1\r\n")


@pytest.mark.parametrize(
    "fields",
    [
        (),
        (b"Content-Type: text/html",),
        (b"Content-Type: image/svg+xml",),
        (b"Content-Type: image/bmp",),
        (b"Content-Type: application/json", b"Content-Encoding: identity"),
        (b"X-Content-Type: image/png",),
        (b"Accept-Encoding: gzip",),
    ],
)
def test_other_bodies_are_compressed(fields: tuple[bytes, ...]) -> None:
    assert len(packed(*fields)) < len(BODY) / 3


@given(st.binary(max_size=64))
def test_digests_are_those_of_the_standard_library(data: bytes) -> None:
    assert sha1(data) == "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


@given(st.floats(0, 4e9) | st.integers(0, 2**32).map(float))
def test_dates_are_those_of_the_standard_library(at: float) -> None:
    expected = datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert warc_date(at) == expected


def test_a_date_just_before_a_second_is_rounded_up_to_it() -> None:
    assert warc_date(1.9999999) == "1970-01-01T00:00:02.000000Z"
