"""How well a topic is learnt from 20 examples, judged on hosts of which nothing was seen, and what ten answers add.

    python -m benchmarks.topic_classifier STORE [--draws 5] [--answers 10]

STORE is a crawl of the full farm with texts. Each draw learns on half of the hosts and judges pages of the others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.topic_pages import TOPICS, LabelledPages, drawn, halves
from hinterland.crawler.features.topics.files.stored_pages import StoredPage, background_of
from hinterland.crawler.features.topics.model.calibration import calibration_error
from hinterland.crawler.features.topics.model.describing import describe, space_of, with_answers
from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_rows import HEAD_WEIGHT, matrix, rarity_of
from hinterland.crawler.features.topics.model.reviewing import most_informative
from hinterland.crawler.features.topics.model.testing import f1, macro_f1
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import TopicModel, probability
from hinterland.crawler.features.topics.model.training import train

EXAMPLES: Final = 20
BACKGROUND: Final = 1_000
POOL: Final = 2_000

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Draw:
    """Half of the hosts to learn on, half to judge by."""

    def __init__(self, labelled: LabelledPages, topic: str, seed: int) -> None:
        self.pages = labelled.pages
        self.topic = topic
        self.is_about = labelled.about(topic)
        self.known = halves(labelled.hosts, self.is_about, seed)
        self.judged = np.flatnonzero(~self.known).tolist()
        lot = np.random.default_rng(seed)
        self.background = lot.permutation(np.flatnonzero(self.known))[:BACKGROUND].tolist()
        self.pool = lot.permutation(np.flatnonzero(self.known))[:POOL].tolist()
        self.examples = [
            *drawn(labelled.hosts, self.known & self.is_about, EXAMPLES // 2, seed),
            *drawn(labelled.hosts, self.known & ~self.is_about, EXAMPLES // 2, seed),
        ]

    def of(self, places: Sequence[int]) -> list[StoredPage]:
        return [self.pages[place] for place in places]

    def as_examples(self, places: Sequence[int]) -> list[Example]:
        return [self.pages[place].as_example(is_about=bool(self.is_about[place])) for place in places]

    def chances(self, model: TopicModel) -> Floats:
        """Of the pages that are judged."""
        return np.array([probability(model.log_odds(self.pages[place].words)) for place in self.judged])


def of_examples(draw: Draw) -> tuple[float, ...]:
    """F1, macro-F1, macro-F1 of the best threshold, calibration error, the last two of a model of all labels."""
    model = train(draw.as_examples(draw.examples), background_of(draw.of(draw.background))).model
    truth = draw.is_about[draw.judged]
    chances = draw.chances(model)
    return (
        f1(chances, truth),
        macro_f1(chances, truth),
        best_macro_f1(chances, truth),
        calibration_error(chances, truth),
        best_macro_f1(scores_of_all_labels(draw), truth),
        float(truth.mean()),
    )


def best_macro_f1(scores: Floats, truth: Bools) -> float:
    """Of the threshold that is best for these pages, which nobody can know: what the order of the scores is worth."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(truth[order])
    said = np.arange(1, len(order) + 1)
    of_yes = 2 * hits / (said + truth.sum())
    misses = truth.sum() - hits
    right_no = len(order) - said - misses
    of_no = 2 * right_no / np.maximum(len(order) - said + (~truth).sum(), 1)
    return float(((of_yes + of_no) / 2).max())


def scores_of_all_labels(draw: Draw) -> Floats:
    """Of a linear model that has the labels of all pages of the hosts to learn on: what no 20 examples can beat."""
    from sklearn.linear_model import LogisticRegression

    words = [page.words for page in draw.pages]
    rows = matrix(words, rarity_of([words[place] for place in np.flatnonzero(draw.known)]), HEAD_WEIGHT)
    learner = LogisticRegression(C=10, class_weight="balanced", max_iter=200)
    learner.fit(rows[draw.known], draw.is_about[draw.known])
    return np.asarray(learner.decision_function(rows[draw.judged]))


