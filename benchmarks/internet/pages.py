"""The pages of the small web in a box: words, links inside each host and links to other hosts. Pure.

The pages of a host are numbered, and 0 is its root. Page n links to the pages BRANCHES * n + 1 to
BRANCHES * n + BRANCHES of its host, to an earlier one, and to the roots of some other hosts; so everything can be
reached from the root. A host with `Host.pages` has the numbers below that; other hosts have no end.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final

from benchmarks.internet.web_chance import draw, page_bytes
from benchmarks.internet.web_robots import PRIVATE, robots_of
from benchmarks.internet.world import World

BRANCHES: Final = 4
_ABROAD: Final = 2
"""Links to other hosts on each page."""
_TEXT_BYTES: Final = 1 << 20
_SYLLABLES: Final = (
    *("ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we"),
    *("xi", "yo", "zu", "cha", "sto", "tre", "gla", "pli", "nor", "est", "ing", "and"),
)
_LINK_DRAW, _TEXT_DRAW = 201, 202


def path_of(page: int) -> str:
    """Return the path of the page with this number."""
    return f"/{_SYLLABLES[page % 7]}/{page}.html" if page else "/"


def number_of(path: str) -> int | None:
    """Return the number of the page at a path; None if there is none."""
    if path == "/":
        return 0
    folder, _, name = path[1:].partition("/")
    digits = name.removesuffix(".html")
    if not (name.endswith(".html") and digits.isascii() and digits.isdigit()):
        return None
    number = int(digits)
    return number if number and _SYLLABLES[number % 7] == folder and path_of(number) == path else None


def children_of(page: int, pages: int) -> range:
    """Return the numbers of the pages that a page links to first; a host with 0 pages is endless."""
    first, last = BRANCHES * page + 1, BRANCHES * page + BRANCHES + 1
    return range(min(first, pages), min(last, pages)) if pages else range(first, last)


@cache
def text_of(seed: int) -> bytes:
    """Return a megabyte of words of no language, from which every page takes an extract."""
    generator = random.Random(seed)
    vocabulary = ["".join(generator.choices(_SYLLABLES, k=generator.randint(1, 4))) for _ in range(30_000)]
    words: list[str] = []
    size = 0
    while size < _TEXT_BYTES:
        sentence = " ".join(generator.choices(vocabulary, k=generator.randint(6, 18))).capitalize() + ".\n"
        words.append(sentence)
        size += len(sentence)
    return "".join(words).encode()


class SmallWeb:
    """The pages of all hosts of a world."""

    def __init__(self, world: World, urls: Sequence[str]) -> None:
        """Start with the roots of all hosts, in their order, as links write them."""
        self._seed = world.seed
        self._hosts = world.hosts
        self._urls = urls
        self._text = text_of(world.seed)
        robots = (robots_of(world.seed, index) for index in range(len(world.hosts)))
        self._is_forbidding = [each is not None and each.forbids for each in robots]

    def page(self, index: int, path: str) -> bytes | None:
        """Return the page of a host at a path; None if there is none."""
        host = self._hosts[index]
        number = number_of(path)
        if number is None or (host.pages and number >= host.pages):
            return None
        own = self.own_links(index, number)
        if self._is_forbidding[index]:
            own.append(f"{PRIVATE}{number}.html")
        links = [f'<li><a href="{each}">{each[1:] or "first page"}</a>' for each in own]
        head = f"<!doctype html><title>Page {number} of {host.name}</title><h1>{host.name}: {number}</h1><ul>"
        body = head + "\n".join(links)
        neighbours = (url.encode() for url in self.links_abroad(index, number))
        abroad = b"".join(b'<li><a href="%s">a neighbour</a>' % url for url in neighbours)
        return b"%s%s</ul><p>%s</p>\n" % (body.encode(), abroad, self._words(index, number, len(body)))

    def own_links(self, index: int, number: int) -> list[str]:
        """Return the paths on its own host that a page links to, without forbidden ones."""
        children = [path_of(child) for child in children_of(number, self._hosts[index].pages)]
        return [*children, path_of(int(number * draw(self._seed, _LINK_DRAW, index, number)))] if number else children

    def links_abroad(self, index: int, number: int) -> list[str]:
        """Return the roots of other hosts that a page links to, as links write them."""
        places = (int(len(self._urls) * draw(self._seed, _LINK_DRAW, index, number, n)) for n in range(_ABROAD))
        return [self._urls[place] for place in places if place != index]

    def _words(self, index: int, number: int, taken: int) -> bytes:
        size = max(page_bytes(self._seed, index, self._hosts[index], number) - taken, 100)
        begin = int(len(self._text) * draw(self._seed, _TEXT_DRAW, index, number))
        words = self._text[begin : begin + size]
        while len(words) < size:
            words += self._text[: size - len(words)]
        return words
