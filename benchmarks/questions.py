"""Do questions and queries by content find their page? Ours beside untuned engines over the same titles and texts.

    python -m benchmarks.questions INDEX QUERIES.tsv [--json FILE]

INDEX is the index of a crawl. QUERIES.tsv has one query a line: its kind, the query, and one or more parts of URLs,
with tabs between them; a page is right if its URL contains one of these. The rivals are tantivy with its defaults
(English stems, any word, BM25 summed over title and text) and SQLite FTS5 (Porter's stems, any word). Each engine gives
20 hits.

The question sets that docs/search.md reports on are those of llm-crawler-benchmarks (AIMLPM) and docs-mcp-server
(arabold); their files name the URLs. `question_sets/twenty_manuals.tsv` has 36 queries by content and 36 questions.
They were written from pages drawn at random on 20 hosts of the farm's full set, before any answer to them was seen.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import tantivy

from benchmarks.retrieval_measures import IntArray, mean_interval, reciprocal_rank, success
from hinterland.search.answers import QueryError
from hinterland.search.index.searcher import SearchIndex

DEPTH: Final = 20
_AT_ONCE: Final = 500
_WORDS: Final = re.compile(r"\w+")
_WRITER_BYTES: Final = 64 << 20
Engine = Callable[[str], list[str]]
"""Returns the URLs of the best pages for a query."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, and parts of the URLs of its right answers."""

    kind: str
    query: str
    right: tuple[str, ...]


def questions_in(lines: Sequence[str]) -> list[Question]:
    """Parse lines of kind, query and parts of URLs, with tabs between them; empty lines are skipped."""
    rows = [line.split("\t") for line in lines if line.strip()]
    return [Question(kind, query, tuple(right)) for kind, query, *right in rows]


def place_of(question: Question, urls: Sequence[str]) -> int:
    """Return the place of the first right page, from 1; 0 if there is none."""
    places = (place for place, url in enumerate(urls, 1) if any(part in url for part in question.right))
    return next(places, 0)


def texts(index: SearchIndex) -> Iterator[tuple[str, str, str]]:
    """Yield (URL, title, main content) of all documents."""
    pages = index.state.terms.known()[0].tolist()
    with index.documents() as documents:
        for start in range(0, len(pages), _AT_ONCE):
            for known in documents.documents(pages[start : start + _AT_ONCE]).values():
                yield known.url, known.title, known.text


def ours(index: SearchIndex) -> Engine:
    """Return our search."""

    def best(query: str) -> list[str]:
        try:
            return [hit.url for hit in index.search(query, limit=DEPTH).hits]
        except QueryError:
            return []

    return best


def untuned_tantivy(documents: Sequence[tuple[str, str, str]]) -> Engine:
    """Return tantivy with its defaults over title and text."""
    builder = tantivy.SchemaBuilder()
    for field in ("title", "text"):
        builder.add_text_field(field, tokenizer_name="en_stem")
    builder.add_text_field("url", stored=True, tokenizer_name="raw")
    index = tantivy.Index(builder.build())
    writer = index.writer(_WRITER_BYTES, 1)
    for url, title, text in documents:
        writer.add_document(tantivy.Document(url=url, title=title, text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def best(query: str) -> list[str]:
        wanted = index.parse_query(" ".join(_WORDS.findall(query)), ["title", "text"])
        return [str(searcher.doc(address)["url"][0]) for _, address in searcher.search(wanted, DEPTH).hits]

    return best


def fts5(documents: Sequence[tuple[str, str, str]]) -> Engine:
    """Return SQLite FTS5 over title and text."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE docs USING fts5(url UNINDEXED, title, text, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO docs VALUES (?, ?, ?)", documents)

    def best(query: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in _WORDS.findall(query))
        rows = connection.execute("SELECT url FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH))
        return [str(url) for (url,) in rows]

    return best


def measured(engines: dict[str, Engine], questions: Sequence[Question]) -> dict[str, dict[str, IntArray]]:
    """Return kind -> engine -> the places of the right pages."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        for name, best in engines.items():
            found[question.kind][name].append(place_of(question, best(question.query)))
    return {kind: {name: np.array(places) for name, places in each.items()} for kind, each in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask all engines, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    index = SearchIndex.open(given.index)
    documents = list(texts(index))
    engines = {"hinterland": ours(index), "tantivy": untuned_tantivy(documents), "fts5": fts5(documents)}
    found = measured(engines, questions_in(given.queries.read_text("utf-8").splitlines()))
    print(f"{len(documents):,} documents\n\n| queries | engine | MRR | first ten |\n|---|---|--:|--:|")
    results = {}
    for kind, places_of in found.items():
        for name, places in places_of.items():
            mrr = mean_interval(reciprocal_rank(places), np.arange(len(places)))
            ten = float(success(places, 10).mean())
            print(f"| {len(places)} {kind} | {name} | {mrr.mean:.3f} [{mrr.low:.3f}, {mrr.high:.3f}] | {ten:.0%} |")
            results[f"{kind}, {name}"] = {**asdict(mrr), "first ten": ten, "queries": len(places)}
    if given.json:
        given.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
