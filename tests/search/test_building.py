"""An index is what its store says, however often, by whom and after what accidents it was built."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hinterland.search.index import corpus
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import IndexFolder, default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.index_failures import IndexInUse, NoIndex
from hinterland.search.index_report import IndexReport
from hinterland.search.store.document_store import document_store
from hinterland.search.store.fields import FORMAT
from hinterland.search.store.term_index import TermIndex
from hinterland.storage.lock import StoreLock
from hinterland.storage.no_store import NoStore
from tests.support.levels import rounds
from tests.support.stored_pages import Link, Page, essay, visit_again, visit_new, write_store

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def page(number: int, *links: Link, **changes: Any) -> Page:
    return Page(essay(number), f"Title {chr(97 + number % 26)}", links, **changes)


def indexed(store: Path, folder: IndexFolder | None = None, **options: Any) -> IndexReport:
    return build(store, folder or default_folder(store), **options)


def contents(folder: IndexFolder) -> tuple[dict[int, object], dict[int, int]]:
    """What is shown of every document, and all fingerprints."""
    with closing(sqlite3.connect(folder.documents)) as connection:
        pages = [number for (number,) in connection.execute("SELECT page FROM document")]
    with document_store(folder.documents) as documents:
        shown = dict(documents.documents(pages))
    terms, fingerprints = TermIndex.open(folder.terms, folder.read_manifest().languages).known()
    return {**shown}, dict(zip(terms.tolist(), fingerprints.tolist(), strict=True))


def pages_found(store: Path, query: str) -> list[str]:
    index = SearchIndex.open(default_folder(store).path)
    return [hit.url for hit in index.search(query).hits]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    pages = [page(0, Link(1, "ferry"), Link(2, "harbour")), page(1, Link(0, "home")), page(2), page(3, host=1)]
    return write_store(tmp_path / "store.db", pages)


def words_of(store: Path) -> tuple[dict[str, int], int]:
    """The words of the index, and how many documents were counted."""
    known = default_folder(store).read_words()
    assert known is not None
    words, _, counted = known
    return dict(words.counts()), counted


# --- what was written ------------------------------------------------------------------------------


def test_all_documents_are_written_and_found_by_their_words_and_by_those_of_links_to_them(store: Path) -> None:
    report = indexed(store)
    assert (report.documents, report.written, report.unchanged, report.removed) == (4, 4, 0, 0)
    assert report.languages == {"en": 4}
    assert pages_found(store, essay(2).split()[0]) == ["http://a.test/2"]
    assert pages_found(store, "harbour") == ["http://a.test/2"]


def test_what_has_not_changed_is_not_written_again(store: Path) -> None:
    indexed(store)
    report = indexed(store)
    assert (report.documents, report.written, report.unchanged, report.removed) == (4, 0, 4, 0)


def test_a_changed_page_is_written_alone(store: Path) -> None:
    indexed(store)
    visit_again(store, {2: page(9)})
    report = indexed(store)
    assert (report.written, report.unchanged) == (1, 3)
    assert pages_found(store, essay(9).split()[0]) == ["http://a.test/2"]
    assert pages_found(store, essay(2).split()[0]) == []


def test_a_new_page_and_what_it_links_to_are_written(store: Path) -> None:
    indexed(store)
    visit_new(store, {4: page(4, Link(3, "lighthouse"))})
    report = indexed(store)
    assert (report.documents, report.written, report.unchanged) == (5, 2, 3)
    assert pages_found(store, "lighthouse") == ["http://b.test/3"]


def german(number: int, text: str) -> Page:
    return Page(f"Auf der Seite {number} steht, was ein Mensch {text} wissen muss und nicht weiß.", language="de")


def test_pages_with_a_compound_are_found_by_its_parts(tmp_path: Path) -> None:
    known = [german(0, "von der Datenbank"), german(1, "von einer Verbindung")]
    store = write_store(tmp_path / "store.db", [*known, german(2, "über Datenbankverbindungen")])
    assert indexed(store).languages == {"de": 3}
    assert pages_found(store, "Datenbank") == ["http://a.test/0", "http://a.test/2"]
    visit_new(store, {3: german(3, "über Verbindungsdatenbanken")})
    indexed(store)
    assert pages_found(store, "Datenbank") == ["http://a.test/0", "http://a.test/2", "http://a.test/3"]
    assert pages_found(store, '"Datenbank"') == ["http://a.test/0"]


def make_older(file: Path) -> None:
    """As after a build that was killed before it wrote the file, whose earlier content has other compounds."""
    IndexFolder(file.parent).write_compounds({"de": {"datenbank": ["datenbankserv"]}})
    os.utime(file, (0, 0))


@pytest.mark.parametrize(
    "damage",
    [Path.unlink, lambda file: file.write_bytes(b"damaged"), make_older],
    ids=["gone", "damaged", "older"],
)
def test_compounds_that_are_missing_are_found_again(tmp_path: Path, damage: Any) -> None:
    pages = [german(0, "von der Datenbank"), german(1, "von einer Verbindung"), german(2, "über Datenbankverbindungen")]
    store = write_store(tmp_path / "german.db", pages)
    indexed(store)
    damage(default_folder(store).compounds)
    assert indexed(store).written == 0
    assert len(pages_found(store, "Datenbank")) == 2


def test_an_index_without_compounding_languages_has_no_file_of_compounds(store: Path) -> None:
    indexed(store)
    assert not default_folder(store).compounds.exists()


def test_words_of_new_documents_are_added_to_those_known(store: Path) -> None:
    indexed(store)
    before, counted = words_of(store)
    assert (before["harbour"], before["title"], counted) == (1, 4, 4)
    visit_new(store, {4: page(4, Link(3, "lighthouse"))})
    indexed(store)
    after, counted = words_of(store)
    assert (after["lighthouse"], after["harbour"], after["title"], counted) == (1, 1, 6, 6)


def test_words_are_recounted_if_twice_as_many_documents_were_counted_or_a_build_did_not_end(store: Path) -> None:
    indexed(store)
    undisturbed = words_of(store)
    for number in range(10, 15):  # of 4 documents, so the fifth is the ninth that is counted
        visit_again(store, {2: page(number)})
        indexed(store)
    assert words_of(store)[1] == 4
    default_folder(store).words.unlink()  # as of a build that was killed, or by an earlier version
    visit_again(store, {2: page(2)})
    indexed(store)
    assert words_of(store) == undisturbed
    default_folder(store).words.write_bytes(b"damaged")
    indexed(store)
    assert words_of(store) == undisturbed


def test_suggestions_are_of_all_documents_there_are_and_their_links(store: Path) -> None:
    indexed(store)
    visit_new(store, {4: page(4, Link(3, "lighthouse"))})
    visit_again(store, {0: page(0, Link(1, "ferry"), is_noindex=True)})
    default_folder(store).suggestions.write_bytes(b"damaged")
    indexed(store)
    suggest = SearchIndex.open(default_folder(store).path).suggest
    assert (suggest("light"), suggest("title d"), suggest("title e")) == (["lighthouse"], ["Title d"], ["Title e"])
    assert (suggest("title a"), suggest("harb")) == ([], [])
    default_folder(store).suggestions.unlink()  # as in an index of an earlier version
    assert SearchIndex.open(default_folder(store).path).suggest("light") == []


def test_a_page_turned_noindex_is_removed(store: Path) -> None:
    indexed(store)
    visit_again(store, {2: page(2, is_noindex=True)})
    report = indexed(store)
    assert (report.documents, report.removed, report.written) == (3, 1, 0)
    assert sorted(contents(default_folder(store))[0]) == [0, 1, 3]


def test_a_page_that_becomes_a_copy_is_folded_and_shown_with_the_other(store: Path) -> None:
    indexed(store)
    visit_again(store, {2: page(3)})
    report = indexed(store)
    assert (report.documents, report.removed) == (3, 1)
    shown, fingerprints = contents(default_folder(store))
    assert sorted(shown) == sorted(fingerprints) == [0, 1, 2]
    assert shown[2].copies == ("http://b.test/3",)  # type: ignore[attr-defined]  # an IndexedDocument


def test_an_index_brought_up_to_date_is_the_same_as_one_built_at_once(store: Path, tmp_path: Path) -> None:
    indexed(store)
    visit_again(store, {2: page(3), 0: page(0, Link(1, "boat"))})
    visit_new(store, {4: page(4, Link(1, "boat"))})
    indexed(store)
    at_once = IndexFolder(tmp_path / "at-once")
    indexed(store, at_once)
    assert contents(default_folder(store)) == contents(at_once)


def test_copies_that_declare_other_languages_are_found_by_any_of_them(tmp_path: Path) -> None:
    store = write_store(tmp_path / "store.db", [page(0), page(1), page(1)])
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE fetch SET language = 'tr' WHERE page = 2")
    indexed(store)
    assert pages_found(store, "lang:tr") == ["http://a.test/1"]
    assert len(pages_found(store, "lang:en")) == 2
    assert pages_found(store, "lang:de") == []


def test_rebuild_writes_everything_again_and_the_same(store: Path) -> None:
    indexed(store)
    before = contents(default_folder(store))
    report = indexed(store, rebuild=True)
    assert (report.written, report.unchanged) == (4, 0)
    assert contents(default_folder(store)) == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE fetch SET charset = 'utf-8' WHERE page = 0",
        "UPDATE fetch SET language = 'de' WHERE page = 0",
        "UPDATE content SET body = NULL WHERE page = 0",
    ],
)
def test_a_page_is_read_again_if_its_body_is_the_same_but_what_is_known_of_it_is_not(
    change: str, tmp_path: Path
) -> None:
    body = f"<main><p>Fähren kommen. {essay(1)}</p></main>"
    store = write_store(tmp_path / "store.db", [Page("visible", "A", body=body, charset="windows-1252"), page(1)])
    indexed(store)
    before = contents(default_folder(store))[0][0]
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(change)
    report = indexed(store)
    assert (report.written, report.unchanged) == (1, 1)
    assert contents(default_folder(store))[0][0] != before
    at_once = IndexFolder(tmp_path / "at-once")
    indexed(store, at_once)
    assert contents(default_folder(store)) == contents(at_once)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE page SET url = 'http://b.test/x' WHERE id = 1",
        "UPDATE host SET url = 'http://c.test' WHERE id = 1",
        "UPDATE host SET site = 'other.test' WHERE id = 1",
        "UPDATE fetch SET title = 'Another' WHERE page = 1",
        "UPDATE fetch SET description = 'Another' WHERE page = 1",
        "UPDATE fetch SET started_at = started_at + 86400 WHERE page = 1",
        "UPDATE page SET url = 'http://a.test/x' WHERE id = 2",
        "UPDATE page SET url = 'http://a.test/x' WHERE id = 3",
    ],
    ids=["URL", "host", "site", "title", "description", "time", "copy", "redirect"],
)
def test_a_page_of_the_same_content_is_written_again_if_a_hit_would_show_something_else(
    change: str, tmp_path: Path
) -> None:
    pages = [page(0), page(1, host=1), page(1), Page(outcome="redirected", redirect=1)]
    store = write_store(tmp_path / "store.db", pages)
    indexed(store)
    before = contents(default_folder(store))[0][1]
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(change)
    report = indexed(store)
    assert (report.written, report.unchanged) == (1, 1)
    at_once = IndexFolder(tmp_path / "at-once")
    indexed(store, at_once)
    assert contents(default_folder(store)) == contents(at_once)
    assert "site =" in change or contents(default_folder(store))[0][1] != before


def test_of_a_store_that_was_replaced_nothing_is_left_in_the_index(store: Path) -> None:
    indexed(store)
    store.unlink()
    write_store(store, [page(0), page(1, host=1), page(7)])
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE page SET url = replace(url, '/', '/new/') WHERE url NOT LIKE '%//%/%/%'")
    report = indexed(store)
    assert (report.written, report.unchanged) == (3, 0)
    at_once = IndexFolder(store.with_name("at-once"))
    indexed(store, at_once)
    assert contents(default_folder(store)) == contents(at_once)
    assert pages_found(store, essay(2).split()[0]) == []


def test_of_a_title_without_end_the_beginning_is_indexed_and_shown_and_the_report_counts_it(tmp_path: Path) -> None:
    pages = [Page(essay(0), "ferry " * 150 + "boat " * 200_000), Page(essay(1), "x" * 1_000_000), page(2)]
    store = write_store(tmp_path / "store.db", pages)
    report = indexed(store)
    assert (report.documents, report.cut) == (3, 2)
    assert report.size_bytes < 1_000_000
    assert pages_found(store, "title:ferry") == ["http://a.test/0"]
    for hit in SearchIndex.open(default_folder(store).path).search("lang:en", explain=True).hits:
        assert sum(len(fragment.text) for fragment in hit.title) <= 302
    assert indexed(store).cut == 0  # nothing was written


def test_another_extractor_reads_every_page_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed(store)
    monkeypatch.setattr(corpus, "EXTRACTOR", "1, Resiliparse 99")
    report = indexed(store)
    assert (report.written, report.unchanged) == (4, 0)
    assert indexed(store).written == 0


def test_rebuild_tries_again_to_read_what_failed(store: Path) -> None:
    indexed(store)
    with closing(sqlite3.connect(default_folder(store).documents)) as connection, connection:
        connection.execute("UPDATE digest SET extraction = 'failed' WHERE page = 2")
    assert indexed(store).extractions == {"all": 3, "failed": 1}
    assert indexed(store, rebuild=True).extractions == {"all": 4}


# --- accidents -------------------------------------------------------------------------------------


def killed(store: Path, folder: IndexFolder, what: str, times: int) -> None:
    command = [sys.executable, "-m", "tests.support.index_process", str(store), str(folder.path), what, str(times)]
    ended = subprocess.run(command, cwd=ROOT, check=False, timeout=170)
    assert ended.returncode == -signal.SIGKILL, f"{what} was not reached {times} times"


MOMENTS = [("main content", 3), ("documents", 4), ("duplicates", 1), ("documents", 1), ("PageRank", 1)]


def test_after_kill_9_at_any_moment_a_further_build_makes_what_an_undisturbed_one_makes(tmp_path: Path) -> None:
    pages = [page(number, *(Link((number * 7 + step) % 24, f"to {step}") for step in range(3))) for number in range(24)]
    store = write_store(tmp_path / "store.db", [*pages, page(3), page(4, is_noindex=True)])
    undisturbed = IndexFolder(tmp_path / "undisturbed")
    indexed(store, undisturbed)
    folder = default_folder(store)
    for what, times in MOMENTS[: rounds(2, 5)]:
        killed(store, folder, what, times)
    report = indexed(store)
    assert report.documents == 24
    assert contents(folder) == contents(undisturbed)
    assert indexed(store).written == 0


def test_documents_that_a_killed_build_left_behind_go_with_the_next(store: Path) -> None:
    indexed(store)
    folder = default_folder(store)
    with closing(sqlite3.connect(folder.documents)) as connection, connection:
        left = "SELECT 99, url, host, title, description, 0, copies, dated FROM document LIMIT 1"
        connection.execute(f"INSERT INTO document {left}")
    indexed(store)
    assert sorted(contents(folder)[0]) == [0, 1, 2, 3]


def test_a_build_that_was_killed_before_it_had_a_manifest_starts_again(store: Path, tmp_path: Path) -> None:
    indexed(store)
    folder = default_folder(store)
    whole = contents(folder)
    folder.manifest.unlink()
    (folder.terms / "left behind").touch()
    indexed(store)
    assert contents(folder) == whole
    assert not (folder.terms / "left behind").exists()


FOREIGN = {
    "terms and documents of others": {"terms/glossary.txt": b"bow: front", "documents.db": b"SQLite format 3\0"},
    "an index.json of others": {"index.json": b'{"format": 1}', "terms/glossary.txt": b"bow: front"},
    "the lock of another tool": {"build.lock": b"", "terms/glossary.txt": b"bow: front", "setup.py": b""},
}


@pytest.mark.parametrize("files", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("rebuild", [False, True])
def test_a_folder_that_holds_what_is_no_index_is_refused_and_left_as_it_is(
    files: dict[str, bytes], rebuild: bool, store: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    (folder / "terms").mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with pytest.raises(NoIndex, match=r"project is not an index and contains .*; choose another folder"):
        indexed(store, IndexFolder(folder), rebuild=rebuild)
    assert {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*.*")} == files


def test_a_folder_whose_path_is_not_in_utf_8_is_refused(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    with pytest.raises(NoIndex, match=r"needs a path in UTF-8, and '.*caf\\udce9' is not; choose another folder"):
        indexed(store, IndexFolder(folder))


def test_an_index_without_its_lock_and_with_files_of_others_beside_it_is_brought_up_to_date(store: Path) -> None:
    indexed(store)
    folder = default_folder(store).path
    (folder / "build.lock").unlink()
    (folder / "README").touch()
    assert indexed(store).unchanged == 4
    assert indexed(store, rebuild=True).written == 4
    assert (folder / "README").exists()


def test_the_index_of_a_store_of_another_name_is_replaced_only_if_that_is_asked_for(
    store: Path, tmp_path: Path
) -> None:
    folder = IndexFolder(tmp_path / "elsewhere")
    indexed(store, folder)
    before = contents(folder)
    other = write_store(tmp_path / "other.db", [page(7)])
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("UPDATE page SET url = 'http://other.test/'")
    with pytest.raises(NoIndex, match=r"elsewhere is the index of another store, .*store\.db; replace it with"):
        indexed(other, folder)
    assert contents(folder) == before
    assert indexed(other, folder, rebuild=True).documents == 1
    assert indexed(other, folder).unchanged == 1


def test_another_crawl_in_a_store_of_the_same_name_has_its_index_rebuilt(store: Path, tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "elsewhere")
    indexed(store, folder)
    (tmp_path / "later").mkdir()
    again = write_store(tmp_path / "later" / store.name, [page(7)])
    with closing(sqlite3.connect(again)) as connection, connection:
        connection.execute("UPDATE page SET url = 'http://other.test/'")
    assert indexed(again, folder).documents == 1


def test_a_second_builder_is_refused(store: Path) -> None:
    indexed(store)
    lock = StoreLock(default_folder(store).path / "build")
    lock.acquire()
    try:
        with pytest.raises(IndexInUse, match="another `index` is building"):
            indexed(store)
    finally:
        lock.release()
    assert indexed(store).written == 0


@pytest.mark.parametrize("manifest", ["", "{", "[]", f'{{"format": {FORMAT}}}', '{"format": 99}'])
def test_a_damaged_manifest_is_refused_with_the_way_out_and_rebuilding_mends_it(store: Path, manifest: str) -> None:
    indexed(store)
    folder = default_folder(store)
    folder.manifest.write_text(manifest)
    with pytest.raises(NoIndex, match="index --rebuild"):
        indexed(store)
    assert indexed(store, rebuild=True).documents == 4


def test_an_index_of_an_earlier_version_is_rebuilt_by_the_next_build(store: Path) -> None:
    indexed(store)
    folder = default_folder(store)
    before = contents(folder)
    folder.manifest.write_text(folder.manifest.read_text().replace(f'"format": {FORMAT}', '"format": 1'))
    with closing(sqlite3.connect(folder.documents)) as connection, connection:
        connection.execute("ALTER TABLE digest DROP COLUMN names")  # which that version did not have
        connection.execute("UPDATE digest SET content = content + 1")
    with pytest.raises(NoIndex, match="built by an earlier version; run `index` to rebuild it"):
        SearchIndex.open(folder.path)
    report = indexed(store)
    assert report.written == report.documents
    assert contents(folder) == before
    assert indexed(store).written == 0


def test_an_index_of_another_format_is_refused(store: Path) -> None:
    indexed(store)
    folder = default_folder(store)
    folder.manifest.write_text(folder.manifest.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    with pytest.raises(NoIndex, match="has format 99"):
        indexed(store)


def test_missing_terms_are_refused_with_the_way_out(store: Path) -> None:
    indexed(store)
    shutil.rmtree(default_folder(store).terms)
    with pytest.raises(NoIndex, match="index --rebuild"):
        indexed(store)
    assert indexed(store, rebuild=True).documents == 4


def test_a_damaged_file_of_documents_is_refused_with_the_way_out(store: Path) -> None:
    indexed(store)
    default_folder(store).documents.write_bytes(b"no database" * 1000)
    with pytest.raises(NoIndex, match="index --rebuild"):
        indexed(store)
    assert indexed(store, rebuild=True).documents == 4


# --- stores ----------------------------------------------------------------------------------------


def test_an_empty_store_gives_an_empty_index_and_none_is_an_error(tmp_path: Path) -> None:
    store = write_store(tmp_path / "empty.db", [])
    report = indexed(store)
    assert (report.documents, report.estimator) == (0, "")
    assert pages_found(store, "anything") == []
    with pytest.raises(NoStore):
        indexed(tmp_path / "missing.db")
    assert not (tmp_path / "missing.index").exists()


def test_a_store_whose_texts_are_all_short_is_indexed(tmp_path: Path) -> None:
    store = write_store(tmp_path / "short.db", [Page("Ferry", "A"), Page("Harbour", "B"), Page("", "")])
    assert indexed(store).documents == 3


def test_a_crawl_may_write_the_store_meanwhile_and_the_next_build_catches_up(store: Path, tmp_path: Path) -> None:
    written = 0

    def progress(what: str, done: int, _of: int) -> None:
        nonlocal written
        if what in ("anchor texts", "duplicates") or (what == "documents" and not done):
            written += 1
            _elsewhere(store, {2: page(20 + written), 3: page(3, Link(0, f"new {written}"), host=1)})

    indexed(store, progress=progress)
    assert written == 3
    indexed(store)
    at_once = IndexFolder(tmp_path / "at-once")
    indexed(store, at_once)
    assert contents(default_folder(store)) == contents(at_once)


def _elsewhere(store: Path, pages: dict[int, Page]) -> None:
    """Write as another program would: while the builder holds its connection."""
    thread = threading.Thread(target=visit_again, args=(store, pages))
    thread.start()
    thread.join()
