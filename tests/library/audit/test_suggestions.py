"""Links that a site lacks: pages that name another one, by its title, and do not link to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.cli.commands import main
from hinterland.library.audit.suggestions import Mentions, names_of, suggestions
from tests.library.audit.site import GOOD
from tests.support.stored_pages import Link, write_store

SITE = ("Home | The Inn", "The Old Harbour Clock | The Inn", "Rooms by the sea | The Inn", "Rooms by the sea | The Inn")


def test_a_page_is_named_by_the_part_of_its_title_that_is_its_own() -> None:
    assert names_of(dict(enumerate(SITE))) == {("the", "old", "harbour", "clock"): 1}


@pytest.mark.parametrize(
    "text, mentioned",
    [
        ("We saw The old  harbour\nclock at noon.", ["The old  harbour\nclock"]),
        ("The old harbour clocks", []),
        ("the old harbour; the old harbour clock. The old harbour clock", ["the old harbour clock"]),
    ],
)
def test_a_mention_is_all_words_of_a_name_in_any_case_and_counts_once(text: str, mentioned: list[str]) -> None:
    found = Mentions({("the", "old", "harbour", "clock"): 1})
    assert [words for _, words in found.in_text(text)] == mentioned


words = st.lists(st.sampled_from(["aa", "bb", "cc"]), min_size=2, max_size=4).map(tuple)


@given(st.dictionaries(words, st.integers(0, 5), max_size=5), st.lists(st.sampled_from(["aa", "bb", "cc"]), max_size=9))
def test_every_mention_is_a_name_that_stands_in_the_text(names: dict[tuple[str, ...], int], text: list[str]) -> None:
    found = dict(Mentions(names).in_text(" ".join(text)))
    for page, said in found.items():
        assert names[tuple(said.split())] == page
        assert f" {said} " in f" {' '.join(text)} "


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A site whose start page and second page mention the clock; only the second one links to it."""
    says = "Then we went to see the Old Harbour Clock before supper."
    site = [
        replace(GOOD, title=SITE[0], text=says, links=[Link(2), Link(3)]),
        replace(
            GOOD, title="Old Harbour Clock | The Inn", text="It is an Old Harbour Clock.", links=[Link(0)], depth=1
        ),
        replace(GOOD, title="Rooms | The Inn", text=says, links=[Link(0), Link(1)], depth=1),
        replace(GOOD, title="Garden | The Inn", text="Nothing.", links=[Link(0)], depth=1),
    ]
    return write_store(tmp_path / "s.db", site)


def test_a_link_is_suggested_where_a_page_mentions_another_without_linking_to_it(store: Path) -> None:
    [found] = suggestions(store)
    assert (found.source, found.target, found.words) == ("http://a.test/0", "http://a.test/1", "Old Harbour Clock")
    assert found.after > found.before > 0


def test_suggestions_are_listed_with_what_they_would_do(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(store), "--suggest-links", "1"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith("%  http://a.test/1")
    assert told[1] == '    link to it from http://a.test/0, which says "Old Harbour Clock"'
