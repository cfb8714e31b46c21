"""What a page of results is worth and what it costs: sites on it, known items found, counts held against SQL, latency.

    python -m benchmarks.search_page STORE [--queries 500] [--seed 1]

STORE has an index beside it. Known items are pages whose title no other page of the index has, asked for by its
words; broad queries are the words that most titles have. Each query is asked plain, grouped, with counts and with
both, in turns, so that all are measured on the same machine at the same time. Times are of CPU, of all threads. Counts
are compared with what SQL counts over the store among all pages that match (`facet_counts.py`), for queries of both
sorts, and for words on a site. How many sites a page could show at most is counted among all pages that match: a page
has ten hits, and no order can show more sites than there are.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any, Final

from benchmarks.facet_counts import compared, counting
from hinterland.crawler.settings import SearchSettings
from hinterland.search.answers import SearchAnswer
from hinterland.search.grouping import PAGE
from hinterland.search.index.index_folder import default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.store.fields import DOMAIN

WAYS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "grouped": {"grouped": True},
    "counted": {"with_facets": True},
    "both": {"grouped": True, "with_facets": True},
}
_BROAD: Final = 200
_LETTERS: Final = 4


def known_items(folder: Path, count: int, dice: random.Random) -> tuple[list[tuple[int, str]], list[str]]:
    """(page, query) of pages with a title of their own; and the words that most titles have."""
    with closing(sqlite3.connect(f"file:{folder / 'documents.db'}?mode=ro", uri=True)) as connection:
        titles = connection.execute("SELECT page, title FROM document WHERE title <> '' ORDER BY page").fetchall()
    often = Counter(title for _, title in titles)
    words = Counter(word for _, title in titles for word in set(_words(title).lower().split()) if len(word) >= _LETTERS)
    alone = [(page, _words(title)) for page, title in titles if often[title] == 1 and _words(title)]
    return dice.sample(alone, min(count, len(alone))), [word for word, _ in words.most_common(_BROAD)]


def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title))[:150]


def within_sites(connection: sqlite3.Connection, words: list[str], dice: random.Random) -> list[str]:
    """Return each word with a randomly drawn site, for which hosts and folders are counted."""
    sites = [site for (site,) in connection.execute("SELECT DISTINCT site FROM store.host WHERE site <> ''")]
    return [f"{word} site:{dice.choice(sites)}" for word in words]


def reciprocal_rank(answer: SearchAnswer, page: int) -> float:
    """Return 1 over the place of the page among the hits, 0 if it is not there."""
    return next((1 / place for place, hit in enumerate(answer.hits, 1) if hit.page == page), 0.0)


def sites_at_most(index: SearchIndex, query: str) -> int:
    """Return the most sites that ten hits can have: those of all matching pages, at most ten."""
    retrieval = index.retrieval(index.state)
    found, _, _ = retrieval.answered(query, retrieval.understood(query).terms, PAGE)
    counted = index.state.terms.counts(found.counted, index.scoring.boosts, [DOMAIN], PAGE)
    return min(len(counted[DOMAIN].values), PAGE)


def measure(index: SearchIndex, queries: list[tuple[int, str]], title: str) -> None:
    """Time the queries in all ways, and print the figures."""
    times, shown = defaultdict[str, list[float]](list), defaultdict[str, list[int]](list)
    ranks = dict.fromkeys(WAYS, 0.0)
    for page, query in queries:
        for name, how in WAYS.items():
            began = process_time()
            answer = index.search(query, **how)
            times[name].append(1_000 * (process_time() - began))
            ranks[name] += reciprocal_rank(answer, page)
            shown[name].append(len({hit.site for hit in answer.hits}))
    print(f"{title}: {len(queries)} queries")
    for name, spent in times.items():
        spent.sort()
        sites = sum(shown[name]) / len(queries)
        found = f"MRR {ranks[name] / len(queries):.4f}, " if title == "known items" else ""
        print(
            f"  {name:8} {found}{sites:.2f} sites of ten hits, CPU ms p50"
            f" {spent[len(spent) // 2]:.2f}, p95 {spent[int(0.95 * len(spent))]:.2f}"
        )
    most = [sites_at_most(index, query) for _, query in queries]
    print(f"  at most  {sum(most) / len(most):.2f} sites: {most.count(1)} queries have pages of one site alone")
    for name in ("plain", "grouped"):
        of_several = [count for count, limit in zip(shown[name], most, strict=True) if limit > 1]
        sites = sum(of_several) / max(len(of_several), 1)
        print(f"  {name:8} {sites:.2f} sites of ten hits where pages of several match")


def main() -> None:
    """Measure known items, broad queries and facet counts."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    folder = default_folder(given.store)
    index = SearchIndex(folder, SearchSettings(), store=given.store)
    dice = random.Random(given.seed)
    items, broad = known_items(folder.path, given.queries, dice)
    measure(index, items, "known items")
    measure(index, [(-1, word) for word in broad], "broad queries")
    with counting(given.store, folder) as connection:
        asked = [*broad, *(query for _, query in items[: len(broad)]), *within_sites(connection, broad, dice)]
        found = compared(connection, index, asked)
    print(f"{found.counts:,} counts of {found.queries} queries, {len(found.different)} differ from SQL;", end=" ")
    print(f"{found.left_out} queries match too much", *found.different[:10], sep="\n")
    terms = sum(file.stat().st_size for file in folder.terms.rglob("*") if file.is_file())
    print(f"terms: {terms / 1e6:.2f} MB, {index.manifest.documents} documents")


if __name__ == "__main__":
    main()
