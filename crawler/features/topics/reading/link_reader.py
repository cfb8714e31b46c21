"""Turns links into hashed features: the words of URL and anchor, and the words and elements around the link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.page_words import FIELD_BITS, buckets_of, words_of_each
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.reading.page_reading import LIKENESSES, LINKS_A_PAGE, PageReading
from hinterland.crawler.features.topics.reading.surroundings import surroundings

FEATURES: Final = 1 << 16
"""The number of buckets to which features are hashed."""
_MAX_REMEMBERED: Final = 50_000
_MAX_COUNTED: Final = 500_000
_MAX_CHARACTERS: Final = 200
_MAX_WORDS: Final = 16
_MOST_LIKENESS: Final = 10.0
_SUFFIX: Final = 3
_TEXTS: Final = 4
"""The number of texts of a link: its URL after the host, its host, its anchor, its surroundings."""
_LIKENESS_OF: Final = np.array([0, 0, 1, 2])
"""The index in LIKENESSES of each of these texts."""
_PARTS: Final = _TEXTS + 3
"""The number of parts of a link: its texts, its whole path, the end of the path, and the path's element names alone."""
_SALTS: Final = np.array([0x9E37, 0x79B9, 0x6C07, 0x3C6F, 0xA54F, 0xA54F, 0xA54F])
"""A salt for each part, so that a word in a URL and the same word in an anchor are different features."""


class LinkReader:
    """Reads links. Mutable: it counts how often each link was read, since menus recur on every page of a site."""

    def __init__(self, model: TopicModel | None) -> None:
        """Read for a topic; without a model all likenesses are 0."""
        self._weights = self._squares = np.zeros(FEATURES)
        if model is not None:
            rarity = model.rarity[:FEATURES].astype(np.float64)
            self._weights, self._squares = model.weights[:FEATURES] * rarity, rarity * rarity
        self._paths = _Paths()
        self._read: dict[str, int] = {}  # by URL: how often it was read

    def read(
        self, relevance: float, urls: Iterable[str], anchors: Sequence[str], paths: Sequence[str], text: bytes
    ) -> PageReading:
        """Return the reading of a page and its links; `text` is the text of the page.

        A URL that this reader has already read in LINKS_A_PAGE links gets no more features. Policies keep no more links
        to one page, and most links are in menus, which recur on every page.
        """
        sizes = np.zeros(len(anchors), np.uint8)
        likenesses = np.zeros((len(anchors), len(LIKENESSES)), np.float32)
        new = self._new(list(urls))
        if not new:
            return PageReading(relevance, sizes.tobytes(), b"", likenesses.tobytes())
        places = [place for place, _ in new]
        texts: list[str] = []
        for (place, url), words in zip(new, surroundings(text, anchors, places), strict=True):
            host, _, rest = url.partition("://")[2].partition("/")
            rest = rest[:_MAX_CHARACTERS].replace("_", " ").replace("%", " ")
            texts += rest, host[:_MAX_CHARACTERS], anchors[place][:_MAX_CHARACTERS], words
        links, parts, buckets = _distinct(texts, [self._paths[paths[place]] for place in places])
        sizes[places] = np.bincount(links, minlength=len(new))
        likenesses[places] = self._likenesses(links, parts, buckets)
        features = (buckets * 0x85EB ^ _SALTS[parts]).astype(np.uint16)
        return PageReading(relevance, sizes.tobytes(), features.tobytes(), likenesses.tobytes())

    def _new(self, urls: Sequence[str]) -> list[tuple[int, str]]:
        """Return the indices and URLs of the links that are worth reading."""
        if len(self._read) >= _MAX_COUNTED:
            self._read.clear()
        counts = map(self._read.get, urls, repeat(0))
        new = [(place, urls[place]) for place, count in enumerate(counts) if count < LINKS_A_PAGE]
        for _, url in new:
            self._read[url] = self._read.get(url, 0) + 1
        return new

    def _likenesses(self, links: NDArray[Any], parts: NDArray[Any], buckets: NDArray[Any]) -> NDArray[np.float64]:
        """Return what the words of each part of a link would add to a page's log-odds, shape (k, len(LIKENESSES))."""
        is_word = parts < _TEXTS
        count = len(LIKENESSES) * (int(links[-1]) + 1)
        texts, words = (len(LIKENESSES) * links + _LIKENESS_OF.take(parts, mode="clip"))[is_word], buckets[is_word]
        lengths = np.sqrt(np.bincount(texts, self._squares[words], count))
        sums = np.bincount(texts, self._weights[words], count)
        found: NDArray[np.float64] = np.clip(sums / np.maximum(lengths, 1e-9), -_MOST_LIKENESS, _MOST_LIKENESS)
        return found.reshape(-1, len(LIKENESSES))


def _distinct(
    texts: Sequence[str], paths: Sequence[tuple[int, int, int]]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the distinct words and paths of links as three arrays: the link's index, the part, and the hash."""
    words = [text[:_MAX_WORDS] for text in words_of_each(texts)]
    numbers = np.arange(len(texts))
    of_texts = np.repeat(numbers // _TEXTS * _PARTS + numbers % _TEXTS, list(map(len, words)))
    buckets = np.array(buckets_of(chain.from_iterable(words)), np.int64)
    of_paths = np.arange(len(paths))[:, None] * _PARTS + np.arange(_TEXTS, _PARTS)
    is_word = buckets >= 0
    found = np.concatenate(
        ((of_texts[is_word] << FIELD_BITS) + buckets[is_word], ((of_paths << FIELD_BITS) + np.array(paths)).ravel())
    )
    found.sort()
    found = found[
        np.flatnonzero(np.diff(found, append=-1))
    ]  # np.unique would import much more while the first page waits
    links, parts = np.divmod(found >> FIELD_BITS, _PARTS)
    return links, parts, found & FEATURES - 1


class _Paths(dict[str, tuple[int, int, int]]):
    """A cache of three hashes for each path of elements: of the whole path, of its end, and of its element names alone.

    The cache is emptied when it is full.
    """

    def __missing__(self, path: str) -> tuple[int, int, int]:
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        steps = path.split("/")
        names = "/".join(step.partition(".")[0].partition("#")[0] for step in steps)
        found = self[path] = _hashed(path), _hashed(">" + "/".join(steps[-_SUFFIX:])), _hashed("<" + names)
        return found


def _hashed(text: str) -> int:
    return crc32(text.encode("utf-8", "replace")) & FEATURES - 1
