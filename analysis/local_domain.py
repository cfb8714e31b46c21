"""Subsets of a stored graph that a crawl may treat as its local domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray, OffsetArray
from hinterland.analysis.pagerank import pagerank
from hinterland.analysis.stored_graph import NameKind, StoredGraph, UnusableGraph

TRUTH_TOLERANCE = 1e-12
"""Bound of the L1 error of the PageRank that estimates are measured against."""


@dataclass(frozen=True, eq=False, slots=True)
class LocalDomain:
    """A local domain of n pages in a completely known graph of N pages.

    `is_local` and `hosts` have shape (N,); `truth` is the PageRank of the whole graph, shape (N,).
    """

    name: str
    graph: Graph
    is_local: BoolArray
    hosts: IntArray
    truth: FloatArray

    @property
    def page_count(self) -> int:
        """n, the number of local pages."""
        return int(self.is_local.sum())


def true_ranks(graph: Graph) -> FloatArray:
    """Return the PageRank of the whole graph, shape (N,), with an L1 error of at most TRUTH_TOLERANCE."""
    return pagerank(graph, tolerance=TRUTH_TOLERANCE)


# ---------------------------------------------------------------- groups of pages


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """A partition of the pages into named groups.

    `numbers` is the number of each page's group, shape (N,); -1 for a page that belongs to no group. `names` holds the
    name of each group.
    """

    kind: str
    numbers: IntArray
    names: Sequence[str]


def host_of(url: str) -> str:
    """Return host and port of a URL. If a text has no scheme, return its part before the first slash."""
    rest = url.partition("://")[2] or url
    return rest.partition("/")[0].partition("?")[0].lower()


def url_hosts_of(stored: StoredGraph) -> Groups | None:
    """Return the hosts in the URLs of a graph's pages; None if its pages have no URLs."""
    if stored.names is None or stored.name_kind is not NameKind.URL:
        return None
    return _numbered("host", [host_of(name) for name in stored.names])


def groups_of(stored: StoredGraph) -> Groups:
    """Return the possible local domains of a graph: groups by label, by host, by the ending of site names, or by block.

    A page with several labels belongs to the group of its first label. If all labels begin with the same dotted parts,
    these are skipped, and the next part is the group: "subject.History.Rome;subject.People" is in History.
    """
    if stored.labels is not None:
        return _numbered("label", _first_labels(stored.labels))
    if (hosts := url_hosts_of(stored)) is not None:
        return hosts
    if stored.names is not None:
        return _numbered("ending", [f".{name.partition('/')[0].rpartition('.')[2].lower()}" for name in stored.names])
    if stored.blocks is not None:
        numbers, places = np.unique(stored.blocks, return_inverse=True)
        groups = places.reshape(-1).astype(np.int32)
        if len(numbers) and numbers[0] < 0:
            groups[stored.blocks < 0] = -1
            groups[stored.blocks >= 0] -= 1
            numbers = numbers[1:]
        return Groups("block", groups, [f"block {number}" for number in numbers.tolist()])
    return Groups("none", np.full(stored.graph.page_count, -1, np.int32), [])


def hosts_of(stored: StoredGraph) -> IntArray:
    """Return the number of each page's host, shape (N,), or of its group if pages have no hosts; see groups_of.

    If the graph has only blocks, successive pages of the same block, or of no block, count as one host.
    """
    if (hosts := url_hosts_of(stored)) is not None:
        return hosts.numbers
    if stored.labels is None and stored.names is None and stored.blocks is not None:
        is_new = np.ones(len(stored.blocks), np.int32)
        is_new[1:] = stored.blocks[1:] != stored.blocks[:-1]
        return (np.cumsum(is_new) - 1).astype(np.int32)
    groups = groups_of(stored)
    numbers = groups.numbers.copy()
    numbers[numbers < 0] = len(groups.names)
    return numbers


