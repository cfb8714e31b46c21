"""Does a version of the search find what an earlier one found, as fast? Both answer the same queries over one crawl.

    python -m benchmarks.search_versions draw STORE INDEX QUERIES.json
    python -m benchmarks.search_versions ask TREE STORE INDEX QUERIES.json ANSWERS.json
    python -m benchmarks.search_versions time TREE INDEX QUERIES.json ANSWERS.json
    python -m benchmarks.search_versions compare BEFORE.json AFTER.json

`draw` draws titles that one document has, the same with a typing error, names that one page defines, and known items
(`known_items.py`), from an index of this version. `ask` runs the version in the folder TREE: it builds the index (INDEX
may be one that this version built before), without the links that the known items hold out, and asks all queries. The
first 200 of each kind are asked once more and timed: CPU of all threads, for ten hits with snippets. `time` does only
this, with the index as it is, and keeps the lesser time of each query: run it for both versions in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, Final

_OF_EACH: Final = 200
_KNOWN_ITEMS: Final = 1_500
_DEPTH: Final = 20
_SHOWN: Final = 10
_MOST_NAMES: Final = 1_000_000
_LEAST_LETTERS: Final = 5
Asked = tuple[str, str, list[str]]
"""The kind of a query, the query, and the URLs of its right answer."""


# --- queries ------------------------------------------------------------------------------------


def drawn(store: Path, folder: Path, dice: random.Random) -> dict[str, Any]:
    """Return the queries, and the links (source, target) to hold out."""
    with closing(sqlite3.connect(f"file:{folder / 'documents.db'}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT page, url, title, copies FROM document ORDER BY page").fetchall()
    urls = {page: [url, *json.loads(copies)] for page, url, _, copies in rows}
    often = Counter(title for _, _, title, _ in rows)
    titled = [(page, words) for page, _, title, _ in rows if often[title] == 1 and (words := _words(title))]
    queries: list[Asked] = [("titles", words, urls[page]) for page, words in _some(titled, dice)]
    queries += [
        ("misspelt titles", wrong, urls[page])
        for page, words in _some(titled, dice)
        if (wrong := misspelt(words, dice)) != words
    ]
    queries += [("identifiers", name, urls[page]) for name, page in _some(list(_defined_once(folder)), dice)]
    items, held_out = _known_items(store, folder)
    queries += [("known items", query, urls[page]) for query, page in items if page in urls]
    return {"queries": queries, "held_out": held_out}


def _some(values: Sequence[tuple[Any, Any]], dice: random.Random) -> list[tuple[Any, Any]]:
    return dice.sample(values, min(_OF_EACH, len(values)))


def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title))[:150]


def misspelt(words: str, dice: random.Random) -> str:
    """Return the words with one typing error in one of at least five letters; the same words if there is none."""
    long = [match for match in re.finditer(r"[^\W\d_]+", words) if len(match[0]) >= _LEAST_LETTERS]
    if not long:
        return words
    match = dice.choice(long)
    at = dice.randrange(match.start() + 1, match.end() - 1)
    wrong = (words[at + 1] + words[at], words[at] * 2 + words[at + 1], words[at + 1], words[at])
    return words[:at] + dice.choice(wrong) + words[at + 2 :]


def _defined_once(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield (name, page) of the names with joints that exactly one page defines."""
    import tantivy

    from hinterland.search.index.searcher import SearchIndex
    from hinterland.search.store.fields import SPELLINGS, spelt_in
    from hinterland.search.store.values.term_query import DEFINITIONS

    terms = SearchIndex.open(folder).state.terms
    start = spelt_in(DEFINITIONS, "")
    for term, documents in terms._searcher.terms_with_prefix(SPELLINGS, start, limit=_MOST_NAMES):
        if documents == 1 and re.search(r"\w[._]\w", term.removeprefix(start)):
            query = tantivy.Query.term_query(terms._fields.schema, SPELLINGS, term)
            found = terms._hits(terms._searcher.search(query, 2))
            yield from ((term.removeprefix(start), int(page)) for page in found.pages[:1])


def _known_items(store: Path, folder: Path) -> tuple[list[tuple[str, int]], list[tuple[int, int]]]:
    from benchmarks.retrieval import chosen
    from hinterland.search.index.corpus import Corpus
    from hinterland.search.store.document_store import document_store

    with document_store(folder / "documents.db", store) as documents:
        plan = Corpus(documents).plan()
    representative = {page: page for page in plan.pages.tolist()}
    representative |= {member: page for page, members in plan.members.items() for member in members}
    items = chosen(store, representative, _KNOWN_ITEMS, seed=1).items
    return [(item.query, item.page) for item in items], [link for item in items for link in item.held_out]


# --- asking -------------------------------------------------------------------------------------


