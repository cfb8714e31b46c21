"""Header fields of any octets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.header_fields import field_text, location_text


def received(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    "octets, text",
    [(b"text/html", "text/html"), ("é".encode(), "é"), (b"r\xe9sum\xe9", "résumé"), (b"\xc3\xa9\xe9", "Ã©é")],
)
def test_a_field_is_utf_8_or_else_latin_1(octets: bytes, text: str) -> None:
    assert field_text(received(octets)) == text


@pytest.mark.parametrize(
    "octets, text",
    [(b"/a%20b", "/a%20b"), ("/é".encode(), "/é"), (b"/caf\xe9", "/caf%E9"), (b"/\xc3\xa9\xff", "/é%FF")],
)
def test_octets_of_a_location_that_are_not_utf_8_are_percent_encoded(octets: bytes, text: str) -> None:
    assert location_text(received(octets)) == text


@given(st.binary())
def test_any_octets_become_text_that_can_be_stored(octets: bytes) -> None:
    field_text(received(octets)).encode()
    location_text(received(octets)).encode()
