"""How well a topic is known by its examples alone, and the common words that it takes.

    python -m benchmarks.common_words STORE           # makes crawler/features/topics/model/common_words.py anew
    python -m benchmarks.common_words STORE --test    # ten examples alone, beside the same with a store

STORE: a crawl of the full farm with texts. --test: topics and draws as in `topic_classifier`, judged on half of the
hosts; common words are those of the other half then, of hosts that are not about the topic.
"""

from __future__ import annotations

import argparse
import zlib
from base64 import b85encode
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.topic_classifier import Draw, best_macro_f1
from benchmarks.topic_pages import OF_A_HOST, TOPICS, LabelledPages
from hinterland.crawler.features.topics.model import common_words
from hinterland.crawler.features.topics.model.calibration import calibration_error
from hinterland.crawler.features.topics.model.common_words import COUNT, CommonWords
from hinterland.crawler.features.topics.model.examples import Background
from hinterland.crawler.features.topics.model.one_class import one_class_model
from hinterland.crawler.features.topics.model.page_rows import HEAD_WEIGHT, matrix, rarity_of
from hinterland.crawler.features.topics.model.page_words import BUCKETS, WordCounts
from hinterland.crawler.features.topics.model.testing import f1, macro_f1
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training import STATED_PRIOR, train

_RARE: Final = 0.9
_A_LINE: Final = 110
_MARK: Final = "_WORDS: Final = ("


def common_of(pages: Sequence[WordCounts]) -> tuple[CommonWords, list[int]]:
    """Those of pages, and their buckets, ascending. All others have the rarity of a word that is rarer than nine of ten
    of those that occur."""
    rarity = rarity_of(pages)
    buckets = np.sort(np.argsort(rarity, kind="stable")[:COUNT])
    others = np.float32(np.float16(np.quantile(rarity[rarity < rarity.max()], _RARE)))
    kept = np.full(BUCKETS, others, np.float32)
    kept[buckets] = rarity[buckets]
    mean = np.asarray(matrix(pages, kept, HEAD_WEIGHT).mean(0)).ravel()
    mean_row = np.zeros(BUCKETS, np.float32)
    mean_row[buckets] = mean[buckets].astype(np.float16)
    return CommonWords(kept, mean_row), buckets.tolist()


def make(labelled: LabelledPages) -> None:
    common, buckets = common_of([page.words for page in labelled.pages])
    gaps = np.diff(buckets, prepend=0)
    data = gaps.astype("<u2").tobytes() + b"".join(
        values[buckets].astype("<f2").tobytes() for values in (common.rarity, common.mean_row)
    )
    packed = b85encode(zlib.compress(data, 9)).decode()
    lines = [f'    b"{packed[place : place + _A_LINE]}"' for place in range(0, len(packed), _A_LINE)]
    path = Path(common_words.__file__)
    head = path.read_text().partition(_MARK)[0]
    path.write_text("\n".join([head + _MARK, *lines, ")", ""]))
    rare = float(common.rarity.max())
    print(
        f"{len(labelled.pages):,} pages of {len(np.unique(labelled.hosts))} sites, up to {OF_A_HOST} of each and more"
        f" about some topics; {len(packed):,} characters; RARITY_OF_OTHERS: {rare:.4f}, the largest gap {gaps.max():,}"
    )


def tested(labelled: LabelledPages, topic: str, seed: int) -> list[tuple[float, ...]]:
    """Of ten examples alone, of one alone, and of ten with a store: F1, macro-F1, macro-F1 at the best threshold, and
    calibration error."""
    draw = Draw(labelled, topic, seed)
    examples = [each for each in draw.as_examples(draw.examples) if each.is_about]
    about = [f"//{host}" for host in TOPICS[topic]]
    others = [
        labelled.pages[place].words
        for place in np.flatnonzero(draw.known).tolist()
        if not str(labelled.hosts[place]).endswith(tuple(about))
    ]
    common, _ = common_of(others)
    background = draw.of(draw.background)
    drawn = Background([page.words for page in background], [page.host for page in background])
    models = [
        *(
            one_class_model([each.page for each in given], common, STATED_PRIOR)[0]
            for given in (examples, examples[:1])
        ),
        train(examples, drawn).model,
    ]
    return [_measures(draw, model) for model in models]


def _measures(draw: Draw, model: TopicModel) -> tuple[float, ...]:
    chances, truth = draw.chances(model), draw.is_about[draw.judged]
    return (
        f1(chances, truth),
        macro_f1(chances, truth),
        best_macro_f1(chances, truth),
        calibration_error(chances, truth),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--draws", type=int, default=2)
    given = parser.parse_args()
    labelled = LabelledPages.read(given.store)
    if not given.test:
        make(labelled)
        return
    print("| topic | learnt from | F1 | macro-F1 | at the best threshold | calibration error |")
    print("| --- | --- | --- | --- | --- | --- |")
    means = []
    for topic in TOPICS:
        means.append(np.mean([tested(labelled, topic, seed) for seed in range(given.draws)], 0))
        _tell(topic, means[-1])
    _tell("mean", np.mean(means, 0))


def _tell(topic: str, rows: np.ndarray) -> None:
    for what, row in zip(("ten examples", "one example", "ten examples, a store"), rows.tolist(), strict=True):
        print(f"| {topic} | {what} | " + " | ".join(f"{value:.3f}" for value in row) + " |", flush=True)


if __name__ == "__main__":
    main()
