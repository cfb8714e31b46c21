"""Are misspelt queries corrected, and correct ones left alone? What does it cost?

    python -m benchmarks.corrections INDEX [--queries 1000] [--seed 0] [--show 20]

INDEX is the folder of an index. Titles are drawn from its documents, and each is given one typing error of each of four
kinds in turn (`mistyping.py`). A correction is right if it has the words of the title. Correct queries are the titles
themselves, the words of links, and pairs of words from two titles, few of which any page has together. CPU is that of
a search of ten hits, the least of several; with other programs beside it, titles, which cost nothing more, tell how far
it can be relied on.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np

from benchmarks.mistyping import KINDS, mistyped
from hinterland.search.answers import QueryError, SearchAnswer
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.vocabulary import words_in

_MOST_CHARACTERS: Final = 100


def drawn_titles(index: Path, count: int, generator: random.Random) -> list[str]:
    """Of distinct documents, in any language; no two alike."""
    with closing(sqlite3.connect(f"{(index / 'documents.db').resolve().as_uri()}?mode=ro", uri=True)) as documents:
        titles = {title.strip() for (title,) in documents.execute("SELECT title FROM document")}
    usable = sorted(title for title in titles if len(title) <= _MOST_CHARACTERS and '"' not in title)
    generator.shuffle(usable)
    return usable[:count]


def drawn_anchors(index: Path, count: int, generator: random.Random) -> list[str]:
    with closing(sqlite3.connect(f"{(index / 'documents.db').resolve().as_uri()}?mode=ro", uri=True)) as documents:
        anchors = sorted({words for (words,) in documents.execute("SELECT words FROM anchor") if words_in(words)})
    usable = [words for words in anchors if len(words) <= _MOST_CHARACTERS and '"' not in words]
    return generator.sample(usable, min(count, len(usable)))


def first_correction(answer: SearchAnswer) -> str:
    rescue = answer.rescue
    if rescue is None:
        return ""
    return rescue.corrected or next((other.query for other in rescue.corrections), "")


def least_cpu(searches: Sequence[Callable[[], object]], times: int) -> list[float]:
    """Of each, in turn; milliseconds."""
    least = [inf] * len(searches)
    for _ in range(times):
        for place, search in enumerate(searches):
            began = process_time()
            search()
            least[place] = min(least[place], process_time() - began)
    return [1000 * seconds for seconds in least]


def report_costs(index: SearchIndex, name: str, queries: Sequence[str], times: int) -> None:
    """Against the search as it is written, against that for the query that it was corrected to, and against that of
    these two whose hits are shown: what corrections cost beyond it."""
    rows = []
    for query in queries:
        answer = index.search(query)
        corrected = first_correction(answer) or query
        whole, verbatim, spelt = least_cpu(
            [
                partial(index.search, query),
                partial(index.search, query, verbatim=True),
                partial(index.search, corrected),
            ],
            times,
        )
        is_replaced = answer.rescue is not None and bool(answer.rescue.corrected)
        rows.append((whole, verbatim, whole - verbatim, whole - spelt, whole - (spelt if is_replaced else verbatim)))
    names = (
        "with corrections",
        "as it was written",
        "more than as it was written",
        "more than if it had been spelt so",
        "more than the search whose hits are shown",
    )
    for what, values in zip(names, np.array(rows).T, strict=True):
        p50, p95 = np.percentile(values, (50, 95))
        print(f"CPU of {len(queries)} {name}, {what}: p50 {p50:.2f} ms, p95 {p95:.2f} ms")


def report_misspelt(index: SearchIndex, titles: Sequence[str], generator: random.Random, show: int) -> list[str]:
    """Prints how many are corrected. The misspelt queries."""
    outcomes = {kind: Counter[str]() for kind in KINDS}
    queries = []
    for place, title in enumerate(titles):
        kind = KINDS[place % len(KINDS)]
        query = mistyped(title, kind, generator)
        if query is None:
            continue
        queries.append(query)
        answer = index.search(query)
        correction = first_correction(answer)
        if sorted(words_in(correction)) == sorted(words_in(title)):
            outcome = "right"
        else:
            outcome = "answered as written" if answer.rescue is None else "wrong" if correction else "none"
            if show:
                show -= 1
                print(f"  {outcome}: {query!r} for {title!r}: {correction!r}")
        outcomes[kind][outcome] += 1
    together = sum(outcomes.values(), Counter[str]())
    for name, counts in (*outcomes.items(), ("all", together)):
        parts = ", ".join(f"{outcome} {count}" for outcome, count in counts.most_common())
        share = counts["right"] / max(counts.total(), 1)
        print(f"misspelt, {name}: {counts.total()} queries, right first {share:.3f} ({parts})")
    return queries


def report_correct(index: SearchIndex, name: str, queries: Sequence[str], show: int) -> None:
    asked, unanswered, replaced, offered = 0, 0, 0, 0
    for query in queries:
        try:
            answer = index.search(query)
        except QueryError:
            continue
        asked += 1
        if answer.rescue is not None:
            unanswered += 1
            replaced += bool(answer.rescue.corrected)
            offered += bool(first_correction(answer))
            if show and first_correction(answer):
                show -= 1
                print(f"  {query!r}: {first_correction(answer)!r}")
    print(f"correct, {name}: {asked} queries, {unanswered} unanswered, {replaced} replaced, {offered} with an offer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path, metavar="INDEX")
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, help="so many of each kind that went wrong")
    parser.add_argument("--timed", type=int, default=300, help="queries whose CPU is measured")
    parser.add_argument("--times", type=int, default=5, help="the least of so many")
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    index = SearchIndex.open(arguments.index)
    candidates = drawn_titles(arguments.index, 4 * arguments.queries, generator)
    titles = [title for title in candidates if mistyped(title, KINDS[0], generator)][: arguments.queries]
    queries = report_misspelt(index, titles, generator, arguments.show)
    report_correct(index, "titles", titles, arguments.show)
    anchors = drawn_anchors(arguments.index, arguments.queries, generator)
    report_correct(index, "words of links", anchors, arguments.show)
    words = [generator.choice(words_in(title)) for title in titles if words_in(title)]
    pairs = [f"{first} {second}" for first, second in zip(words, reversed(words), strict=True)]
    report_correct(index, "pairs of words of two titles", pairs, arguments.show)
    report_costs(index, "misspelt", queries[: arguments.timed], arguments.times)
    report_costs(index, "titles", titles[: arguments.timed], arguments.times)


if __name__ == "__main__":
    main()
