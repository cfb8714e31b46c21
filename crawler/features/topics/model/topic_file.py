"""Converts a topic to and from one file: its words, its examples, a random sample of pages, and the model."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.array_file import ArrayKind, DamagedFile, from_npz, to_npz
from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_words import BUCKETS, PageWordCounts
from hinterland.crawler.features.topics.model.topic_model import TopicModel

SUFFIX: Final = ".topic"
MOST_PAGES: Final = 50_000
MOST_WORDS: Final = 20_000_000
MOST_BYTES: Final = 200_000_000
"""The largest topic file that is read."""
_MOST_META: Final = 20_000_000
_NAME: Final = re.compile(r"[\w][\w.-]{0,99}")
_NOBODY_KNOWS: Final = -1

_KINDS: Final = {
    "page_labels": ArrayKind("<i1", most=MOST_PAGES),
    "page_words": ArrayKind("<i4", most=MOST_PAGES),
    "page_text_words": ArrayKind("<i4", most=MOST_PAGES),
    "word_buckets": ArrayKind("<i4", most=MOST_WORDS),
    "word_counts": ArrayKind("<u2", most=MOST_WORDS),
    "meta": ArrayKind("|u1", most=_MOST_META),
}


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """A topic.

    `words` is the query by which it was described, or "". `background` is kept so that the topic can be trained further
    without a store.
    """

    name: str
    words: str
    examples: Sequence[Example]
    background: Background
    model: TopicModel


def is_name(text: str) -> bool:
    """Return whether a topic can have this name: letters, digits, _ . and -, which all file systems allow."""
    return _NAME.fullmatch(text) is not None


def to_bytes(topic: Topic) -> bytes:
    """Return a topic as an npz file, from which `TopicModel.from_bytes` can read the model."""
    pages = [*(example.page for example in topic.examples), *topic.background.pages]
    labels = [*(int(example.is_about) for example in topic.examples), *(_NOBODY_KNOWS for _ in topic.background.pages)]
    meta = {
        "name": topic.name,
        "words": topic.words,
        "hosts": [*(example.host for example in topic.examples), *topic.background.hosts],
        "addresses": [example.address for example in topic.examples],
        "given": [example.is_given for example in topic.examples],
    }
    counts = np.concatenate([page.counts for page in pages]) if pages else np.empty(0)
    buckets = np.concatenate([page.buckets for page in pages]) if pages else np.empty(0)
    return to_npz(
        {
            **topic.model.arrays(),
            "page_labels": np.array(labels, "<i1"),
            "page_words": np.array([len(page.buckets) for page in pages], "<i4"),
            "page_text_words": np.array([page.text_words for page in pages], "<i4"),
            "word_buckets": buckets.astype("<i4"),
            "word_counts": np.minimum(counts, 65_535).astype("<u2"),
            "meta": np.frombuffer(json.dumps(meta, ensure_ascii=False).encode(), "|u1"),
        }
    )


def from_bytes(data: bytes) -> Topic:
    """Return the topic in a file. Raises DamagedFile."""
    model = TopicModel.from_bytes(data)
    arrays = from_npz(data, _KINDS)
    meta = _meta(arrays["meta"])
    labels = arrays["page_labels"].tolist()
    about = [label for label in labels if label != _NOBODY_KNOWS]
    hosts, addresses, given = meta["hosts"], meta["addresses"], meta["given"]
    if len(hosts) != len(labels) or not len(addresses) == len(given) == len(about) or about != labels[: len(about)]:
        raise DamagedFile("its examples and their hosts, addresses and labels differ in number")
    pages = _pages(arrays)
    if len(pages) != len(labels):
        raise DamagedFile("its pages and their labels differ in number")
    examples = [
        Example(page, bool(label), str(host), str(address), bool(is_given))
        for page, label, host, address, is_given in zip(pages, about, hosts, addresses, given, strict=False)
    ]
    background = Background(pages[len(about) :], [str(host) for host in hosts[len(about) :]])
    return Topic(str(meta["name"]), str(meta["words"]), examples, background, model)


def _meta(content: NDArray[np.uint8]) -> dict[str, Any]:
    try:
        meta = json.loads(content.tobytes())
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"its metadata is not JSON: {error}") from error
    lists, texts = ("hosts", "addresses", "given"), ("name", "words")
    if not isinstance(meta, dict) or not all(isinstance(meta.get(each), list) for each in lists):
        raise DamagedFile("its metadata lacks the examples")
    if not all(isinstance(meta.get(each), str) for each in texts) or not is_name(meta["name"]):
        raise DamagedFile("its metadata lacks a name")
    return meta


def _pages(arrays: dict[str, NDArray[Any]]) -> list[PageWordCounts]:
    lengths, text_words = arrays["page_words"], arrays["page_text_words"]
    buckets, counts = arrays["word_buckets"], arrays["word_counts"]
    if (lengths < 0).any() or lengths.sum() != len(buckets) or len(buckets) != len(counts):
        raise DamagedFile("the lengths of its rows do not add up")
    if len(text_words) != len(lengths) or (text_words < 0).any() or (text_words > lengths).any():
        raise DamagedFile("some of its pages have an impossible number of words in their text")
    if len(buckets) and (buckets.min() < 0 or buckets.max() >= BUCKETS or not counts.all()):
        raise DamagedFile("its rows have impossible words")
    ends = np.cumsum(lengths)[:-1]
    parts = zip(np.split(buckets, ends), np.split(counts, ends), text_words.tolist(), strict=True)
    return (
        [PageWordCounts(each, count.astype(np.float32), words) for each, count, words in parts] if len(lengths) else []
    )
