"""The words around links."""

from __future__ import annotations

from hinterland.crawler.features.topics.reading.surroundings import surroundings


def test_words_on_both_sides_of_an_anchor_are_found_in_the_text() -> None:
    assert surroundings(b"all about pruning roses in winter", ["roses"], [0]) == ["all about pruning  " + " in winter"]


def test_the_same_anchor_twice_is_found_at_its_own_places() -> None:
    first, second = surroundings(b"one more, two more, end", ["more", "more"], [0, 1])
    assert first.startswith("one")
    assert second.startswith("one more, two")


def test_words_that_are_cut_at_the_ends_are_left_out() -> None:
    text = "x" * 100 + " left " + "anchor" + " right " + "y" * 100
    assert surroundings(text.encode(), ["anchor"], [0])[0].split() == ["left", "right"]


def test_an_anchor_without_text_or_one_that_is_not_there_has_none() -> None:
    assert surroundings(b"some text", ["", "elsewhere", "text"], [0, 1, 2]) == ["", "", "some  "]


def test_an_anchor_is_found_at_its_own_place_though_those_before_it_are_not_wanted() -> None:
    assert surroundings(b"one more, two more, end", ["more", "more"], [1]) == ["one more, two  , end"]
    assert surroundings(b"one more, two more, end", ["more", "more"], []) == []
