"""Which bodies are kept: all, none, or those of a store that is still small."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.storage.kept_bodies import KeptBodies

MB = 1_000_000


def grown(file: Path, megabytes: float) -> None:
    file.write_bytes(bytes(round(megabytes * MB)))


@pytest.mark.parametrize(
    "keeps_all, small_mb, size_mb, are_kept",
    [
        (True, 0, 3, True),
        (True, 1, 3, True),
        (False, 0, 0, False),
        (False, 2, 1, True),
        (False, 2, 2, False),
        (False, 2, 3, False),
    ],
)
def test_bodies_are_kept_by_the_size_of_the_store_unless_all_are_asked_for(
    *, keeps_all: bool, small_mb: int, size_mb: int, are_kept: bool, tmp_path: Path
) -> None:
    grown(tmp_path / "s.db", size_mb)
    assert KeptBodies(tmp_path / "s.db", keeps_all=keeps_all, small_mb=small_mb).are_kept() is are_kept


def test_what_is_not_yet_merged_into_the_file_counts(tmp_path: Path) -> None:
    grown(tmp_path / "s.db", 1.2)
    grown(tmp_path / "s.db-wal", 1)
    assert not KeptBodies(tmp_path / "s.db", keeps_all=False, small_mb=2).are_kept()


def test_a_store_that_has_grown_is_reported_once_and_keeps_no_further_bodies(tmp_path: Path) -> None:
    told: list[str] = []
    bodies = KeptBodies(tmp_path / "s.db", keeps_all=False, small_mb=1, on_limit=told.append)
    assert bodies.are_kept()
    grown(tmp_path / "s.db", 2)
    kept = [bodies.are_kept() for _ in range(100)]
    assert sum(kept) < 20
    assert not any(kept[20:])
    (tmp_path / "s.db").unlink()
    assert not bodies.are_kept()
    [sentence] = told
    assert "has reached 1 MB (storage.keep_bodies_mb)" in sentence