def _first_labels(labels: Sequence[str]) -> list[str]:
    parts = [label.partition(";")[0].split(".") for label in labels]
    given = [part for part in parts if part != [""]]
    shared = 0
    while given and all(len(part) > shared + 1 and part[shared] == given[0][shared] for part in given):
        shared += 1
    return [part[shared] if len(part) > shared else "" for part in parts]


def _numbered(kind: str, names: Sequence[str]) -> Groups:
    """Assign numbers to the names; pages with an empty name belong to no group."""
    numbers: dict[str, int] = {}
    groups = np.fromiter((numbers.setdefault(name, len(numbers)) if name else -1 for name in names), np.int32)
    return Groups(kind, groups, list(numbers))


# ---------------------------------------------------------------- one domain, by name


def pages_of(stored: StoredGraph, wanted: str | None) -> BoolArray:
    """Return which pages `wanted` selects, shape (N,).

    `wanted` is a host, a suffix of hosts (".ca", "ca.gov"), a URL prefix, a label or the number of a block. None
    selects the pages that are local in the store. Raises UnusableGraph if no page is selected.
    """
    if wanted is None:
        if stored.is_local is None:
            raise UnusableGraph(
                f"{stored.name} does not say which pages are local: choose them with --local; {_offer(stored)}"
            )
        return stored.is_local
    for mask in _readings(stored, wanted):
        if mask.any():
            return mask
    raise UnusableGraph(f"no page of {stored.name} matches {wanted!r}: {_offer(stored, wanted)}")


def _readings(stored: StoredGraph, wanted: str) -> Iterator[BoolArray]:
    """Yield the pages that `wanted` may mean, shape (N,) each, the most exact meaning first."""
    groups = groups_of(stored)
    number = wanted.removeprefix("block ")
    if stored.blocks is not None and number.isdecimal():
        yield stored.blocks == int(number)
    for name in (wanted, wanted.lower()):
        if name in groups.names:
            yield groups.numbers == groups.names.index(name)
    if stored.labels is not None:
        yield _mask(stored.labels, lambda labels: wanted in labels.split(";"))
        yield _mask(stored.labels, lambda labels: any(wanted in each.split(".") for each in labels.split(";")))
    if stored.names is not None:
        if "://" in wanted:
            yield _mask(stored.names, lambda name: name.startswith(wanted))
        suffix = wanted.lower().strip(".")
        yield _mask(stored.names, lambda name: f".{host_of(name).partition(':')[0]}".endswith(f".{suffix}"))


def _mask(names: Sequence[str], is_meant: Callable[[str], bool]) -> BoolArray:
    return np.fromiter((is_meant(name) for name in names), np.bool_, len(names))


def _offer(stored: StoredGraph, wanted: str = "") -> str:
    """Return the end of a message: names similar to `wanted` or, if there are none, the names of the largest groups."""
    groups = groups_of(stored)
    if not groups.names:
        return "it has no names, labels or blocks to choose from"
    near = get_close_matches(wanted.lower(), groups.names, n=5, cutoff=0.6)
    if near:
        return f"similar {groups.kind}s are {', '.join(near)}"
    sizes = np.bincount(groups.numbers[groups.numbers >= 0], minlength=len(groups.names))
    largest = [groups.names[group] for group in np.argsort(-sizes, kind="stable")[:5].tolist()]
    return f"its largest {groups.kind}s are {', '.join(largest)}"


# ---------------------------------------------------------------- all domains worth an experiment


@dataclass(frozen=True, slots=True)
class DomainRule:
    """A rule that selects the groups of a graph on which an experiment is worthwhile.

    Such a group offers pages to choose from, and an error to correct. It needs at least `min_pages` pages, which link
    to at least `min_frontier` distinct external pages; blocks, which are many, need `min_block_pages` and
    `min_block_frontier`. The L1 distance between the PageRank of the domain alone and the truth must be at least
    `min_l1`. The number of reachable external pages must be at least `min_reach` times the number of its own pages. All
    hosts are examined, but only the `largest_blocks` largest blocks, and the `largest_groups` largest groups of other
    kinds.
    """

    min_pages: int = 90
    min_frontier: int = 20
    min_block_pages: int = 1000
    min_block_frontier: int = 100
    min_l1: float = 0.02
    min_reach: float = 2.0
    largest_groups: int = 6
    largest_blocks: int = 40


