"""Folders of links, which are removed while others may still look into them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hinterland.search.store.linked_folder import linked_folder


@pytest.fixture
def terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file and a lock; temporary files go to a folder beside it."""
    for name in ("terms", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "terms" / "meta.json").write_text("{}")
    (tmp_path / "terms" / ".tantivy-meta.lock").touch()
    return tmp_path / "terms"


def test_it_holds_links_to_all_but_the_locks_and_is_gone_afterwards(terms: Path) -> None:
    with linked_folder(terms) as links:
        assert [each.name for each in links.iterdir()] == ["meta.json"]
        assert (links / "meta.json").read_text() == "{}"
    assert not list((terms.parent / "temporary").iterdir())
    assert len(list(terms.iterdir())) == 2


def test_a_lock_that_is_taken_in_it_while_it_is_removed_does_no_harm(
    terms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, locked = os.rmdir, list[Path]()

    def with_lock(folder: Any, **given: Any) -> None:
        if not locked:
            locked.append(links / ".tantivy-meta.lock")
            locked[0].touch()
        remove(folder, **given)

    with linked_folder(terms) as links:
        monkeypatch.setattr(os, "rmdir", with_lock)
    assert locked
    assert not links.exists()
