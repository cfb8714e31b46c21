"""SQLite FTS5 with the fields, texts and weights of our index: the engine that everybody who has Python has."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from hinterland.search.store.indexed_text import IndexedText, repeats
from hinterland.search.store.values.term_query import SPELT_FIELDS, Boosts

_SNIPPET_TOKENS: Final = 32
_CACHE_KIB: Final = 256 << 10
"""As much memory as our writer may use."""


class Fts5:
    """A table of documents; it keeps their texts, from which it makes snippets."""

    def __init__(self, file: Path, boosts: Boosts) -> None:
        """Open or create the index file."""
        self._file = file
        self._connection = sqlite3.connect(file)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS docs USING fts5({', '.join(SPELT_FIELDS)},"
            " tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        self._rank = f"bm25({', '.join(f'{boosts[field]:g}' for field in SPELT_FIELDS)})"
        self._insert = (
            f"INSERT INTO docs (rowid, {', '.join(SPELT_FIELDS)}) VALUES (?, {', '.join('?' for _ in SPELT_FIELDS)})"
        )

    def write(self, documents: Iterable[IndexedText]) -> None:
        """One transaction."""
        with self._connection:
            self._connection.executemany(self._insert, map(_row, documents))

    def close(self) -> None:
        """Merge all segments of the index into one, and empty the log."""
        with self._connection:
            self._connection.execute("INSERT INTO docs (docs) VALUES ('optimize')")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def best(self, match: str, limit: int) -> list[int]:
        """Return the documents with the best bm25(), best first."""
        rows = self._connection.execute(
            "SELECT rowid FROM docs WHERE docs MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?",
            (match, self._rank, limit),
        )
        return [page for (page,) in rows]

    def shown(self, match: str, limit: int) -> list[Any]:
        """Return the best documents with URL, title and a snippet of the body."""
        return self._connection.execute(
            "SELECT rowid, url, highlight(docs, ?, '<', '>'), snippet(docs, ?, '<', '>', '…', ?) FROM docs"
            " WHERE docs MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?",
            (SPELT_FIELDS.index("title"), SPELT_FIELDS.index("body"), _SNIPPET_TOKENS, match, self._rank, limit),
        ).fetchall()

    def count(self, match: str) -> int:
        """How many match."""
        [(count,)] = self._connection.execute("SELECT count(*) FROM docs WHERE docs MATCH ?", (match,))
        return int(count)

    def index_bytes(self) -> int:
        """Return the size of the index alone, without the texts, in bytes."""
        [(size,)] = self._connection.execute("SELECT sum(length(block)) FROM docs_data")
        return int(size)

    def total_bytes(self) -> int:
        """Return the size of the file, in bytes."""
        return self._file.stat().st_size


def match_of(words: Sequence[str], *, is_phrase: bool) -> str:
    """Return a query for FTS5: all words, or a phrase."""
    return f'"{" ".join(words)}"' if is_phrase else " ".join(f'"{word}"' for word in words)


def _row(document: IndexedText) -> tuple[Any, ...]:
    texts: dict[str, list[str]] = defaultdict(list)
    texts["url"] = [document.url.partition("://")[2]]
    for field, text, weight in document.texts:
        texts[field] += [text] * repeats(weight)
    return (document.page, *("\n".join(texts[field]) for field in SPELT_FIELDS))
