"""More items than are held in memory come back in their order."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage import sorted_runs
from hinterland.storage.sorted_runs import SortedRuns, in_order

items = st.tuples(st.text(max_size=3), st.integers(), st.floats(allow_nan=False), st.booleans())


@pytest.fixture(scope="module", autouse=True)
def few_runs_are_merged_to_one() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_runs, "_MERGED", 3)
        yield


@given(st.lists(items, max_size=60), st.integers(1, 7), st.integers(1, 20))
def test_items_come_in_order_however_few_are_held(
    tmp_path_factory: pytest.TempPathFactory, given: list[tuple[str, int, float, bool]], most: int, at_once: int
) -> None:
    folder = tmp_path_factory.getbasetemp() / "runs"
    folder.mkdir(exist_ok=True)
    with SortedRuns[tuple[str, int, float, bool]].opened(folder, most) as runs:
        for start in range(0, len(given), at_once):
            runs.extend(given[start : start + at_once])
        assert list(runs) == sorted(given)
        runs.extend([("", 0, 0.0, False)])
        assert list(runs) == list(runs) == sorted([*given, ("", 0, 0.0, False)])
    assert list(folder.iterdir()) == []


def test_what_no_file_can_say_in_utf_8_comes_back_too(tmp_path: Path) -> None:
    assert list(in_order(["b", "\ud800", "a"], tmp_path)) == ["a", "b", "\ud800"]


def test_memory_does_not_grow_with_the_number_of_items(tmp_path: Path) -> None:
    peaks = []
    for size in (1_000, 8_000):
        with SortedRuns[str].opened(tmp_path, 100) as runs:
            tracemalloc.start()
            runs.extend(f"{number * 7919 % size:08} and so on" for number in range(size))
            assert sum(1 for _ in runs) == size
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
    assert peaks[1] < 8_000 * 10  # a string alone takes 70 bytes
