"""How much of what is asked can a crawl answer early? The MRR of questions after parts of a crawl, by policy.

    python -m benchmarks.answers_by_order STORE INDEX QUERIES.tsv [--draws 5] [--picture FILE.svg] [--json FILE]

STORE is a whole crawl, INDEX its index, and QUERIES.tsv as for `benchmarks.questions`. Each policy crawls the stored
graph again from the pages of depth 0, with the frontier and the rests of the live crawl under a virtual clock; draws
differ in the order of links, the durations of visits, and the seed of the policy. Policies that learn about a topic are
measured if STORE was crawled with a topic: they are shown what the crawl read of its pages.

The questions of each kind make a table of their own; the picture is of the first kind. After each part of the visits,
a question is answered by those of its first hundred hits in the whole index that were visited so far: so the
frequencies of words and the PageRanks are those of the whole crawl, not those of an index made at that moment.
Intervals are over the draws and questions (95 %, bootstrap by question).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.questions import Question, questions_in
from benchmarks.retrieval_measures import Interval, mean_interval
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import IntArray
from hinterland.crawler.features.topics.links.packed_links import unpacked_links
from hinterland.crawler.policies import GRAPH_POLICIES, TOPIC_POLICIES, make_policy
from hinterland.lab.experiments.simulation import StoredReading
from hinterland.lab.experiments.whole_crawl import crawl_order
from hinterland.library.graph_opening import open_graph
from hinterland.search.answers import MOST_HITS, QueryError
from hinterland.search.index.searcher import SearchIndex
from hinterland.storage.values.compression import unpacked_bytes

PARTS: Final = (0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its hits in the whole index, best first: pages of the store, and which of these are right."""

    pages: IntArray
    is_right: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StoredWeb:
    """A whole crawl: its graph, the pages it began with, the URLs of all pages, and what was read about a topic."""

    crawled: CrawledGraph
    starts: IntArray
    urls: Sequence[str]
    readings: Mapping[int, StoredReading]

    @classmethod
    def of(cls, store: Path) -> StoredWeb:
        """Read a store; pages are numbered by their place among the crawled ones in `starts` and `readings`."""
        graph = open_graph(store)
        crawled = graph.crawled
        places = np.full(crawled.links.page_count, -1, np.int32)
        places[crawled.crawled] = np.arange(len(crawled.crawled), dtype=np.int32)
        with closing(sqlite3.connect(store)) as connection:
            seeds = [page for (page,) in connection.execute("SELECT id FROM page WHERE depth = 0 ORDER BY id")]
            rows = connection.execute("SELECT page, probability, links FROM relevance WHERE links IS NOT NULL")
            readings = {}
            for page, probability, links in rows:
                targets, features = unpacked_links(unpacked_bytes(links))
                is_crawled = (targets < len(places)) & (places[np.minimum(targets, len(places) - 1)] >= 0)
                if places[page] >= 0:
                    kept = places[targets[is_crawled]]
                    readings[int(places[page])] = StoredReading(probability, kept, features.those(is_crawled))
        starts = places[np.array(seeds, np.int32)]
        return cls(crawled, starts[starts >= 0], graph.names or (), readings)

    def order(self, policy: str, seed: int) -> IntArray:
        """Return the pages in the order in which a policy visits them."""
        crawled = self.crawled
        hosts = crawled.hosts[crawled.crawled]
        made = make_policy(policy, seed)
        order = crawl_order(crawled.inner, hosts, made, seed, starts=self.starts, readings=self.readings)
        return crawled.crawled[order]


def asked(index: SearchIndex, urls: Sequence[str], questions: Sequence[Question]) -> list[Asked]:
    """Ask the whole index; hits that are no page of the store are left out."""
    numbers = {url: page for page, url in enumerate(urls)}
    found = []
    for question in questions:
        hits = [url for url in _hits(index, question.query) if url in numbers]
        is_right = [any(part in url for part in question.right) for url in hits]
        found.append(Asked(np.array([numbers[url] for url in hits], np.int32), np.array(is_right, np.bool_)))
    return found


