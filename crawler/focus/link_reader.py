"""Links as rows of hashed features: the words of URL and anchor, those around it, and the elements it stands in."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from math import sqrt
from typing import Final
from zlib import crc32

from crawler.focus.readings import LIKENESSES, LINKS_A_PAGE, PageReading
from crawler.focus.surroundings import surroundings
from crawler.topics.page_words import bucket_of, words_of
from crawler.topics.topic_model import TopicModel

FEATURES: Final = 1 << 16
"""Features are hashed to as many numbers."""
_MAX_REMEMBERED: Final = 50_000
_MAX_COUNTED: Final = 500_000
_MAX_CHARACTERS: Final = 200
_MAX_WORDS: Final = 16
_MOST_LIKENESS: Final = 10.0
_SUFFIX: Final = 3
_SALTS: Final = {"url": 0x9E37, "host": 0x79B9, "anchor": 0x6C07, "surroundings": 0x3C6F, "path": 0xA54F}
"""One for each kind of feature: the same word in a URL and in an anchor is not the same."""

Part = tuple[bytes, float]
"""The features of a part of a link, uint16 each, and how its words speak for the topic."""


class LinkReader:
    """Mutable: remembers parts of links, since those of menus come back on every page of a site."""

    def __init__(self, model: TopicModel | None) -> None:
        self._weights = self._squares = [0.0] * FEATURES
        if model is not None:
            weights, rarity = model.weights[:FEATURES], model.rarity[:FEATURES]
            self._weights, self._squares = (weights * rarity).tolist(), (rarity * rarity).tolist()
        self._urls = _Memory(self._url)
        self._anchors = _Memory(self._anchor)
        self._surroundings = _Memory(self._around)
        self._paths = _Memory(_path)
        self._read: dict[str, int] = {}  # by URL: how often it was

    def read(
        self, relevance: float, urls: Iterable[str], anchors: Sequence[str], paths: Sequence[str], text: bytes
    ) -> PageReading:
        """Of a page and its links; text: the page's. A link that this reader has read LINKS_A_PAGE times is left out,
        without a feature: nobody keeps more of one page, and most links of a page are those of its menus."""
        new = self._new(list(urls))
        features, sizes = bytearray(), bytearray(len(anchors))
        likenesses = array("f", bytes(4 * len(LIKENESSES) * len(anchors)))
        around = surroundings(text, anchors, [place for place, _ in new])
        for (place, url), words in zip(new, around, strict=True):
            url_row, url_like = self._urls[url]
            anchor_row, anchor_like = self._anchors[anchors[place]]
            around_row, around_like = self._surroundings[words]
            row = b"".join((url_row, anchor_row, around_row, self._paths[paths[place]][0]))
            features += row
            sizes[place] = len(row) // 2
            first = len(LIKENESSES) * place
            likenesses[first : first + len(LIKENESSES)] = array("f", (url_like, anchor_like, around_like))
        return PageReading(relevance, bytes(sizes), bytes(features), likenesses.tobytes())

    def _new(self, urls: Sequence[str]) -> list[tuple[int, str]]:
        """The places and URLs of the links that are worth reading."""
        if len(self._read) >= _MAX_COUNTED:
            self._read.clear()
        counts = map(self._read.get, urls, repeat(0))
        new = [(place, urls[place]) for place, count in enumerate(counts) if count < LINKS_A_PAGE]
        for _, url in new:
            self._read[url] = self._read.get(url, 0) + 1
        return new

    def _url(self, url: str) -> Part:
        """The words of its path and query, and those of its host."""
        host, _, rest = url.partition("://")[2].partition("/")
        words = _buckets(rest.replace("_", " ").replace("%", " "))
        hosts = _buckets(host)
        return _hashed(words, "url") + _hashed(hosts, "host"), self._likeness(words + hosts)

    def _anchor(self, anchor: str) -> Part:
        words = _buckets(anchor)
        return _hashed(words, "anchor"), self._likeness(words)

    def _around(self, text: str) -> Part:
        words = _buckets(text)
        return _hashed(words, "surroundings"), self._likeness(words)

    def _likeness(self, words: Sequence[int]) -> float:
        """What a text of these words would add to the log-odds."""
        square = sum(map(self._squares.__getitem__, words))
        if square <= 0:
            return 0.0
        likeness = sum(map(self._weights.__getitem__, words)) / sqrt(square)
        return min(max(likeness, -_MOST_LIKENESS), _MOST_LIKENESS)


class _Memory(dict[str, Part]):
    """Bounded: it is emptied when it is full."""

    def __init__(self, made: Callable[[str], Part]) -> None:
        super().__init__()
        self._made = made

    def __missing__(self, key: str) -> Part:
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        part = self[key] = self._made(key)
        return part


def _buckets(text: str) -> list[int]:
    """The distinct words of a text, hashed."""
    found = dict.fromkeys(map(bucket_of, words_of(text, _MAX_CHARACTERS)))
    found.pop(-1, None)
    return list(found)[:_MAX_WORDS]


def _hashed(words: Sequence[int], kind: str) -> bytes:
    salt = _SALTS[kind]
    return array("H", [(word * 0x85EB ^ salt) & FEATURES - 1 for word in words]).tobytes()


def _path(path: str) -> Part:
    """A path of elements as a whole, its end, and as names of elements alone."""
    steps = path.split("/")
    names = "/".join(step.partition(".")[0].partition("#")[0] for step in steps)
    parts = (path, ">" + "/".join(steps[-_SUFFIX:]), "<" + names)
    return _hashed([crc32(part.encode("utf-8", "replace")) & FEATURES - 1 for part in parts], "path"), 0.0
