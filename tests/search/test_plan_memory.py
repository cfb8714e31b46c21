"""What a plan of an index holds of every page, and how pages folded into others are kept."""

from __future__ import annotations

import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis import chunked
from hinterland.analysis.mmap_graph import zeros_in
from hinterland.search.folded_pages import FoldedPages
from hinterland.search.index import page_columns
from hinterland.search.index.corpus import Corpus
from hinterland.search.store import crawled_pages
from hinterland.search.store import document_store as documents
from hinterland.search.store.document_store import document_store
from hinterland.search.store.signature_file import SignatureFile
from tests.support.stored_pages import Link, Page, essay, write_store


@pytest.mark.slow
def test_planning_an_index_takes_no_more_memory_for_more_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of all of them lies in files. It was two and a half kilobytes a page, then 190 bytes."""
    for module, name in (
        (chunked, "CHUNK"),
        (page_columns, "_ROWS"),
        (crawled_pages, "_ROWS"),
        (documents, "_BATCH"),
    ):
        monkeypatch.setattr(module, name, 50)
    zeros = partial(zeros_in, tmp_path)
    peaks = []
    for size in (200, 600):
        links = [[Link((number * 7 + step) % size, f"to {step}") for step in range(4)] for number in range(size)]
        pages = [Page(essay(number % 300, 80), f"Title {number}", links[number]) for number in range(size)]
        store = write_store(tmp_path / f"{size}.db", pages)
        with document_store(tmp_path / f"{size}.documents", store) as opened:
            Corpus(opened, zeros=zeros).plan()
            taken = []
            for _ in range(2):  # the first may have to compile what takes more pages
                tracemalloc.start()
                plan = Corpus(opened, zeros=zeros).plan()
                taken.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
                assert len(plan.pages) + len(plan.members.members) == size
            peaks.append(min(taken))
    assert (peaks[1] - peaks[0]) / 400 < 20


def test_members_are_known_by_the_page_that_stands_for_them() -> None:
    members = FoldedPages(np.array([5, 2, 5, 9]), np.array([8, 3, 6, 1]))
    assert dict(members) == {2: (3,), 5: (6, 8), 9: (1,)}
    assert len(members) == 3
    assert members.get(8, ()) == ()


@pytest.mark.parametrize("at_once", [1, 3, 7])
def test_bands_of_signatures_come_back_from_disk_as_they_were_written(at_once: int, tmp_path: Path) -> None:
    drawn = np.random.default_rng(1).integers(0, 0xFFFF, (7, 8)).astype("<u2")
    with SignatureFile.opened(tmp_path, 7, 8, 2, 0xFFFF) as file:
        for start in range(0, 7, at_once):
            rows = [row for row in range(start, min(start + at_once, 7)) if row != 4]
            places = [row - start for row in rows]
            file.write(start, min(at_once, 7 - start), places, [drawn[row].tobytes() for row in rows])
        drawn[4] = 0xFFFF  # it had none
        for band in range(4):
            assert (file.band(band) == drawn[:, 2 * band : 2 * band + 2]).all()
        assert list(tmp_path.iterdir()) == []