def _hits(index: SearchIndex, query: str) -> list[str]:
    try:
        return [hit.url for hit in index.search(query, limit=MOST_HITS).hits]
    except QueryError:
        return []


def reciprocal_ranks(questions: Sequence[Asked], visited: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return 1/place of the first right page among the visited ones for each question, 0 if it is not visited."""
    found = np.zeros(len(questions))
    for number, question in enumerate(questions):
        is_right = question.is_right[visited[question.pages]]
        if is_right.any():
            found[number] = 1 / (1 + int(is_right.argmax()))
    return found


def answered(
    web: StoredWeb, questions: Sequence[Asked], policy: str, draws: int, parts: Sequence[float] = PARTS
) -> NDArray[np.float64]:
    """Return the reciprocal ranks after each part of the visits; shape (parts, draws, questions)."""
    found = np.zeros((len(parts), draws, len(questions)))
    for draw in range(draws):
        order = web.order(policy, draw + 1)
        for place, part in enumerate(parts):
            visited = np.zeros(web.crawled.links.page_count, np.bool_)
            visited[order[: round(part * len(order))]] = True
            found[place, draw] = reciprocal_ranks(questions, visited)
    return found


def interval(ranks: NDArray[np.float64]) -> Interval:
    """Return the mean of reciprocal ranks, shape (draws, questions), with its interval."""
    draws, questions = ranks.shape
    return mean_interval(ranks.ravel(), np.tile(np.arange(questions), draws))


def table(found: Mapping[str, Sequence[Interval]], parts: Sequence[float] = PARTS) -> Iterator[str]:
    """Yield the lines of a table, the policy with the most answers after the first part first."""
    yield "| policy | " + " | ".join(f"{part:.0%}" for part in parts) + " |"
    yield "| --- |" + " --: |" * len(parts)
    for policy in sorted(found, key=lambda name: -found[name][0].mean):
        cells = (f"{each.mean:.3f} [{each.low:.3f}, {each.high:.3f}]" for each in found[policy])
        yield f"| `{policy}` | {' | '.join(cells)} |"


def draw_picture(file: Path, found: Mapping[str, Sequence[Interval]], parts: Sequence[float] = PARTS) -> None:
    """Draw the MRR over the part of the visits, one line for each policy."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for number, (policy, means) in enumerate(found.items()):
        style = ("-", "--", ":")[number // 8 % 3]
        axes.plot([100 * part for part in parts], [each.mean for each in means], style, marker="o", label=policy)
    axes.set_xlabel("visits, % of the crawl")
    axes.set_ylabel("MRR")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small", ncols=2)
    figure.savefig(file, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Crawl by each policy, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--policies", help="names with commas (default: all that the store allows)")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    web = StoredWeb.of(given.store)
    given_questions = questions_in(given.queries.read_text("utf-8").splitlines())
    questions = asked(SearchIndex.open(given.index), web.urls, given_questions)
    kinds = np.array([question.kind for question in given_questions])
    all_policies = [*GRAPH_POLICIES, *(TOPIC_POLICIES if web.readings else ())]
    policies = given.policies.split(",") if given.policies else all_policies
    print(f"{len(web.crawled.crawled):,} pages, {len(web.starts)} starts, {len(questions)} questions", flush=True)
    found: dict[str, dict[str, list[Interval]]] = {kind: {} for kind in dict.fromkeys(kinds.tolist())}
    for policy in policies:
        ranks = answered(web, questions, policy, given.draws)
        for kind, of_kind in found.items():
            of_kind[policy] = [interval(each) for each in ranks[:, :, kinds == kind]]
        print(policy, {kind: [round(each.mean, 3) for each in of[policy]] for kind, of in found.items()}, flush=True)
    for kind, of_kind in found.items():
        print(f"\n{(kinds == kind).sum()} {kind}\n\n" + "\n".join(table(of_kind)))
    if given.picture:
        draw_picture(given.picture, next(iter(found.values())))
    if given.json:
        told = {
            kind: {name: [asdict(each) for each in means] for name, means in of_kind.items()}
            for kind, of_kind in found.items()
        }
        given.json.write_text(json.dumps(told, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
