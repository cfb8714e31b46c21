"""Stands in for a search index: it finds the pages whose titles hold the first word of the query."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from hinterland.search.answers import Fragment, Hit, IndexedRank, QueryError, ScorePart, SearchAnswer


class FakeIndex:
    """held: while it is not set, searches wait."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self.queries: list[str] = []
        self.held = threading.Event()
        self.held.set()
        self.ranks: dict[int, IndexedRank] = {}

    def rank_of(self, page: int) -> IndexedRank | None:
        return self.ranks.get(page)

    def matched_words(self, query: str, page: int, text: str) -> set[str]:
        return {word for word in query.lower().split() if word in text.lower()}

    def main_content(self, page: int) -> str | None:
        return None

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        return [f"{typed} {number}" for number in range(3)][:limit]

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        explain: bool = False,
        grouped: bool = False,
        order: str = "",
        with_facets: bool = False,
        verbatim: bool = False,
    ) -> SearchAnswer:
        self.queries.append(query)
        assert self.held.wait(60)
        if query.endswith(":"):
            raise QueryError(f"{query} names nothing; write site:example.org")
        word = query.split(maxsplit=1)[0]
        with closing(sqlite3.connect(f"file:{self._store}?mode=ro", uri=True)) as store:
            rows = store.execute(
                "SELECT page.id, page.url, title, host.url, language, started_at FROM fetch"
                " JOIN page ON page.id = fetch.page JOIN host ON host.id = page.host"
                " WHERE instr(title, ?) ORDER BY page.id",
                (word,),
            ).fetchall()
        hits = [
            Hit(page, url, _marked(title, word), _marked(f"… {title} sails …", word), host, language or "", at, 2.5,
                (ScorePart("title", 2.0, f"BM25 of {title}"), ScorePart("rank", 0.5, "")), page % 2, ())
            for page, url, title, host, language, at in rows[offset : offset + limit]
        ]  # fmt: skip
        notes = ("lang: has no value, so it was left out",) if " lang:" in query else ()
        return SearchAnswer(query, tuple(hits), offset, len(rows), len(rows) < 1000, notes, 0.001)


def _marked(text: str, word: str) -> tuple[Fragment, ...]:
    before, found, after = text.partition(word)
    parts = (Fragment(before, False), Fragment(found, True), Fragment(after, False))
    return tuple(part for part in parts if part.text)
