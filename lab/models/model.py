"""The base of the models of the web graph. Each model is a value with parameters, from which graphs are drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from hinterland.analysis.graph import Graph, IntArray


class UnusableModel(Exception):
    """Raised if a parameter is out of range. The message names the parameter, its value, and what is expected."""


@dataclass(frozen=True, eq=False)
class DrawnGraph:
    """A graph drawn from a model: parallel arrays of links with repeats and self-links, shape (k,).

    If the model grows, pages are numbered by age. If the model crawls, the first `crawled` pages were crawled, in the
    order of their numbers, and the others are known only by links to them; for other models, `crawled` is None.
    `ended_early` tells whether the crawl ran out of pages before it should have ended.
    """

    sources: IntArray
    targets: IntArray
    page_count: int
    crawled: int | None = None
    ended_early: bool = False

    @cached_property
    def graph(self) -> Graph:
        """The graph without repeats and self-links."""
        return Graph.from_links(self.sources, self.targets, self.page_count)


@dataclass(frozen=True, slots=True)
class GraphModel(ABC):
    """A model of the web graph. Its fields are parameters; the constructor raises UnusableModel for a bad value."""

    @abstractmethod
    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a graph; the same seed, any whole number, gives the same graph. Takes linear time in pages and links."""


def require(is_fine: bool, name: str, value: object, expected: str) -> None:
    """Raise UnusableModel unless `is_fine`; the other arguments are for its message."""
    if not is_fine:
        raise UnusableModel(f"{name} is {value}; {expected}")


def require_pages(page_count: int) -> None:
    """Raise UnusableModel for a number of pages that a graph cannot have."""
    require(1 <= page_count < 2**31, "the number of pages", page_count, "a graph has 1 to 2147483647")


def require_links(links: int) -> None:
    """Raise UnusableModel for fewer than one link per page."""
    require(links >= 1, "links", links, "each page brings at least 1")


def require_share(name: str, value: float) -> None:
    """Raise UnusableModel for a value that is not a probability."""
    require(0 <= value <= 1, name, value, "a probability is from 0 to 1")
