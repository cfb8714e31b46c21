"""`import` from the command line; tests/crawler/apps/importing/test_importing.py has what it takes in."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.apps.cli.import_ import command
from storage.link_store import LinkStore
from storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from tests.support.in_process import complaint


def test_a_store_that_is_deleted_under_an_import_is_kept_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, archive = tmp_path / "s.db", tmp_path / "a.warc"
    archive.touch()

    async def delete_and_write(_request: object, opened: LinkStore, *_: object) -> None:
        store.unlink()
        page = PageRecord(0, "http://a.test/", 0, "known", 1, 0, None, 0)
        await opened.write([DiscoveriesRecord([HostRecord(0, "http://a.test", "a.test")], [page])])

    monkeypatch.setattr(command, "import_archives", delete_and_write)
    said = complaint(capsys, "import", archive, "--store", store, exit_code=3)
    kept = f"all that was fetched is saved in {tmp_path / 's.rescued.db'}"
    assert f"{store} was deleted while it was being written; {kept}" in said
    assert said.endswith("; import the same into it again, and what it lacks is added\n")
    assert (tmp_path / "s.rescued.db").exists()
