"""What a model of the web graph is: a value with parameters, of which graphs can be drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from hinterland.analysis.graph import Graph, IntArray


class UnusableModel(Exception):
    """A parameter has no such value; the message names both, and what is expected."""


@dataclass(frozen=True, eq=False)
class DrawnGraph:
    """A graph as a model made it: parallel arrays of links with repeats and self-links, shape (k,). Pages of models
    that grow are numbered by age.

    crawled: if the model crawls, the first so many pages were crawled, in the order of their numbers, and the others
    are known by links only; otherwise None. ended_early: whether nothing was left to crawl before the crawl was to end.
    """

    sources: IntArray
    targets: IntArray
    page_count: int
    crawled: int | None = None
    ended_early: bool = False

    @cached_property
    def graph(self) -> Graph:
        """Without repeats and self-links."""
        return Graph.from_links(self.sources, self.targets, self.page_count)


@dataclass(frozen=True, slots=True)
class GraphModel(ABC):
    """The fields are the parameters; to make one raises UnusableModel for values that they cannot have."""

    @abstractmethod
    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """The same graph for the same seed, any whole number. Linear in pages and links."""


def require(is_fine: bool, name: str, value: object, expected: str) -> None:
    """Raises UnusableModel unless the parameter is fine."""
    if not is_fine:
        raise UnusableModel(f"{name} is {value}; {expected}")


def require_pages(page_count: int) -> None:
    require(1 <= page_count < 2**31, "the number of pages", page_count, "a graph has 1 to 2147483647")


def require_links(links: int) -> None:
    require(links >= 1, "links", links, "each page brings at least 1")


def require_share(name: str, value: float) -> None:
    require(0 <= value <= 1, name, value, "a probability is from 0 to 1")
