"""The document store of an index: digests, inbound anchor texts, and the texts that are shown for hits.

It is one SQLite file in the folder of the index. To gather anchor texts, the link store is attached read-only, so that
a crawl can still write to it. A search needs this file, but not the link store.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.crawled_pages import CrawledPages
from hinterland.search.store.signature_file import SignatureFile
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.store.values.documents import AnchorCounts, Digest, IndexedDocument
from hinterland.storage.read_only import opened_to_read
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked

_TABLES = """
CREATE TABLE IF NOT EXISTS digest (              -- what was extracted from the content of a page
    page       INTEGER PRIMARY KEY,
    content    INTEGER NOT NULL,                 -- hash of what it was made from, as a signed number
    language   TEXT    NOT NULL,
    signature  BLOB    NOT NULL,
    text       BLOB    NOT NULL,                 -- main content, one zstd frame
    extraction TEXT    NOT NULL,
    names      TEXT    NOT NULL DEFAULT '',     -- identifiers it defines, separated by spaces
    dated      REAL,                             -- the date that the page itself states, epoch seconds
    sections   TEXT    NOT NULL DEFAULT ''       -- JSON, a list of [offset, level, heading, anchor] in the text
) STRICT;

CREATE TABLE IF NOT EXISTS document (            -- what is shown of each document
    page        INTEGER PRIMARY KEY,
    url         TEXT    NOT NULL,
    host        TEXT    NOT NULL,
    title       TEXT    NOT NULL,
    description TEXT    NOT NULL,
    fetched_at  REAL    NOT NULL,
    copies      TEXT    NOT NULL,                -- JSON list of URLs
    dated       REAL                             -- epoch seconds
) STRICT;
"""

_LATER_COLUMNS = (
    ("digest", "names", "TEXT NOT NULL DEFAULT ''"),
    ("digest", "dated", "REAL"),
    ("digest", "sections", "TEXT NOT NULL DEFAULT ''"),
    ("document", "dated", "REAL"),
)

_ANCHORS = """
CREATE TABLE anchor (                            -- anchor texts of inbound links
    target    INTEGER NOT NULL,
    is_inside INTEGER NOT NULL,                  -- from the same host
    words     TEXT    NOT NULL,
    pages     INTEGER NOT NULL,                  -- number of pages that link with it
    PRIMARY KEY (target, is_inside, words)
) STRICT, WITHOUT ROWID;
"""

_LEFT_OUT = "CREATE TEMP TABLE left_out (source INTEGER, target INTEGER, PRIMARY KEY (source, target))"
"""Without the types, SQLite would not use the key and would scan the table for each link."""

_GATHER = """
INSERT INTO anchor (target, is_inside, words, pages)
SELECT link.target, source.host = target.host, trim(link.anchor), count(DISTINCT link.source)
FROM store.link AS link
JOIN store.page AS source ON source.id = link.source
JOIN store.page AS target ON target.id = link.target
WHERE link.kind IN (0, 1) AND NOT link.nofollow AND trim(link.anchor) <> '' AND link.source <> link.target
  AND target.state IN ('fetched', 'redirected')
  AND NOT EXISTS (SELECT 1 FROM left_out WHERE left_out.source = link.source AND left_out.target = link.target)
