"""`import` from the command line; tests/library/importing/test_importing.py has what it takes in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hinterland.cli import import_
from hinterland.library.importing import importing
from hinterland.library.importing.importing import ImportReport
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from tests.storage.test_warc_reading import record
from tests.support.crawling import rows
from tests.support.in_process import complaint, said


def test_the_most_frequent_reasons_to_skip_records_are_listed_and_the_others_counted() -> None:
    report = ImportReport()
    for number in range(32):
        report.skipped["response", f"reason {number}"] = 100 - number
    lines = import_.as_text(report, "s.db").splitlines()
    assert lines[-1] == "  and 2 more reasons; --json lists them all"
    assert lines[-2].split() == ["response", "71", "reason", "29"]
    del report.skipped["response", "reason 31"], report.skipped["response", "reason 30"]
    assert import_.as_text(report, "s.db").splitlines()[-1].endswith("reason 29")


def test_a_store_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "a.warc"
    archive.touch()

    async def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(importing, "import_archives", fail)
    said = complaint(capsys, "import", archive, "--store", tmp_path / "s.db", exit_code=3)
    assert f"{tmp_path / 's.db'} cannot be written: database or disk is full" in said


def test_a_store_that_is_deleted_under_an_import_is_kept_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, archive = tmp_path / "s.db", tmp_path / "a.warc"
    archive.touch()

    async def delete_and_write(_request: object, opened: LinkStore, *_: object) -> None:
        store.unlink()
        page = PageRecord(0, "http://a.test/", 0, "known", 1, 0, None, 0)
        await opened.write([DiscoveriesRecord([HostRecord(0, "http://a.test", "a.test")], [page])])

    monkeypatch.setattr(importing, "import_archives", delete_and_write)
    said = complaint(capsys, "import", archive, "--store", store, exit_code=3)
    kept = f"all that was fetched is saved in {tmp_path / 's.rescued.db'}"
    assert f"{store} was deleted while it was being written; {kept}" in said
    assert said.endswith("; import the same files into it again to add what is missing\n")
    assert (tmp_path / "s.rescued.db").exists()


@pytest.mark.slow
def test_rules_are_applied_as_in_a_crawl_and_stay_in_the_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, store = tmp_path / "items.toml", tmp_path / "s.db"
    rules.write_text('[item]\npages = "http://a.test/item/*"\n[item.fields]\nname = "title"\n')
    first, second = tmp_path / "1.warc", tmp_path / "2.warc"
    first.write_bytes(_page("http://a.test/item/1", "One") + _page("http://a.test/", "Home"))
    second.write_bytes(_page("http://a.test/item/2", "Two"))
    assert "1 record extracted from them" in said(capsys, "import", first, "--store", store, "--extract", rules)
    said(capsys, "import", second, "--store", store)
    assert rows(store, "SELECT url, name FROM x_item ORDER BY url") == [
        ("http://a.test/item/1", "One"),
        ("http://a.test/item/2", "Two"),
    ]


def _page(url: str, title: str) -> bytes:
    body = f"<title>{title}</title>".encode()
    return record(url, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body)