@dataclass(frozen=True, eq=False, slots=True)
class DescribedDomain:
    """A local domain, together with the values by which a DomainRule judges it."""

    domain: LocalDomain
    frontier: int
    reachable: int
    l1_alone: float


def suitable_domains(stored: StoredGraph, rule: DomainRule) -> Iterator[DescribedDomain]:
    """Yield the local domains of a graph that satisfy the rule: hosts in stored order, other groups largest first."""
    groups, hosts = groups_of(stored), hosts_of(stored)
    sizes = np.bincount(groups.numbers[groups.numbers >= 0], minlength=len(groups.names))
    chosen = range(len(groups.names))
    if groups.kind != "host":
        limit = rule.largest_blocks if groups.kind == "block" else rule.largest_groups
        chosen = np.argsort(-sizes, kind="stable")[:limit].tolist()
    is_block = groups.kind == "block"
    least = rule.min_block_pages if is_block else rule.min_pages
    least_frontier = rule.min_block_frontier if is_block else rule.min_frontier
    truth: FloatArray | None = None
    for group in chosen:
        if sizes[group] < least:
            continue
        is_local = groups.numbers == group
        if frontier_size(stored.graph, is_local) < least_frontier:
            continue
        truth = true_ranks(stored.graph) if truth is None else truth
        domain = LocalDomain(f"{stored.name} {groups.names[group]}", stored.graph, is_local, hosts, truth)
        candidate = described(domain)
        if candidate.l1_alone >= rule.min_l1 and candidate.reachable >= rule.min_reach * sizes[group]:
            yield candidate


def described(domain: LocalDomain) -> DescribedDomain:
    """Return the domain, together with the values by which a DomainRule judges it."""
    local = np.flatnonzero(domain.is_local).astype(np.int32)
    alone = pagerank(domain.graph.among(local))
    truth = domain.truth[local] / domain.truth[local].sum()
    reachable = len(domain.graph.reachable_from(local)) - len(local)
    l1 = float(np.abs(alone - truth).sum())
    return DescribedDomain(domain, frontier_size(domain.graph, domain.is_local), reachable, l1)


def frontier_size(graph: Graph, is_local: BoolArray) -> int:
    """Return how many distinct external pages a domain links to."""
    is_known = np.zeros(graph.page_count, np.bool_)
    is_known[graph.targets[is_local[graph.sources]]] = True
    return int((is_known & ~is_local).sum())


# ---------------------------------------------------------------- where a crawl of a domain begins


def covering_seeds(graph: Graph, pages: IntArray) -> IntArray:
    """Return the pages of `pages`, shape (n,), that no earlier page of `pages` reaches by links among `pages`."""
    inner = graph.among(pages)
    covering: IntArray = pages[_first_of_reach(inner.offsets, inner.targets)]
    return covering


@compiled
def _first_of_reach(offsets: OffsetArray, targets: IntArray) -> BoolArray:
    n = len(offsets) - 1
    is_seed = np.zeros(n, np.bool_)
    is_reached = np.zeros(n, np.bool_)
    stack = np.empty(n, np.int32)
    for page in range(n):
        if is_reached[page]:
            continue
        is_seed[page] = is_reached[page] = True
        stack[0] = page
        height = 1
        while height:
            height -= 1
            here = stack[height]
            for link in range(offsets[here], offsets[here + 1]):
                target = targets[link]
                if not is_reached[target]:
                    is_reached[target] = True
                    stack[height] = target
                    height += 1
    return is_seed
