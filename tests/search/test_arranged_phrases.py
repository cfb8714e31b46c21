"""Phrases become the same suggestions however they are sorted, and however many there are."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search import arranged_phrases
from hinterland.search.arranged_phrases import Weighed, arrange
from hinterland.search.folded_pages import FoldedPages
from hinterland.search.index import suggesting
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.index_plan import IndexPlan
from hinterland.search.index.suggesting import write_suggestions
from hinterland.search.phrases import HEADING, TITLE, weighed
from hinterland.search.ranking import IndexedRanks
from hinterland.search.store.document_store import DocumentStore
from hinterland.storage import sorted_runs
from tests.support.arrays import arrays_of, suggestions_of


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["a b", "A b", "ä b", "ab", "b a c"]), st.integers(1, 9))), st.integers(1, 9))
def test_phrases_are_arranged_alike_in_parts_of_any_size(given: list[tuple[str, int]], at_once: int) -> None:
    phrases: list[Weighed] = [
        (phrase.lower().replace("ä", "a"), phrase, number, float(weight), False)
        for number, (phrase, weight) in enumerate(given)
    ]
    together = arrays_of(lambda put: arrange(phrases, sorted, put))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arranged_phrases, "_AT_ONCE", at_once)
        in_parts = arrays_of(lambda put: arrange(reversed(phrases), sorted, put))
    assert {name: each.tolist() for name, each in in_parts.items()} == {
        name: each.tolist() for name, each in together.items()
    }


def test_of_too_many_phrases_the_heaviest_are_kept_the_first_of_equal_ones() -> None:
    names = [(text, TITLE, rank, 1) for text, rank in (("one", 1.0), ("two", 5.0), ("three", 1.0), ("four", 2.0))]
    found = suggestions_of(weighed(names), most=3)
    assert [len(found), *(found.starting_with(letter, 5) for letter in "otf")] == [3, ["one"], ["two"], ["four"]]


@pytest.mark.parametrize("pages, found", [(5, ["Usage"]), (6, [])])
def test_a_heading_that_many_pages_have_is_not_suggested_however_it_is_marked(pages: int, found: list[str]) -> None:
    names = [("Usage¶" if page % 2 else "Usage", HEADING, 1.0, 1) for page in range(pages)]
    assert suggestions_of(weighed(names)).starting_with("usage", 5) == found
    assert suggestions_of(weighed([*names, ("Usage", TITLE, 1.0, 1)])).starting_with("usage", 5) == ["Usage"]


class _Pages:
    """Pages, each with a title, a heading, a name and a link to it that no other has."""

    def __init__(self, count: int) -> None:
        self._count = count

    @property
    def crawled(self) -> _Pages:
        return self

    def titles(self) -> Iterator[tuple[int, str, str]]:
        return ((page, "a.test", f"On number {page} - Manual {page % 3}") for page in range(self._count))

    def all_anchors(self) -> Iterator[tuple[int, bool, str, int]]:
        return ((page, True, f"look up number {page}", 1) for page in range(self._count))

    def names(self) -> Iterator[tuple[int, list[str]]]:
        return ((page, [f"number_{page}"]) for page in range(self._count))

    def headings(self) -> Iterator[tuple[int, str]]:
        return ((page, f'[[1, "The story of number {page}"]]') for page in range(self._count))


@pytest.mark.slow
def test_to_write_suggestions_takes_some_bytes_a_page_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two kilobytes it was."""
    monkeypatch.setattr(sorted_runs, "MOST_HELD", 100)
    monkeypatch.setattr(suggesting, "_AT_ONCE", 50)
    monkeypatch.setattr(arranged_phrases, "_AT_ONCE", 50)
    folder, peaks = IndexFolder(tmp_path), []
    for size in (300, 900):
        pages = np.arange(size)
        none = np.empty(0, np.int64)
        plan = IndexPlan(pages, pages.astype(np.uint64), FoldedPages(none, none), {})
        tracemalloc.start()
        ranks = IndexedRanks(pages, np.ones(size))
        write_suggestions(folder, cast(DocumentStore, _Pages(size)), plan, ranks)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        found = folder.read_suggestions()
        assert found is not None
        assert len(found) == 4 * size
        assert found.starting_with("look 299", 5) == ["look up number 299"]
        assert found.starting_with("on num", 1) == ["On number 0"]
    assert (peaks[1] - peaks[0]) / 600 < 100
