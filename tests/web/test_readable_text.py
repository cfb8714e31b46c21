"""The text of a page is read in paragraphs: its main content where the index has it, else all of it, divided."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hinterland.library.text.readable_text import MOST_CHARACTERS, TextBlock, all_text, main_content
from hinterland.search.index_failures import NoIndex
from tests.support.fake_index import FakeIndex
from tests.web.test_pages import client_of, first, get

pytestmark = pytest.mark.slow

HEADINGS = st.lists(st.tuples(st.integers(0, 9), st.text(max_size=12)), max_size=5)


def test_paragraphs_are_those_of_the_index_and_headings_those_of_the_page() -> None:
    text = "The ferry\n\nThe ferry\n\nBoats go at noon.\n\nTimetable\n\n  1. noon\n  2. dusk\n\nTimetable\n"
    found = main_content(text, [(1, "The ferry"), (2, "Timetable")], "The ferry")
    assert found.blocks == [
        TextBlock("Boats go at noon."),
        TextBlock("Timetable", 2),
        TextBlock("  1. noon\n  2. dusk"),
        TextBlock("Timetable", 2),
    ]
    assert found.is_whole
    assert found.is_main


@pytest.mark.parametrize(
    "text, title, blocks",
    [
        ("", "T", []),
        ("\n\n \n\n", "T", []),
        ("a\n\nA\n\na", "", [TextBlock("a")]),
        ("T\n\nSaid.\n\nt", "T", [TextBlock("Said."), TextBlock("t")]),
        ("code:\n    x = 1\n    y = 2", "", [TextBlock("code:\n    x = 1\n    y = 2")]),
    ],
)
def test_what_says_the_same_again_is_left_out(text: str, title: str, blocks: list[TextBlock]) -> None:
    assert main_content(text, [], title).blocks == blocks


def test_text_without_paragraphs_is_divided_before_headings_and_between_sentences() -> None:
    sentence = "The boat leaves the harbour at noon and comes back at dusk. "
    found = all_text(
        f"Menu Home Ferries {sentence * 30}Timetable Noon.", [(1, "Ferries"), (2, "Timetable"), (2, "Lost")]
    )
    assert found.blocks[:2] == [TextBlock("Menu Home"), TextBlock("Ferries", 1)]
    assert found.blocks[-2:] == [TextBlock("Timetable", 2), TextBlock("Noon.")]
    long = found.blocks[2:-2]
    assert len(long) > 1
    assert all(block.text.endswith(".") and len(block.text) <= 700 for block in long)


@given(st.text(max_size=3_000), HEADINGS)
def test_nothing_of_a_text_is_lost_when_it_is_divided(text: str, headings: list[tuple[int, str]]) -> None:
    blocks = all_text(text, headings).blocks
    assert "".join("".join(block.text.split()) for block in blocks) == "".join(text.split())
    assert all(block.text.strip() and 0 <= block.level <= 6 for block in blocks)


@given(st.text(alphabet="ab\n .", max_size=300), HEADINGS, st.text(alphabet="ab", max_size=5))
def test_main_content_has_no_empty_paragraph_and_none_twice_in_a_row(
    text: str, headings: list[tuple[int, str]], title: str
) -> None:
    blocks = main_content(text, headings, title).blocks
    assert all(block.text.strip() for block in blocks)
    assert all(one.text != other.text for one, other in pairwise(blocks))


def test_of_a_text_without_an_end_the_beginning_is_shown() -> None:
    for found in (all_text("word " * MOST_CHARACTERS, []), main_content("word\n\n" * MOST_CHARACTERS, [], "")):
        assert not found.is_whole
        assert sum(len(block.text) for block in found.blocks) <= MOST_CHARACTERS


class WithContent(FakeIndex):
    def main_content(self, page: int) -> str | None:
        return "The ferry company\n\nBoats go at noon.\n\nTimetable\n\n<script>x</script>" if page == 0 else None


class WithoutIndex(FakeIndex):
    def main_content(self, page: int) -> str | None:
        raise NoIndex("there is none")


async def test_the_page_view_begins_with_the_main_content_that_the_index_has(crawled_store: Path) -> None:
    async with client_of(crawled_store, WithContent(crawled_store)) as client:
        html = await get(client, "/page/0")
    assert first(html, "#text-heading").text() == "Main content"
    paragraphs = [(node.attributes.get("class"), node.text()) for node in first(html, ".text").css("p")]
    assert paragraphs == [
        (None, "Boats go at noon."),
        ("heading level-of-2", "Timetable"),
        (None, "<script>x</script>"),
    ]
    assert "Ferry number 3" in first(html, ".everything").text()


@pytest.mark.parametrize("index", [FakeIndex, WithoutIndex])
async def test_without_an_index_the_main_content_that_the_store_knows_is_shown(
    index: type[FakeIndex], crawled_store: Path
) -> None:
    async with client_of(crawled_store, index(crawled_store)) as client:
        html = await get(client, "/page/0")
    assert first(html, "#text-heading").text() == "Main content"
    assert first(html, ".text").css("p")
    assert first(html, ".everything p.heading").text() == "Ferries"


async def test_a_hit_is_its_place_title_and_snippet_and_little_else(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        page = LexborHTMLParser(await get(client, "/?q=Ferry"))
    hit = first(page, "ol.hits > li")
    assert hit.css_first(".where time") is not None, "the date stands beside the place"
    assert hit.css_first(".facts time") is None
    assert first(hit, ".facts > li").text(deep=True) == "Stored page"