def answered(store: Path, folder: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Build the index, ask all queries, and return the places of the right answers, times and sizes.

    Only modules that every version has are imported here.
    """
    from hinterland.search.answers import QueryError
    from hinterland.search.index.building import build
    from hinterland.search.index.index_folder import IndexFolder
    from hinterland.search.index.searcher import SearchIndex

    build(store, IndexFolder(folder), left_out=[(source, target) for source, target in given["held_out"]])
    index = SearchIndex.open(folder)
    places = []
    for _, query, right in given["queries"]:
        try:
            urls = [hit.url for hit in index.search(query, limit=_DEPTH).hits]
        except QueryError:
            urls = []
        places.append(next((place for place, url in enumerate(urls, 1) if url in right), 0))
    times = timed(folder, given)
    bytes_of = {"terms": _size(folder / "terms"), "index": _size(folder)}
    return {"kinds": [kind for kind, _, _ in given["queries"]], "places": places, "ms": times, "bytes": bytes_of}


def timed(folder: Path, given: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return (kind, milliseconds of CPU) of the first queries of each kind, the lesser of two times of each."""
    from hinterland.search.answers import QueryError
    from hinterland.search.index.searcher import SearchIndex

    index = SearchIndex.open(folder)
    times, asked = list[tuple[str, float]](), Counter[str]()
    for kind, query, _ in given["queries"]:
        asked[kind] += 1
        if asked[kind] <= _OF_EACH:
            with suppress(QueryError):
                again = (_milliseconds(partial(index.search, query, limit=_SHOWN)) for _ in range(2))
                times.append((kind, min(again)))
    return times


def lesser(before: Sequence[Sequence[Any]], again: Sequence[Sequence[Any]]) -> list[tuple[str, float]]:
    """Return the lesser time of each query in two runs."""
    return [(kind, min(ms, other)) for (kind, ms), (_, other) in zip(before, again, strict=True)]


def _milliseconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return (process_time() - began) * 1000


def _size(folder: Path) -> int:
    """Return the size of all files below a folder, in bytes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


# --- comparing ----------------------------------------------------------------------------------


def table(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the lines of Markdown that compare two sets of answers."""
    import numpy as np

    from benchmarks.retrieval_measures import compare, reciprocal_rank

    lines = [
        "| queries | MRR before | now | difference | ms before, p50 / p95 | now |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    kinds = np.array(before["kinds"])
    gains = [reciprocal_rank(np.array(each["places"])) for each in (before, after)]
    for kind in [*dict.fromkeys(before["kinds"]), "all"]:
        of_kind = kinds == kind if kind != "all" else np.ones(len(kinds), np.bool_)
        old, new = (each[of_kind] for each in gains)
        difference = compare(new, old, np.arange(len(new))).difference
        times = [[ms for name, ms in each["ms"] if kind in (name, "all")] for each in (before, after)]
        spent = [" / ".join(f"{value:.1f}" for value in np.percentile(each, (50, 95))) for each in times]
        lines.append(
            f"| {len(new)} {kind} | {old.mean():.3f} | {new.mean():.3f} |"
            f" {difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}] | {spent[0]} | {spent[1]} |"
        )
    lines.append("")
    for name, size in after["bytes"].items():
        lines.append(f"{name}: {before['bytes'][name] / 1e6:.1f} MB before, {size / 1e6:.1f} MB now")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw queries, ask a version, or compare the answers of two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("draw", "ask", "ask-here", "time", "time-here", "compare"))
    parser.add_argument("paths", type=Path, nargs="+")
    given = parser.parse_args(arguments)
    paths = [path.absolute() for path in given.paths]
    if given.step == "draw":
        store, index, queries = paths
        queries.write_text(json.dumps(drawn(store, index, random.Random(1))), encoding="utf-8")
    elif given.step in ("ask", "time"):
        tree, *others = paths
        environment = os.environ | {"PYTHONPATH": str(tree)}
        here = [sys.executable, __file__, f"{given.step}-here", *map(str, others)]
        subprocess.run(here, env=environment, cwd=tree, check=True)
    elif given.step == "ask-here":
        store, index, queries, answers = paths
        found = answered(store, index, json.loads(queries.read_text("utf-8")))
        answers.write_text(json.dumps(found), encoding="utf-8")
    elif given.step == "time-here":
        index, queries, answers = paths
        found = json.loads(answers.read_text("utf-8"))
        again = timed(index, json.loads(queries.read_text("utf-8")))
        answers.write_text(json.dumps(found | {"ms": lesser(found["ms"], again)}), encoding="utf-8")
    else:
        before, after = (json.loads(path.read_text("utf-8")) for path in paths)
        print("\n".join(table(before, after)))


if __name__ == "__main__":
    main()
