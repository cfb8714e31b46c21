"""Earlier texts of a page take little room and come back as they were."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage.values.versions import VersionLost, difference_from, text_before


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_text_comes_back_from_the_one_that_followed(text: bytes, after: bytes) -> None:
    assert text_before(difference_from(text, after), after) == text


def test_a_small_edit_of_a_long_text_takes_little_room() -> None:
    words = random.Random(1).choices([f"word{number}" for number in range(5000)], k=30_000)
    after = " ".join(words).encode()
    words[100:110] = ["another", "sentence"]
    text = " ".join(words).encode()
    difference = difference_from(text, after)
    assert len(difference) < 600
    assert text_before(difference, after) == text


def test_another_text_than_the_one_that_followed_is_noticed() -> None:
    difference = difference_from(b"what it said at first, in some words", b"what it said at last, in some words")
    with pytest.raises(VersionLost, match="cannot be reconstructed"):
        text_before(difference, b"what nobody said at any time, in words")
