"""What searching costs: our index compared with SQLite FTS5, with the same texts, on the same machine, in one run.

    python -m benchmarks.search STORE [--documents 100000] [--synthesised 1000000] [--work FOLDER] [--json FILE]

STORE is a crawl with at least as many pages as --documents, with bodies. Both engines get each batch of documents in
turn; queries are drawn from the documents (`search_queries.py`) and also run in turn, once before they are timed. Then
both are built and queried again with synthesised documents (`recombination.py`), whose texts are cut to `--cut`
characters. Only the ratios are meaningful on another machine.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final, TypeVar

import numpy as np

from benchmarks.full_text_rival import Fts5, match_of
from benchmarks.rank_priors import Farm
from benchmarks.recombination import COMMON, Recombination, chance_of, heaps_exponent, words_of
from benchmarks.search_queries import KINDS, BenchmarkQuery, drawn
from hinterland.analysis.graph import FloatArray
from hinterland.crawler.settings import SearchSettings
from hinterland.search.documents import SearchDocument
from hinterland.search.index.building import _searchable, _shown
from hinterland.search.index.corpus import Corpus
from hinterland.search.index.index_folder import IndexFolder, IndexManifest
from hinterland.search.index.scoring import BOOSTS, CANDIDATES, RANK_EXPONENT, RANK_HALF
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.query_language import understand
from hinterland.search.ranking import IndexedRanks, RankWeights, best
from hinterland.search.store.document_store import document_store
from hinterland.search.store.fields import FORMAT
from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.documents import Digest
from hinterland.search.store.values.term_query import Boosts
from hinterland.storage.values.compression import packed

_Value = TypeVar("_Value")

_BATCH: Final = 200
_COMMIT: Final = 5_000
_SAMPLE: Final = 10_000
"""Documents whose words are counted, and from which queries are drawn."""
_LIMIT: Final = 10
ENGINES: Final = ("hinterland", "fts5")


@dataclass(slots=True)
class Spent:
    """Seconds of wall time, and of CPU time of all threads."""

    wall: float = 0.0
    cpu: float = 0.0

    def on(self, work: Callable[[], _Value]) -> _Value:
        """Do it, and count what it takes."""
        wall, cpu = perf_counter(), process_time()
        value = work()
        self.wall += perf_counter() - wall
        self.cpu += process_time() - cpu
        return value


class Ours:
    """What `index` does after extraction: terms, and what is shown of a document."""

    def __init__(self, folder: Path, store: Path) -> None:
        """Create an index in the folder."""
        self.folder = IndexFolder(folder)
        folder.mkdir(parents=True)
        self.folder.terms.mkdir()
        self._manifest = IndexManifest(FORMAT, str(store), ("en",), 0.0, 0, "")
        self.terms = TermIndex.create(self.folder.terms, self._manifest.languages)
        self._opening = document_store(self.folder.documents, store)
        self._store = self._opening.__enter__()
        self._waiting = 0

    def write(self, documents: Sequence[tuple[SearchDocument, IndexedText]]) -> None:
        """Add documents, and commit when enough are waiting."""
        self._store.write_documents(_shown(replace(shown, page=text.page)) for shown, text in documents)
        self._store.write_digests(
            Digest(text.page, 0, shown.language, b"", packed(body_of(text)), "all") for shown, text in documents
        )
        self.terms.write(text for _, text in documents)
        self._waiting += len(documents)
        if self._waiting >= _COMMIT:
            self.terms.commit()
            self._waiting = 0

    def close(self, ranks: FloatArray) -> None:
        """Finish the index with the ranks by page, shape (n,)."""
        self.terms.close()
        self._opening.__exit__(None, None, None)
        self.folder.write_ranks(np.arange(len(ranks), dtype=np.int64), {"web": ranks, "site": ranks})
        self.folder.write_manifest(replace(self._manifest, documents=len(self.terms)))

    def index_bytes(self) -> int:
        """Return the size of the terms, in bytes."""
        return size_of(self.folder.terms)

    def total_bytes(self) -> int:
        """Return the size of the whole index, in bytes."""
        return size_of(self.folder.path)


def body_of(document: IndexedText) -> str:
    """Return the body of a document."""
    return "\n".join(text for field, text, _ in document.texts if field == "body")


def size_of(folder: Path) -> int:
    """Return the size of all files below a folder, in bytes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def in_batches(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """Yield lists of _BATCH values; the last may be shorter."""
    remaining = iter(values)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


# --- building -----------------------------------------------------------------------------------


def built(
    work: Path, store: Path, documents: Iterable[tuple[SearchDocument, IndexedText]], ranks: FloatArray, boosts: Boosts
) -> tuple[Ours, Fts5, dict[str, Any]]:
    """Both engines with the same documents, and what that took."""
    ours, rival = Ours(work / "ours", store), Fts5(work / "fts5.db", boosts)
    spent = {name: Spent() for name in ENGINES}
    count = characters = 0
    for batch in in_batches(documents):
        turns: list[tuple[str, Callable[[], None]]] = [
            ("hinterland", partial(ours.write, batch)),
            ("fts5", partial(rival.write, [text for _, text in batch])),
        ]
        for name, write in turns if count // _BATCH % 2 else turns[::-1]:
            spent[name].on(write)
        count += len(batch)
        characters += sum(len(text) for _, document in batch for _, text, _ in document.texts)
        if count % (_BATCH * 50) == 0:
            said(f"{count:,} documents, {spent['hinterland'].wall:.0f} s and {spent['fts5'].wall:.0f} s")
    spent["hinterland"].on(lambda: ours.close(ranks))
    spent["fts5"].on(rival.close)
    result: dict[str, Any] = {"documents": count, "characters": characters}
    for name, engine in (("hinterland", ours), ("fts5", rival)):
        result[name] = {
            "wall_seconds": spent[name].wall,
            "cpu_seconds": spent[name].cpu,
            "documents_per_second": count / spent[name].wall,
            "documents_per_cpu_second": count / spent[name].cpu,
            "index_bytes": engine.index_bytes(),
            "total_bytes": engine.total_bytes(),
        }
    return ours, rival, result


def real_documents(corpus: Corpus, pages: Sequence[int]) -> Iterator[tuple[SearchDocument, IndexedText]]:
    """Numbered from 0: the numbers of the store have gaps, which would cost FTS5 room."""
    number = 0
    for batch in in_batches(pages):
        for document in corpus.documents(batch):
            yield document, replace(_searchable(document, number), page=number)
            number += 1


def synthesised(
    corpus: Corpus, pages: Sequence[int], wanted: int, recombination: Recombination, cut: int
) -> Iterator[tuple[SearchDocument, IndexedText]]:
    """Copy after copy of all documents, until there are as many as wanted."""
    number = copy = 0
    while True:
        for shown, text in real_documents(corpus, pages):
            if number >= wanted:
                return
            short = replace(text, texts=[(field, words[:cut], weight) for field, words, weight in text.texts])
            yield shown, recombination.copy(short, copy, number)
            number += 1
        copy += 1


# --- asking -------------------------------------------------------------------------------------


def asked(
    ours: Ours, rival: Fts5, queries: Sequence[BenchmarkQuery], settings: SearchSettings, boosts: Boosts
) -> dict[str, Any]:
    """Latencies by kind, agreement of the answers, and what the exactness of the ranking costs."""
    index = SearchIndex(ours.folder, settings)
    text_only = SearchIndex(ours.folder, replace(settings, rank_weight=0.0))
    seconds: dict[str, dict[str, list[Spent]]] = {kind: defaultdict(list) for kind in KINDS}
    overlaps: dict[str, list[float]] = defaultdict(list)
    counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for query in queries:
        match = match_of(query.words, is_phrase=query.is_phrase)
        works: dict[str, Callable[[], Any]] = {
            "hinterland": partial(index.ranking, query.text, _LIMIT),
            "hinterland, text alone": partial(text_only.ranking, query.text, _LIMIT),
            "hinterland, with snippets": partial(index.search, query.text, limit=_LIMIT),
            "fts5": partial(rival.best, match, _LIMIT),
            "fts5, with snippets": partial(rival.shown, match, _LIMIT),
        }
        answers = {name: work() for name, work in works.items() if name in ("hinterland, text alone", "fts5")}
        index.search(query.text, limit=_LIMIT)  # warms what snippets are made from
        for name, work in works.items():
            spent = Spent()
            spent.on(work)
            seconds[query.kind][name].append(spent)
        own = {int(page) for page in answers["hinterland, text alone"].pages}
        other = set(answers["fts5"])
        overlaps[query.kind].append(len(own & other) / max(len(own), len(other), 1))
        counts[query.kind].append((int(answers["hinterland, text alone"].total), rival.count(match)))
    return {
        kind: {
            "queries": len(counts[kind]),
            "matches": float(np.median([own for own, _ in counts[kind]])),
            "same_count": float(np.mean([own == other for own, other in counts[kind]])),
            "overlap": float(np.mean(overlaps[kind])),
            "milliseconds": {name: percentiles(values) for name, values in seconds[kind].items()},
        }
        for kind in KINDS
        if counts[kind]
    }


def percentiles(spent: Sequence[Spent]) -> dict[str, list[float]]:
    """p50 and p95 in milliseconds, of the wall and of the CPU."""
    times = {"wall": [each.wall for each in spent], "cpu": [each.cpu for each in spent]}
    return {name: np.percentile(np.array(values) * 1000, (50, 95)).tolist() for name, values in times.items()}


def exactness(
    ours: Ours, ranks: FloatArray, queries: Sequence[BenchmarkQuery], settings: SearchSettings, boosts: Boosts
) -> dict[str, Any]:
    """How many candidates by text it takes until the ten best by text and rank are certain, by weight."""
    index = SearchIndex(ours.folder, settings)
    del index
    pages = IndexedRanks(np.arange(len(ranks), dtype=np.int64), ranks)
    found = {}
    for weight in (0.0, settings.rank_weight, 2.0, 4.0):
        asked_for, exact, seconds = list[int](), list[bool](), list[Spent]()
        weights = RankWeights(weight, RANK_HALF, RANK_EXPONENT)
        for query in queries:
            terms = understand(query.text, now=0.0, is_word=ours.terms.has_words).terms
            rounds = list[int]()

            def by_text(count: int, terms: Any = terms, rounds: list[int] = rounds) -> Any:
                rounds.append(count)
                return ours.terms.best(terms, boosts, count)

            first, most = CANDIDATES.first, CANDIDATES.most
            spent = Spent()
            hits = spent.on(partial(best, by_text, pages, weights, _LIMIT, first=first, most=most))
            seconds.append(spent)
            asked_for.append(rounds[-1])
            exact.append(hits.is_exact)
        found[f"{weight:g}"] = {
            "exact": float(np.mean(exact)),
            "in_first_round": float(np.mean([count <= CANDIDATES.first for count in asked_for])),
            "candidates_p95": float(np.percentile(asked_for, 95)),
            "milliseconds": percentiles(seconds),
        }
    return found


# --- telling ------------------------------------------------------------------------------------


_HEADS: Final = (
    *("queries", "matches, median", "text alone", "with rank", "FTS5", "ratio"),
    *("with rank and snippets", "FTS5 with snippets", "ratio", "same ten", "same count"),
)


def told(title: str, made: dict[str, Any], answers: dict[str, Any], exact: dict[str, Any]) -> list[str]:
    """Return the tables as lines of Markdown."""
    ours, rival = made["hinterland"], made["fts5"]
    lines = [
        f"## {title}: {made['documents']:,} documents, {made['characters'] / 1e9:.2f} GB of text",
        "",
        "| | Hinterland | FTS5 | ratio |",
        "|---|--:|--:|--:|",
    ]
    for name, key, scale in (
        ("documents a second", "documents_per_second", 1.0),
        ("documents a CPU second", "documents_per_cpu_second", 1.0),
        ("index alone, MB", "index_bytes", 1e-6),
        ("with what is shown, MB", "total_bytes", 1e-6),
    ):
        lines.append(
            f"| {name} | {ours[key] * scale:,.0f} | {rival[key] * scale:,.0f} | {ours[key] / rival[key]:.2f} |"
        )
    lines += [
        "",
        "Milliseconds of CPU for ten hits, p50 / p95 over the queries of a kind; ratios are ours to FTS5.",
        "",
        f"| {' | '.join(_HEADS)} |",
        f"|---|{'--:|' * 10}",
    ]
    for kind, found in answers.items():
        times = {name: each["cpu"] for name, each in found["milliseconds"].items()}
        plain, shown = "hinterland", "hinterland, with snippets"
        cells = [
            f"{kind} ({found['queries']})",
            f"{found['matches']:,.0f}",
            pair(times["hinterland, text alone"]),
            pair(times[plain]),
            pair(times["fts5"]),
            pair([own / other for own, other in zip(times[plain], times["fts5"], strict=True)]),
            pair(times[shown]),
            pair(times["fts5, with snippets"]),
            pair([own / other for own, other in zip(times[shown], times["fts5, with snippets"], strict=True)]),
            f"{found['overlap']:.0%}",
            f"{found['same_count']:.0%}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| w | exact | in the first round | candidates, p95 | ms |", "|--:|--:|--:|--:|--:|"]
    for weight, found in exact.items():
        lines.append(
            f"| {weight} | {found['exact']:.1%} | {found['in_first_round']:.1%} | {found['candidates_p95']:,.0f}"
            f" | {pair(found['milliseconds']['cpu'])} |"
        )
    return [*lines, ""]


def pair(values: Sequence[float]) -> str:
    """Return two figures as text."""
    return " / ".join(f"{value:.2f}" for value in values)


def said(text: str) -> None:
    """Print progress with the seconds so far to stderr."""
    print(f"{perf_counter() - _STARTED:6.0f} s  {text}", file=sys.stderr, flush=True)


_STARTED = perf_counter()


def main() -> None:
    """Measure both engines and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--synthesised", type=int, default=0, help="how many documents to make of them (default none)")
    parser.add_argument("--cut", type=int, default=1000, help="characters of each synthesised text (default 1000)")
    parser.add_argument("--queries", type=int, default=100, help="of each kind (default 100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--digests", type=Path, help="documents.db of an index of the store, which saves the extraction"
    )
    parser.add_argument("--work", type=Path, help="where the indexes go (default: a temporary folder)")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.work) as scratch:
        run(arguments, Path(scratch))


def run(arguments: argparse.Namespace, work: Path) -> None:
    """Measure both engines with real and synthesised documents."""
    settings = SearchSettings()
    boosts = BOOSTS
    results: dict[str, Any] = {}
    with document_store(arguments.digests or work / "digests.db", arguments.store) as documents:
        corpus = Corpus(documents, with_outside=True)
        pages = random.Random(arguments.seed).sample(corpus.plan().pages.tolist(), k=arguments.documents)
        farm = Farm.read(arguments.store)
        ranks = ranks_of(farm, pages)
        said(f"{len(pages):,} documents chosen")
        sample = [(shown.title, shown.body) for shown, _ in real_documents(corpus, pages[:_SAMPLE])]
        frequencies = Counter(word for _, body in sample for word in set(words_of(body)))
        queries = drawn(sample, frequencies, len(sample), arguments.queries, arguments.seed)
        real = work / "real"
        real.mkdir()
        ours, rival, made = built(real, arguments.store, real_documents(corpus, pages), ranks, boosts)
        results["real"] = measured_all("Real documents", ours, rival, made, queries, ranks, settings, boosts)
        if arguments.synthesised:
            common = {word for word, count in frequencies.items() if count >= COMMON * len(sample)}
            exponent = heaps_exponent(body for _, body in sample)
            copies = -(-arguments.synthesised // len(pages))
            chance = chance_of(exponent, copies, len(frequencies) - len(common), len(frequencies))
            said(f"Heaps' exponent {exponent:.3f}, {copies} copies, words renamed with chance {chance:.3f}")
            many = np.resize(ranks, arguments.synthesised)
            large = work / "synthesised"
            large.mkdir()
            stream = synthesised(corpus, pages, arguments.synthesised, Recombination(common, chance), arguments.cut)
            ours, rival, made = built(large, arguments.store, stream, many, boosts)
            made |= {"heaps_exponent": exponent, "copies": copies, "chance": chance, "cut": arguments.cut}
            results["synthesised"] = measured_all("Synthesised", ours, rival, made, queries, many, settings, boosts)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def ranks_of(farm: Farm, pages: Sequence[int]) -> FloatArray:
    """Return the PageRank of these pages in the whole graph."""
    everything = replace(farm, is_local=np.ones(farm.graph.page_count, np.bool_))
    return np.asarray(everything.true_pagerank()[pages], np.float64)


def measured_all(
    title: str,
    ours: Ours,
    rival: Fts5,
    made: dict[str, Any],
    queries: Sequence[BenchmarkQuery],
    ranks: FloatArray,
    settings: SearchSettings,
    boosts: Boosts,
) -> dict[str, Any]:
    """Ask both, and tell."""
    said(f"{title}: asking {len(queries):,} queries")
    answers = asked(ours, rival, queries, settings, boosts)
    exact = exactness(ours, ranks, queries, settings, boosts)
    print("\n".join(told(title, made, answers, exact)), flush=True)
    return {"made": made, "answers": answers, "exactness": exact}


if __name__ == "__main__":
    main()
