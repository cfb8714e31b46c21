"""Is what somebody is about to type offered in time? How many letters it takes, and what each answer costs.

    python -m benchmarks.suggestions INDEX [--titles 1000] [--most 10] [--seed 0]

INDEX is the folder of an index. Titles are drawn from its documents: at random, and by their PageRank, with
replacement, as if pages were wanted as often as a random surfer is on them. Of each, as it is suggested (without the
name of its site), the first four letters are typed, or those of one of its other words, or the first two letters of two
of its words; beside that stands what no order of the answers could surpass. CPU and wall time are of an answer to one
to eight letters.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import permutations
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.phrases import MOST_CHARACTERS, common_parts, own_title
from hinterland.search.suggestions import Suggestions, folded, starts

LETTERS = 4


def titles_of(index: IndexFolder) -> tuple[list[str], list[float]]:
    """As they are suggested, with the ranks of their pages."""
    with closing(sqlite3.connect(f"{index.documents.resolve().as_uri()}?mode=ro", uri=True)) as documents:
        rows = documents.execute("SELECT page, host, title FROM document WHERE title <> ''").fetchall()
    common = common_parts(((host, title) for _, host, title in rows), sorted)
    ranks = index.read_ranks()["web"].of(np.array([page for page, _, _ in rows], np.int64)).tolist()
    best: dict[str, float] = {}
    for (_, host, title), rank in zip(rows, ranks, strict=True):
        own = " ".join(own_title(host, title, common).split())
        if 3 <= len(own) <= MOST_CHARACTERS:
            best[own] = max(best.get(own, 0.0), rank)
    return list(best), list(best.values())


def beginnings(title: str) -> Iterator[str]:
    yield folded(title)[:LETTERS]


def words(title: str) -> Iterator[str]:
    """Of any of the words that phrases are found by: `HashMap` is one of `std::collections::HashMap`."""
    key = folded(title)
    for start in starts(key):
        yield key[start : start + LETTERS]


def two_words(title: str) -> Iterator[str]:
    for first, second in permutations(words(title), 2):
        yield f"{first[:2]} {second[:2]}"


WAYS = {
    "its first four letters": (beginnings,),
    "the first four letters of one of its words": (beginnings, words),
    "these, or the first two of two of its words": (beginnings, words, two_words),
}


def is_offered(suggestions: Suggestions, title: str, typed: Iterator[str], most: int) -> bool:
    """Whether it is offered for any of these, or for any of their beginnings."""
    wanted = folded(title).rstrip(" :¶#")
    for text in typed:
        for end in range(1, len(text) + 1):
            if any(folded(each) == wanted for each in suggestions.starting_with(text[:end], most)):
                return True
    return False


def report_offers(suggestions: Suggestions, name: str, titles: Sequence[str], most: int) -> None:
    for way, functions in WAYS.items():
        offered = sum(any(is_offered(suggestions, title, each(title), most) for each in functions) for title in titles)
        print(f"titles {name}: {offered} of {len(titles)} offered among {most} by {way}")


def most_that_can_be_offered(titles: Sequence[str], way: Callable[[str], Iterable[str]], most: int) -> float:
    """The share of all titles that could be offered if nothing else were, `most` to everything that may be typed for
    them: the largest flow from titles to what is typed."""
    places: dict[str, int] = {}
    tails, heads = [], []
    for title, text in enumerate(titles):
        for typed in set(way(text)):
            tails.append(1 + title)
            heads.append(1 + len(titles) + places.setdefault(typed, len(places)))
    count = 2 + len(titles) + len(places)
    rooms = range(1 + len(titles), count - 1)
    rows = [*[0] * len(titles), *tails, *rooms]
    columns = [*range(1, 1 + len(titles)), *heads, *[count - 1] * len(places)]
    room = [1] * (len(titles) + len(tails)) + [most] * len(places)
    network = csr_matrix((np.array(room, np.int32), (rows, columns)), shape=(count, count))
    return float(maximum_flow(network, 0, count - 1).flow_value / len(titles))


def report_costs(suggestions: Suggestions, titles: Sequence[str], most: int) -> None:
    cpu, wall = [], []
    for title in titles:
        for end in range(1, 9):
            began, clock = process_time(), perf_counter()
            suggestions.starting_with(title[:end], most)
            cpu.append(1000 * (process_time() - began))
            wall.append(1000 * (perf_counter() - clock))
    for name, values in (("CPU", cpu), ("wall", wall)):
        p50, p95, p99 = np.percentile(values, (50, 95, 99))
        print(f"{name} of {len(values)} answers: p50 {p50:.2f}, p95 {p95:.2f}, p99 {p99:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path, metavar="INDEX")
    parser.add_argument("--titles", type=int, default=1_000)
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    folder = IndexFolder(arguments.index)
    began = process_time()
    suggestions = folder.read_suggestions()
    if suggestions is None:
        parser.error(f"{arguments.index} has no suggestions; `index` makes them")
    size = folder.suggestions.stat().st_size / 1e6
    print(f"{len(suggestions):,} phrases, {size:.1f} MB, read in {process_time() - began:.2f} s of CPU")
    titles, ranks = titles_of(folder)
    generator = random.Random(arguments.seed)
    print(f"{len(titles):,} distinct titles")
    count = min(arguments.titles, len(titles))
    drawn = generator.sample(titles, count)
    by_rank = generator.choices(titles, ranks, k=count)
    report_offers(suggestions, "drawn at random", drawn, arguments.most)
    report_offers(suggestions, "drawn by PageRank", by_rank, arguments.most)
    for name, way in (("its first four letters", beginnings), ("the first four letters of one of its words", words)):
        share = most_that_can_be_offered(titles, way, arguments.most)
        print(f"of all titles at most {share:.3f} can be offered among {arguments.most} by {name}, whatever the order")
    report_costs(suggestions, drawn, arguments.most)


if __name__ == "__main__":
    main()
