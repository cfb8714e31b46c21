"""What `topic judge --relax` adds to the judgement of a store, with a classifier of 20 examples.

    python -m benchmarks.judged_by_neighbours STORE [--draws 2]

STORE: a crawl of the full farm with texts. Topics as in `topic_classifier`: ten pages of each kind from half of the
hosts. Up to 400 pages of each host are judged by their words, then with their neighbours; what is told is F1 and the
calibration error of the pages of the other hosts, and of all but the examples.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.topic_classifier import Draw
from benchmarks.topic_pages import TOPICS, LabelledPages, is_about
from hinterland.analysis.graph import Graph
from hinterland.crawler.features.topics.files.relaxing import with_neighbours
from hinterland.crawler.features.topics.files.stored_pages import background_of, stored_page
from hinterland.crawler.features.topics.model.calibration import calibration_error
from hinterland.crawler.features.topics.model.page_words import WordCounts
from hinterland.crawler.features.topics.model.testing import f1, macro_f1
from hinterland.crawler.features.topics.model.topic_model import probability
from hinterland.crawler.features.topics.model.training import train
from hinterland.library.graph_opening import graph_of
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.topics import JudgementRecord

ROUNDS = (0, 1, 2, 5, 300)
MOST_OF_HOST = 400


class Store:
    """Some pages of each host, by lot. numbers: ascending; urls, words: parallel."""

    def __init__(self, path: Path) -> None:
        self.numbers: list[int] = []
        self.urls: list[str] = []
        self.words: list[WordCounts] = []
        with reading(path) as reader:
            crawled = graph_of(reader, with_names=False).crawled
            self.links: Graph = crawled.links
            numbers = np.array(reader.pages.numbers_fetched(), np.int32)
            for number in sorted(_some_of_each(crawled.hosts[numbers], numbers)):
                if (page := stored_page(reader, number)) is not None:
                    self.numbers.append(number)
                    self.urls.append(page.url)
                    self.words.append(page.words)
        self.hosts = np.array([url.split("/")[2] for url in self.urls])

    def known(self, is_about_of: Mapping[str, bool]) -> dict[int, bool]:
        places = {url: number for number, url in zip(self.numbers, self.urls, strict=True) if url in is_about_of}
        return {places[url]: about for url, about in is_about_of.items() if url in places}


def _some_of_each(hosts: NDArray[np.int32], numbers: NDArray[np.int32]) -> list[int]:
    lot = np.random.default_rng(0)
    return [
        number
        for host in np.unique(hosts)
        for number in lot.permutation(numbers[hosts == host])[:MOST_OF_HOST].tolist()
    ]


def measured(store: Store, labelled: LabelledPages, topic: str, seed: int) -> list[Sequence[float]]:
    """For each of ROUNDS: F1 and macro-F1 of the pages of hosts not learnt from, their calibration error, F1 of all but
    the examples, rounds, seconds."""
    draw = Draw(labelled, topic, seed)
    examples = draw.as_examples(draw.examples)
    model = train(examples, background_of(draw.of(draw.background))).model
    truth = np.array([is_about(topic, url) for url in store.urls])
    hosts = {host.partition("://")[2] for host in np.unique(labelled.hosts[draw.known]).tolist()}
    new = ~np.isin(store.hosts, sorted(hosts))
    known = store.known({example.address: example.is_about for example in examples})
    others = ~np.isin(store.numbers, sorted(known))
    by_words = [
        JudgementRecord(number, probability(model.log_odds(words)))
        for number, words in zip(store.numbers, store.words, strict=True)
    ]
    found: list[Sequence[float]] = []
    for rounds in ROUNDS:
        began, count, judged = time.process_time(), 0, by_words
        if rounds:
            done = with_neighbours(by_words, store.links, known, max_rounds=rounds)
            count, judged = done.rounds, list(done.judgements)
        chances = np.array([each.probability for each in judged])
        found.append((*_measures(chances, truth, new, others), count, time.process_time() - began))
    return found


def _measures(
    chances: NDArray[np.float64], truth: NDArray[np.bool_], new: NDArray[np.bool_], others: NDArray[np.bool_]
) -> tuple[float, ...]:
    return (
        f1(chances[new], truth[new]),
        macro_f1(chances[new], truth[new]),
        calibration_error(chances[new], truth[new]),
        f1(chances[others], truth[others]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--draws", type=int, default=2)
    given = parser.parse_args()
    labelled, store = LabelledPages.read(given.store), Store(given.store)
    print("| topic | at most | F1, new hosts | macro-F1 | calibration error | F1, all others | rounds | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    means = []
    for topic in TOPICS:
        means.append(np.mean([measured(store, labelled, topic, seed) for seed in range(given.draws)], 0))
        _tell(topic, means[-1])
    _tell("mean", np.mean(means, 0))


def _tell(topic: str, of_rounds: NDArray[np.float64]) -> None:
    for most, (yes, macro, error, everywhere, rounds, seconds) in zip(ROUNDS, of_rounds.tolist(), strict=True):
        print(
            f"| {topic} | {most} | {yes:.3f} | {macro:.3f} | {error:.3f} | {everywhere:.3f} | {rounds:.0f} |"
            f" {seconds:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
