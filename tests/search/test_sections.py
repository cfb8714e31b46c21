"""Where the sections of a page are, and which one answers a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.sections import (
    MOST_SECTIONS,
    Section,
    as_stored,
    best_section,
    folded_word,
    from_stored,
    sections_of,
)

MANUAL = """Ferries

What you need to know of ferries.

Timetable

Fares

Dogs

Timetable ¶

The ferry leaves at eight and at ten.

Fares

Adults pay four coins. Season tickets can be bought on board.

Dogs

Dogs travel without tickets; muzzles are asked for at times."""
HEADINGS = [(1, "Ferries", "top"), (2, "Timetable ¶", "timetable"), (2, "Fares", "fares"), (3, "Dogs", "dogs")]


def answering(query: str, text: str = MANUAL, title: str = "Ferries") -> str:
    """Return the heading of the section that answers a query; "" for the beginning of the page."""
    sections = sections_of(text, HEADINGS)
    place = best_section(text, sections, title, {folded_word(word): 1.0 for word in query.split()})
    return "" if place is None else sections[place].heading


def test_a_section_begins_at_its_heading_not_at_its_line_in_a_table_of_contents() -> None:
    sections = sections_of(MANUAL, HEADINGS)
    assert [(each.level, each.heading, each.anchor) for each in sections] == [
        (1, "Ferries", "top"), (2, "Timetable", "timetable"), (2, "Fares", "fares"), (3, "Dogs", "dogs"),
    ]  # fmt: skip
    below = [MANUAL[each.offset :].split("\n\n", 2)[1].split(maxsplit=1)[0] for each in sections]
    assert below == ["What", "The", "Adults", "Dogs"]


def test_headings_that_are_not_in_the_text_begin_no_section() -> None:
    assert sections_of("One\n\ntext", [(2, "Menu", "m"), (2, "One", "o"), (2, "", ""), (2, "Footer", "f")]) == (
        Section(0, 2, "One", "o"),
    )
    assert sections_of("", HEADINGS) == ()


def test_a_heading_that_stands_once_more_elsewhere_does_not_hide_the_others() -> None:
    text = "Contact\n\nus\n\nOne\n\nx\n\nTwo\n\ny"
    found = sections_of(text, [(2, "One", ""), (2, "Two", ""), (2, "Contact", "")])
    assert [each.heading for each in found] == ["One", "Two"]


@pytest.mark.parametrize(
    "query, heading",
    [
        ("eight", "Timetable"),
        ("fare", "Fares"),
        ("adult coin", "Fares"),
        ("ticket dog", "Dogs"),
        ("muzzles", "Dogs"),
        ("need know", ""),
        ("ferries", ""),
        ("submarine", ""),
    ],
)
def test_the_section_whose_heading_and_text_have_the_words_answers_a_query(query: str, heading: str) -> None:
    assert answering(query) == heading


def test_a_word_counts_only_where_a_word_begins() -> None:
    text = "A\n\nunfair affairs\n\nB\n\nfairs"
    sections = sections_of(text, [(2, "A", ""), (2, "B", "")])
    assert best_section(text, sections, "", {"fair": 1.0}) == 1


@pytest.mark.parametrize(
    "word, text",
    [
        ("ecole", "Les écoles"),
        ("studi", "To study"),
        ("渡", "的渡轮"),
        ("οδοσ", "Η ΟΔΌΣ, η οδός"),
        ("हिन्दी", "यह हिन्दी है"),
        ("ferri", "“Ferries” … 𝄞"),
    ],
)
def test_words_are_found_in_other_forms_and_scripts(word: str, text: str) -> None:
    page = f"A\n\nx\n\nB\n\n{text}"
    sections = sections_of(page, [(2, "A", ""), (2, "B", "")])
    assert best_section(page, sections, "", {folded_word(word): 1.0}) == 1


def test_sections_are_stored_and_read() -> None:
    sections = sections_of(MANUAL, HEADINGS)
    assert from_stored(as_stored(sections)) == sections
    assert from_stored(as_stored(())) == ()


names = st.sampled_from(["One", "Two", "Three", "x y", " Two #", ""])


@given(st.lists(names, max_size=30), st.lists(names, max_size=12))
def test_sections_are_headings_of_the_page_in_their_order_at_blocks_that_name_them(
    blocks: list[str], headings: list[str]
) -> None:
    text = "\n\n".join(blocks)
    found = sections_of(text, [(2, name, str(number)) for number, name in enumerate(headings)])
    offsets, numbers = [each.offset for each in found], [int(each.anchor) for each in found]
    assert offsets == sorted(set(offsets))
    assert numbers == sorted(set(numbers))
    for each in found:
        assert text[each.offset :].lstrip().startswith(each.heading)
        assert headings[int(each.anchor)].strip(" #") == each.heading


@given(st.lists(names, max_size=12), st.lists(names, max_size=5))
def test_as_many_headings_as_possible_are_found(blocks: list[str], headings: list[str]) -> None:
    def longest(texts: list[str], wanted: list[str]) -> int:
        if not texts or not wanted:
            return 0
        if texts[0] == wanted[0] != "":
            return 1 + longest(texts[1:], wanted[1:])
        return max(longest(texts[1:], wanted), longest(texts, wanted[1:]))

    plain = [each.strip(" #") for each in blocks], [each.strip(" #") for each in headings]
    assert len(sections_of("\n\n".join(blocks), [(2, name, "") for name in headings])) == longest(*plain)


def test_a_page_of_very_many_equal_headings_is_read_in_bounded_time() -> None:
    text = "\n\n".join(["Example"] * 20_000)
    assert len(sections_of(text, [(2, "Example", "")] * 20_000)) <= MOST_SECTIONS