GROUP BY 1, 2, 3
"""

_BATCH: Final = 10_000

_FAILED_WRITES = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_SHMSIZE)


class DocumentsUnreadable(Exception):
    """The document file is missing or damaged; the message says which file and why."""


class DocumentStore:
    """The documents of an index; open it with `document_store`."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, crawled: CrawledPages | None = None) -> None:
        """Wrap an open connection; `crawled` is needed only to build an index."""
        self._connection = connection
        self._folder = folder
        self._crawled = crawled

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return self._folder

    @property
    def crawled(self) -> CrawledPages:
        """The pages of the link store; available only while an index is built."""
        assert self._crawled is not None, "opened to search"
        return self._crawled

    # ---------------------------------------------------------------- anchor texts

    def gather_anchors(self, left_out: Iterable[tuple[int, int]] = (), most_targets: int = 20) -> AnchorCounts:
        """Count the anchor texts of all links that are neither nofollow nor from a page to itself.

        `left_out` holds links (source, target) to be ignored. Texts that lead to more than `most_targets` pages
        describe none of these pages and are dropped.
        """
        with self._transaction() as connection:
            connection.execute("DROP TABLE IF EXISTS anchor")
            connection.execute(_ANCHORS)
            connection.execute(_LEFT_OUT)
            connection.executemany("INSERT OR IGNORE INTO left_out (source, target) VALUES (?, ?)", left_out)
            connection.execute(_GATHER)
            empty = connection.execute(
                "DELETE FROM anchor WHERE lower(words) IN"
                " (SELECT lower(words) FROM anchor GROUP BY 1 HAVING count(DISTINCT target) > ?)",
                (most_targets,),
            ).rowcount
            connection.execute("DROP TABLE temp.left_out")
            kept = connection.execute("SELECT count(*) FROM anchor").fetchone()[0]
        return AnchorCounts(kept=kept, of_many_targets=empty)

    def anchors(self, pages: Sequence[int]) -> Iterator[tuple[int, bool, str, int]]:
        """Yield (target, whether from the same host, text, number of linking pages), ordered by target and text."""
        for start in range(0, len(pages), _BATCH):
            marks = ",".join(map(str, map(int, pages[start : start + _BATCH])))
            for target, is_inside, words, count in self._connection.execute(
                f"SELECT target, is_inside, words, pages FROM anchor WHERE target IN ({marks}) ORDER BY 1, 2, 3"
            ):
                yield target, bool(is_inside), words, count

    def all_anchors(self) -> Iterator[tuple[int, bool, str, int]]:
        """Yield the same as `anchors` for all pages."""
        yield from self._connection.execute("SELECT target, is_inside, words, pages FROM anchor ORDER BY 1, 2, 3")

    # ---------------------------------------------------------------- digests

    def digest_keys(self, pages: LongArray) -> NDArray[np.uint64]:
        """Return the keys of the digests of some pages, which are ascending; 0 for pages without a digest."""
        keys = np.zeros(len(pages), np.uint64)
        for start in range(0, len(pages), _BATCH):
            part = pages[start : start + _BATCH]
            rows = self._connection.execute(
                "SELECT page, content FROM digest WHERE page BETWEEN ? AND ?", (int(part[0]), int(part[-1]))
            )
            known = np.array(rows.fetchall(), np.int64).reshape(-1, 2)
            is_wanted = np.isin(known[:, 0], part)
            keys[start + np.searchsorted(part, known[is_wanted, 0])] = known[is_wanted, 1].view(np.uint64)
        return keys

    def write_digests(self, digests: Iterable[Digest]) -> None:
        """Write digests; they replace older digests of the same pages."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO digest"
                " (page, content, language, signature, text, extraction, names, dated, sections)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        each.page,
                        _signed(each.key),
                        each.language,
                        each.signature,
                        each.text,
                        each.extraction,
                        " ".join(each.definitions),
                        each.dated,
                        each.sections,
                    )
                    for each in digests
                ),
            )

    def forget_other_digests(self, pages: LongArray) -> None:
        """Delete the digests of all pages except `pages`, which are ascending and still indexable."""
        self._forget_others("digest", pages)

    def forget_failed_digests(self) -> None:
        """Delete the digests of failed extractions, which are then tried again: the machine may have been at fault."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM digest WHERE extraction = 'failed'")

    @contextmanager
    def signatures(self, pages: LongArray, width: int, depth: int, empty: int) -> Iterator[SignatureFile]:
        """Provide the signatures of these pages, which are ascending, inside the with block.

        `SignatureFile` explains the other parameters.
        """
        with SignatureFile.opened(self._folder, len(pages), width, depth, empty) as signatures:
            for start in range(0, len(pages), _BATCH):
                batch = pages[start : start + _BATCH]
                rows = self._connection.execute(
                    "SELECT page, signature FROM digest WHERE page BETWEEN ? AND ?", (int(batch[0]), int(batch[-1]))
                ).fetchall()
                found = np.array([page for page, _ in rows], np.int64)
                is_wanted = np.isin(found, batch)
                signatures.write(
                    start,
                    len(batch),
                    np.searchsorted(batch, found[is_wanted]).tolist(),
                    (signature for (_, signature), wanted in zip(rows, is_wanted.tolist(), strict=True) if wanted),
                )
            yield signatures

    def extractions(self) -> dict[str, int]:
        """Return the number of digests for each way in which a main content was found, see `Digest.extraction`."""
        return dict(self._connection.execute("SELECT extraction, count(*) FROM digest GROUP BY 1 ORDER BY 2 DESC"))

    def languages_of(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the language of each page that has a digest."""
        return dict(self._by_page("SELECT page, language FROM digest WHERE page IN", pages).values())

    def page_languages(self) -> Iterator[tuple[int, str]]:
        """Yield (page, language) of all digests, in ascending order."""
        yield from self._connection.execute("SELECT page, language FROM digest ORDER BY page")

    def languages(self) -> dict[str, int]:
        """Return the number of digests by language."""
        return dict(self._connection.execute("SELECT language, count(*) FROM digest GROUP BY 1"))

    def digests(self, pages: Sequence[int]) -> dict[int, tuple[str, str, tuple[str, ...], float | None]]:
        """Return (language, main content, identifiers defined, date in epoch seconds) for each page with a digest."""
        found = self._by_page("SELECT page, language, text, names, dated FROM digest WHERE page IN", pages)
        return {
            page: (language, unpacked(text), tuple(names.split()), dated)
            for page, language, text, names, dated in found.values()
        }

    # ---------------------------------------------------------------- documents

    def write_documents(self, documents: Iterable[IndexedDocument]) -> None:
        """Write documents; they replace older documents of the same pages."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO document (page, url, host, title, description, fetched_at, copies, dated)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        each.page,
                        each.url,
                        each.host,
                        each.title,
                        each.description,
                        each.fetched_at,
                        json.dumps(list(each.copies), ensure_ascii=False),
                        each.dated,
                    )
                    for each in documents
                ),
            )

    def forget_other_documents(self, pages: LongArray) -> None:
        """Delete the documents of all pages except `pages`, which are ascending.

        A build that was killed may have left such documents behind.
        """
        self._forget_others("document", pages)

    def titles(self) -> Iterator[tuple[int, str, str]]:
        """Yield (page, host, title) of all documents with a title."""
        yield from self._connection.execute("SELECT page, host, title FROM document WHERE title <> '' ORDER BY page")

    def folded(self) -> Iterator[tuple[str, str]]:
        """Yield (URL of a page that was folded into a document, URL of the document)."""
        for url, copies in self._connection.execute("SELECT url, copies FROM document WHERE copies <> '[]'"):
            yield from ((copy, url) for copy in json.loads(copies))

    def names(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (page, names) of all documents that define identifiers."""
        for page, names in self._connection.execute(
            "SELECT page, names FROM digest JOIN document USING (page) WHERE names <> '' ORDER BY page"
        ):
            yield page, names.split()

    def documents(self, pages: Sequence[int]) -> dict[int, IndexedDocument]:
        """Return the documents that exist, with their main content.

        In a file of an earlier version they have no dates and no sections.
        """
        dated = "document.dated" if "dated" in _columns(self._connection, "document") else "NULL"
        sections = "coalesce(sections, '')" if "sections" in _columns(self._connection, "digest") else "''"
        found = self._by_page(
            "SELECT document.page, url, host, title, description, coalesce(language, ''), fetched_at, copies, text,"
            f" {dated}, {sections} FROM document LEFT JOIN digest ON digest.page = document.page"
            " WHERE document.page IN",
            pages,
        )
        documents = {}
        for page, url, host, title, description, language, fetched_at, copies, text, date, parts in found.values():
            copied = tuple(json.loads(copies))
            documents[page] = IndexedDocument(
                page=page,
                url=url,
                host=host,
                title=title,
                description=description,
                language=language,
                fetched_at=fetched_at,
                dated=date,
                copies=copied,
                text=unpacked(text),
                sections=parts,
            )
        return documents

    def hosts(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the host (scheme and authority) of each document that exists."""
        return dict(self._by_page("SELECT page, host FROM document WHERE page IN", pages).values())

    def dates(self, pages: Sequence[int]) -> dict[int, float]:
        """Return the date, in epoch seconds, of each document that has one."""
        rows = self._by_page("SELECT page, dated FROM document WHERE dated NOTNULL AND page IN", pages)
        return dict(rows.values())

    # ---------------------------------------------------------------- the file

    def _by_page(self, select: str, pages: Sequence[int]) -> dict[int, Any]:
        marks = ",".join(map(str, map(int, pages)))
        return {row[0]: row for row in self._connection.execute(f"{select} ({marks})")}

    def _forget_others(self, table: str, pages: LongArray) -> None:
        """Delete all rows except the rows of `pages`, which are ascending."""
        last = -1
        while rows := self._connection.execute(
            f"SELECT page FROM {table} WHERE page > ? ORDER BY page LIMIT {_BATCH}", (last,)
        ).fetchall():
            known = np.array(rows, np.int64)[:, 0]
            begin, end = np.searchsorted(pages, [known[0], known[-1] + 1])
            gone = np.setdiff1d(known, pages[begin:end], assume_unique=True)
            if len(gone):
                with self._transaction() as connection:
                    connection.executemany(f"DELETE FROM {table} WHERE page = ?", ((page,) for page in gone.tolist()))
            last = int(known[-1])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


@contextmanager
def document_store(path: Path, store: Path | None = None) -> Iterator[DocumentStore]:
    """Open the document file of an index: for a search or, if `store` is given, for a build.

    `store` is the link store from which the index is built. Raises DocumentsUnreadable if the file cannot be read,
    OSError if it cannot be written, NoStore if the link store cannot be read.
    """
    if store is None:
        try:
            _, opened = opened_to_read(path.resolve(), _connected)
            with closing(opened) as connection:
                yield DocumentStore(connection, path.parent)
        except sqlite3.Error as error:
            raise DocumentsUnreadable(f"{path} cannot be read: {error}") from error
        return
    with _no_room_as_os_error(), closing(_connected(path.resolve().as_uri())) as connection:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_TABLES)
            _add_columns(connection)
        except sqlite3.DatabaseError as error:
            if _is_write_failure(error):
                raise
            raise DocumentsUnreadable(f"{path} cannot be read: {error}") from error
        with reading(store) as reader, _no_room_as_os_error():  # the store is only read, so it cannot be the cause
            connection.execute("ATTACH ? AS store", (reader.uri,))
            yield DocumentStore(connection, path.parent, CrawledPages(reader))


def _add_columns(connection: sqlite3.Connection) -> None:
    """Add new columns to tables of earlier versions.

    All rows of such an index are rewritten anyway.
    """
    for table, column, kind in _LATER_COLUMNS:
        if column not in _columns(connection, table):
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def is_sound(path: Path) -> bool:
    """Return whether SQLite finds no damage in the file."""
    try:
        with closing(_connected(f"{path.resolve().as_uri()}?mode=ro")) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError:
        return False


@contextmanager
def _no_room_as_os_error() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _is_write_failure(error):
            raise OSError(str(error)) from error
        raise


def _is_write_failure(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY) or code in _FAILED_WRITES


def _connected(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0, check_same_thread=False)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number
