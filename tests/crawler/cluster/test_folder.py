from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.cluster import folder
from hinterland.crawler.cluster.folder import FolderUnusable, ShardsFolder
from hinterland.storage.lock import StoreInUse, StoreLock


def test_a_folder_that_was_made_is_removed_again_and_one_that_was_there_is_not(tmp_path: Path) -> None:
    parts = ShardsFolder(tmp_path / "s.db")
    with parts.opened(2, "local:2"):
        parts.discard()
    assert not parts.path.exists()
    parts.path.mkdir()
    with parts.opened(2, "local:2"):
        parts.discard()
    assert parts.exists


def test_a_folder_that_somebody_else_was_the_first_to_lock_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(StoreLock):
        def acquire(self) -> None:
            monkeypatch.undo()
            with other.opened(2, "local:2"):
                other.next_epoch(0)
            super().acquire()

    ours, other = (ShardsFolder(tmp_path / "s.db") for _ in range(2))
    monkeypatch.setattr(folder, "StoreLock", Late)
    with ours.opened(2, "local:2"):
        ours.discard()
    assert ours.exists


def test_the_folder_of_a_crawl_that_is_running_is_not_removed_by_one_that_cannot_begin(tmp_path: Path) -> None:
    running, other = (ShardsFolder(tmp_path / "s.db") for _ in range(2))
    with running.opened(2, "local:2"):
        with pytest.raises(StoreInUse), other.opened(2, "local:2"):
            raise AssertionError
        assert running.exists


@pytest.mark.parametrize("where", ["local:2", "ray:2@10.0.0.1:6379"])
def test_a_crawl_of_another_number_of_shards_names_the_option_to_continue_it(tmp_path: Path, where: str) -> None:
    parts = ShardsFolder(tmp_path / "s.db")
    with parts.opened(2, where):
        pass
    with (
        parts.opened(3, "local:3"),
        pytest.raises(FolderUnusable, match=f"continue it with the same number: --cluster {where}$"),
    ):
        parts.go_on(3, "local:3")
