"""What relaxation labelling adds to text, by the share of pages whose class is known.

    python -m benchmarks.relaxation GRAPH ... [--store STORE] [--draws 5]

GRAPH: folders with graph.npz, labels.txt.gz (of a path with dots its second word is the class) and urls.txt.gz, whose
names, cut at capitals and underscores, are the text. STORE: a crawl of the full farm with texts; each topic of
`benchmarks.topic_pages` against all the rest. Of each graph a share of the pages is known, drawn by lot; what is told
is the macro-F1 of the others.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.topic_pages import TOPICS, is_about
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.stored_graph import load_stored_graph
from hinterland.crawler.features.topics.files.stored_pages import stored_page
from hinterland.crawler.features.topics.links.relaxation import UNKNOWN, relaxed
from hinterland.crawler.features.topics.model.page_rows import HEAD_WEIGHT, matrix, rarity_of
from hinterland.crawler.features.topics.model.page_words import WordCounts, word_counts
from hinterland.storage.reading.opening import reading

SHARES: Final = (0.01, 0.03, 0.1, 0.3)
LEAST_OF_CLASS: Final = 40
MOST_OF_HOST: Final = 400
"""Pages of a host of the farm: so many by lot, so that all hosts are there and their links among them, too."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledGraph:
    """classes: shape (n,), from 0; pages without a class are left out."""

    name: str
    graph: Graph
    words: Sequence[WordCounts]
    classes: IntArray

    @property
    def class_count(self) -> int:
        return int(self.classes.max()) + 1


def from_folder(folder: Path) -> LabelledGraph:
    stored = load_stored_graph(folder)
    names, labels = stored.names or [], stored.labels or []
    kinds = [label.split(";")[0].split(".")[:2] for label in labels]
    of_page = [kind[-1] if len(kind) > 1 else "".join(kind) for kind in kinds]
    counts = {kind: of_page.count(kind) for kind in set(of_page)}
    kept = [place for place, kind in enumerate(of_page) if kind and counts[kind] >= LEAST_OF_CLASS]
    numbers = {kind: number for number, kind in enumerate(sorted({of_page[place] for place in kept}))}
    words = [word_counts(" ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", names[place])), [], "") for place in kept]
    classes = np.array([numbers[of_page[place]] for place in kept], np.int32)
    return LabelledGraph(folder.name, stored.graph.among(kept), words, classes)


def from_farm(store: Path) -> list[LabelledGraph]:
    """One for each topic, of the same pages."""
    with reading(store) as reader:
        links = reader.links.all()
        sources, targets = np.frombuffer(links.sources, np.int32), np.frombuffer(links.targets, np.int32)
        whole = Graph.from_links(sources, targets, len(links.urls))
        of_host: dict[str, list[int]] = {}
        for number in np.flatnonzero(np.frombuffer(links.is_visited, np.bool_)).tolist():
            of_host.setdefault(links.urls[number].split("/")[2], []).append(number)
        lot = random.Random(0)
        numbers, words, urls = [], [], []
        for host in sorted(of_host):
            for number in lot.sample(of_host[host], min(MOST_OF_HOST, len(of_host[host]))):
                if (page := stored_page(reader, number)) is not None:
                    numbers.append(number)
                    words.append(page.words)
                    urls.append(page.url)
    graph = whole.among(numbers)
    return [
        LabelledGraph(f"farm: {topic}", graph, words, np.array([int(is_about(topic, url)) for url in urls], np.int32))
        for topic in TOPICS
    ]


def by_text(labelled: LabelledGraph, known: IntArray) -> FloatArray:
    """P(class | text), shape (n, k), learnt from the pages that are known."""
    from sklearn.linear_model import LogisticRegression

    rows = matrix(labelled.words, rarity_of(labelled.words), HEAD_WEIGHT)
    taught = known != UNKNOWN
    shares = np.bincount(known[taught], minlength=labelled.class_count) + 0.5
    chances = np.tile(shares / shares.sum(), (len(known), 1))
    if (np.bincount(known[taught]) > 0).sum() > 1 and rows.nnz:
        learner = LogisticRegression(C=10, max_iter=200)
        learner.fit(rows[taught], known[taught])
        chances[:, learner.classes_] = learner.predict_proba(rows)
    return chances


def macro_f1(said: NDArray[np.int64], truth: IntArray, classes: int) -> float:
    found = []
    for kind in range(classes):
        both = (said == kind).sum() + (truth == kind).sum()
        if (truth == kind).any():
            found.append(2 * ((said == kind) & (truth == kind)).sum() / both)
    return float(np.mean(found))


def measured(labelled: LabelledGraph, share: float, seed: int) -> tuple[float, ...]:
    """Macro-F1 of the pages that are not known: by text, after one round, when stable; and rounds until then."""
    lot = np.random.default_rng(seed)
    known = np.where(lot.random(len(labelled.classes)) < share, labelled.classes, UNKNOWN).astype(np.int32)
    text = by_text(labelled, known)
    others = known == UNKNOWN
    once, stable = (relaxed(labelled.graph, text, known, max_rounds=rounds) for rounds in (1, 300))
    scores = [
        macro_f1(chances.argmax(1)[others], labelled.classes[others], labelled.class_count)
        for chances in (text, once.chances, stable.chances)
    ]
    return (*scores, float(stable.rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="*", type=Path, metavar="GRAPH")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    given = parser.parse_args()
    print("| pages | classes | known | text | one round | stable | rounds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for labelled in [*map(from_folder, given.graphs), *(from_farm(given.store) if given.store else [])]:
        for share in SHARES:
            text, once, stable, rounds = np.mean([measured(labelled, share, seed) for seed in range(given.draws)], 0)
            name = f"{labelled.name} ({len(labelled.classes):,})"
            print(
                f"| {name} | {labelled.class_count} | {share:.0%} | {text:.3f} | {once:.3f} | {stable:.3f} |"
                f" {rounds:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
