"""Two versions of a text shown as one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinterland.library.text.diff_text import marked, pieces

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=60)


def test_what_is_gone_and_what_is_new_is_marked_where_it_stands() -> None:
    old, new = ["the", "old", "mill", "is", "closed"], ["the", "new", "mill", "is", "closed", "today"]
    assert marked(pieces(old, new)) == ["the [-old-] {+new+} mill is closed {+today+}"]


def test_what_stayed_is_shown_only_around_what_did_not() -> None:
    same = [f"w{number}" for number in range(40)]
    old, new = [*same, "x", *same[::-1]], [*same, "y", *same[::-1]]
    assert marked(pieces(old, new, around=2)) == ["w38 w39 [-x-] {+y+} w39 w38"]


def test_equal_texts_have_nothing_to_show() -> None:
    assert marked(pieces(["a"], ["a"])) == []


@given(WORDS, WORDS)
def test_the_pieces_hold_both_versions_whole(old: list[str], new: list[str]) -> None:
    found = list(pieces(old, new, around=3))
    if old == new:
        assert not found
        return
    for version, left_out in ((old, "new"), (new, "gone")):
        assert [word for piece in found if piece.kind != left_out for word in piece.words] == version
