"""What is suggested for the letters typed, and how heavy it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.phrases import LINK, TITLE, common_parts, own_title, weighed
from hinterland.search.suggestions import folded
from tests.support.arrays import suggestions

MANUAL = suggestions(
    {
        "subprocess — Subprocess management": 5.0,
        "asyncio.gather": 3.0,
        "asyncio.gather_all": 1.0,
        "__init__": 2.0,
        "object.__init__": 1.0,
        "Über die Fähren": 1.5,
        "Ferries": 1.0,
        "ferries": 0.5,
    }
)


@pytest.mark.parametrize(
    "typed, found",
    [
        ("subproc", ["subprocess — Subprocess management"]),
        ("SUBPROCESS man", ["subprocess — Subprocess management"]),
        ("man sub", ["subprocess — Subprocess management"]),
        ("asyncio.ga", ["asyncio.gather", "asyncio.gather_all"]),
        ("gather_", ["asyncio.gather_all"]),
        ("__in", ["__init__"]),
        ("init", ["__init__", "object.__init__"]),
        ("ub", ["Über die Fähren"]),
        ("fäh", ["Über die Fähren"]),
        ("fer", ["Ferries"]),
        ("die uber", ["Über die Fähren"]),
        ("ubx", []),
        ("x", []),
        ("", []),
        (" \t", []),
    ],
)
def test_words_that_begin_as_typed_are_found_the_heaviest_first(typed: str, found: list[str]) -> None:
    assert MANUAL.starting_with(typed, 10) == found


def by_reading(phrases: dict[str, float], typed: str) -> list[float]:
    """The weights of the phrases that match, the greatest first: half where a later word matches."""
    weights = []
    for phrase, weight in phrases.items():
        later = f" {phrase}".find(f" {typed}", 1) >= 0
        if phrase.startswith(typed) or later:
            weights.append(weight if phrase.startswith(typed) else weight / 2)
    return sorted(weights, reverse=True)


words = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=3).map(" ".join)


@pytest.mark.slow
@given(st.dictionaries(words, st.integers(1, 10**6).map(float), max_size=40), st.text("ab", min_size=1, max_size=3))
def test_none_that_is_left_out_is_heavier(phrases: dict[str, float], typed: str) -> None:
    found = suggestions(phrases).starting_with(typed, 5)
    weights = [weight for each in found for weight in by_reading({each: phrases[each]}, typed)]
    assert weights == pytest.approx(by_reading(phrases, typed)[:5])


@pytest.mark.slow
def test_of_very_many_the_heaviest_are_found() -> None:
    phrases = {f"page {number:05}": float(number * 7919 % 30_011) for number in range(30_000)}
    heaviest = sorted(phrases, key=lambda each: -phrases[each])[:10]
    found = suggestions(phrases)
    assert found.starting_with("pa", 10) == heaviest
    beyond = [each for each in sorted(phrases, key=lambda each: -phrases[each]) if each.startswith("page 01")]
    assert found.starting_with("page 01", 10) == beyond[:10]
    assert found.starting_with("01 page", 3) == found.starting_with("page 01", 3)


def test_a_phrase_that_repeats_a_word_takes_one_place() -> None:
    repeating = {f"a{number} a a a a a a a": 9.0 for number in range(4)}
    assert len(suggestions({**repeating, "ab": 1.0}).starting_with("a", 5)) == 5


def test_words_longer_than_keys_are_told_apart() -> None:
    alike = suggestions({f"internationalisation {number}": 200.0 - number for number in range(150)})
    assert alike.starting_with("internationalisation 149", 5) == ["internationalisation 149"]
    assert alike.starting_with("149 internationalisation", 5) == ["internationalisation 149"]


def test_no_phrases_are_no_suggestions() -> None:
    assert suggestions({}).starting_with("a", 5) == []


@pytest.mark.parametrize("text, key", [("  Übersee\tFÄHREN ", "ubersee fahren "), ("A_b", "a_b")])
def test_phrases_are_compared_without_accents_capitals_and_further_spaces(text: str, key: str) -> None:
    assert folded(text) == key


@pytest.mark.parametrize(
    "heading, phrase",
    [
        ("◆ set_value()", "set_value()"),
        ("◆\u00a0operator==() [2/3]", "operator==()"),
        ("values[1/2]", "values[1/2]"),
        ("Ratings [4 stars]", "Ratings [4 stars]"),
        ("Usage ¶", "Usage"),
    ],
)
def test_signs_that_generators_add_to_headings_are_not_suggested(heading: str, phrase: str) -> None:
    [(_, suggested, *_)] = weighed([(heading, TITLE, 1.0, 1)])
    assert suggested == phrase


def test_a_phrase_weighs_more_on_a_page_of_higher_rank_and_from_more_pages() -> None:
    names = [
        ("of a low page", TITLE, 0.1, 1),
        ("of a high page", TITLE, 9.0, 1),
        ("linked once", LINK, 1.0, 1),
        ("linked often¶", LINK, 1.0, 16),
        ("ab", TITLE, 1.0, 1),
        ("x" * 101, TITLE, 1.0, 1),
        ("steering \x1b[31m", TITLE, 1.0, 1),
    ]
    weights = {phrase: weight for _, phrase, _, weight, _ in weighed(names)}
    assert set(weights) == {"of a low page", "of a high page", "linked once", "linked often"}
    assert weights["of a high page"] > weights["of a low page"]
    assert weights["linked often"] == 5 * weights["linked once"]


def test_the_name_of_the_site_is_no_part_of_its_titles() -> None:
    titles = [("a.test", f"Chapter {number} — The Manual") for number in range(6)]
    titles += [("a.test", "Wiki: About — Us"), ("b.test", "Chapter — The Manual"), ("a.test", "The Manual")]
    common = common_parts(titles, sorted)
    assert common == {("a.test", "The Manual")}
    assert own_title("a.test", "Chapter 1 — The Manual", common) == "Chapter 1"
    assert own_title("a.test", "The Manual — Parts — The Manual", common) == "Parts"
    assert own_title("a.test", "The Manual", common) == "The Manual"
    assert own_title("b.test", "Chapter — The Manual", common) == "Chapter — The Manual"