def of_answers(draw: Draw, answers: int, *, is_chosen: bool, seed: int) -> list[float]:
    """F1 before and after each answer, from the three words on. Pages are asked about as `topic review` does, or drawn
    by lot."""
    background = draw.of(draw.background)
    urls = [page.url for page in background]
    topic = describe("topic", draw.topic, [], background_of(background), urls).topic
    space, lot = space_of(topic), np.random.default_rng(seed)
    truth = draw.is_about[draw.judged]
    found = [f1(draw.chances(topic.model), truth)]
    for _ in range(answers):
        asked = {example.address for example in topic.examples if example.is_given}
        place = chosen(draw, topic, asked) if is_chosen else by_lot(draw, asked, lot)
        topic = with_answers(topic, draw.as_examples([place]), space).topic
        found.append(f1(draw.chances(topic.model), truth))
    return found


def chosen(draw: Draw, topic: Topic, asked: set[str]) -> int:
    pages = draw.of(draw.pool)
    places = most_informative(
        topic.model,
        [page.words for page in pages],
        [page.host for page in pages],
        [page.url for page in pages],
        asked=asked,
        hosts_asked=[example.host for example in topic.examples if example.is_given],
    )
    return int(draw.pool[places[0]])


def by_lot(draw: Draw, asked: set[str], lot: np.random.Generator) -> int:
    left = [place for place in draw.pool if draw.pages[place].url not in asked]
    return int(left[lot.integers(len(left))])


def costs(draw: Draw) -> str:
    """CPU time; the least of three."""
    examples, background = draw.as_examples(draw.examples), background_of(draw.of(draw.background))
    seconds, page_seconds = [], []
    pages = draw.of(draw.pool)
    model = train(examples, background).model
    for _ in range(3):
        began = time.process_time()
        model = train(examples, background).model
        seconds.append(time.process_time() - began)
        began = time.process_time()
        for page in pages:
            model.relevance(page.title, page.headings, page.excerpt)
        page_seconds.append((time.process_time() - began) / len(pages))
    size = len(model.to_bytes())
    beginnings = np.mean([len(page.excerpt) for page in pages])
    return (
        f"training {min(seconds):.2f} s; {1000 * min(page_seconds):.3f} ms for a beginning of {beginnings:.0f}"
        f" characters; model {size / 1000:.0f} KB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--answers", type=int, default=10)
    given = parser.parse_args()
    labelled = LabelledPages.read(given.store)
    print(f"{len(labelled.pages):,} pages of {len(np.unique(labelled.hosts))} hosts\n")
    print("| topic | share | F1 | macro-F1 | best threshold | all labels, best threshold | calibration error |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for topic in TOPICS:
        found = [of_examples(Draw(labelled, topic, seed)) for seed in range(given.draws)]
        rows.append(np.mean(found, 0))
        print(_row(topic, rows[-1]), flush=True)
    print(_row("mean", np.mean(rows, 0)))
    print(f"\n{costs(Draw(labelled, next(iter(TOPICS)), 0))}\n")
    print(f"| topic | F1 of three words | {given.answers} answers, chosen | {given.answers} answers, by lot |")
    print("| --- | --- | --- | --- |")
    curves = []
    for topic in TOPICS:
        each = []
        for seed in range(given.draws):
            draw = Draw(labelled, topic, seed)
            each.append([of_answers(draw, given.answers, is_chosen=kind, seed=seed) for kind in (True, False)])
        curves.append(np.mean(each, 0))
        by_choice, random = curves[-1]
        print(f"| {topic} | {by_choice[0]:.3f} | {by_choice[-1]:.3f} | {random[-1]:.3f} |", flush=True)
    by_choice, random = np.mean(curves, 0)
    print(f"| mean | {by_choice[0]:.3f} | {by_choice[-1]:.3f} | {random[-1]:.3f} |")


def _row(name: str, values: Floats) -> str:
    yes, macro, best, error, ceiling, share = values
    return f"| {name} | {share:.3f} | {yes:.2f} | {macro:.2f} | {best:.2f} | {ceiling:.2f} | {error:.3f} |"


if __name__ == "__main__":
    main()
