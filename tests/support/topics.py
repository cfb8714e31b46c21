"""Pages about gardening and about sailing, made at random, some hosts of each."""

from __future__ import annotations

import random
from pathlib import Path

from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_words import PageWordCounts, word_counts
from tests.support.stored_pages import Page, write_store

GARDEN = [
    *("compost", "seedling", "pruning", "mulch", "greenhouse", "perennial"),
    *("trellis", "watering", "soil", "harvest", "weeds", "tomato"),
]
SEA = [
    *("mainsail", "rudder", "harbour", "anchor", "keel", "windward"),
    *("regatta", "buoy", "tiller", "spinnaker", "tide", "skipper"),
]
COMMON = [
    *("about", "people", "time", "work", "small", "large", "year", "place", "often"),
    *("many", "other", "this", "that", "with", "from", "page", "site"),
]


def text_about(words: list[str], lot: random.Random, length: int = 80) -> str:
    return " ".join(lot.choice(words if lot.random() < 0.3 else COMMON) for _ in range(length))


def page_about(words: list[str], lot: random.Random) -> PageWordCounts:
    return word_counts(" ".join(lot.choices(words, k=2)), [lot.choice(words)], text_about(words, lot))


def examples(about: int = 10, other: int = 10, *, hosts: int = 5, seed: int = 1) -> list[Example]:
    """Of gardening as the topic, of sailing as not."""
    lot = random.Random(seed)
    return [
        *(
            Example(
                page_about(GARDEN, lot), True, f"http://garden{i % hosts}.test", f"http://garden{i % hosts}.test/{i}"
            )
            for i in range(about)
        ),
        *(
            Example(page_about(SEA, lot), False, f"http://sea{i % hosts}.test", f"http://sea{i % hosts}.test/{i}")
            for i in range(other)
        ),
    ]


def background(pages: int = 100, *, share: float = 0.1, seed: int = 2) -> Background:
    lot = random.Random(seed)
    kinds = [lot.random() < share for _ in range(pages)]
    return Background(
        [page_about(GARDEN if kind else SEA, lot) for kind in kinds],
        [f"http://{'green' if kind else 'blue'}{i % 7}.test" for i, kind in enumerate(kinds)],
    )


STORED_HOSTS = tuple(f"http://{kind}{number}.test" for kind in ("garden", "sea") for number in range(6))


def url(number: int) -> str:
    """Of a page of `topic_store`: those of the first six hosts are about gardening."""
    return f"{STORED_HOSTS[number % 12]}/{number}"


def topic_store(path: Path) -> Path:
    """A store of 120 pages, ten of each host."""
    lot = random.Random(5)
    found = []
    for number in range(120):
        words = GARDEN if number % 12 < 6 else SEA
        title = " ".join(lot.choices(words, k=3))
        found.append(Page(text=text_about(words, lot), title=title, host=number % 12))
    return write_store(path, found, STORED_HOSTS)
