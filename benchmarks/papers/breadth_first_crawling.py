"""Najork & Wiener, "Breadth-First Crawling Yields High-Quality Pages" (WWW 2001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.papers.paper import table
from hinterland.crawler.policies import make_policy
from hinterland.lab.crawl_quality import METRICS, SliceQuality, crawl_quality
from hinterland.lab.experiments.whole_crawl import crawl_order
from hinterland.library.graph_opening import open_graph

TITLE = "Breadth-First Crawling Yields High-Quality Pages (Najork & Wiener 2001)"
GRAPHS = ("uci-ics-2020", "cnr-2000")

_SLICES = 50
_SHOWN = (1, 2, 3, 5, 10, 20, 30, 40, 50)
_TOPS = (1, 10, 100, 1_000, 10_000, 100_000)
_SHARES = (0.25, 0.5, 0.75)
_SEED = 1
_OPENING: Final = f"""\
Mercator fetched breadth-first for weeks, many hosts at a time and each after a rest; in the place of its days there
are {_SLICES} slices of as many pages each. A store is measured in the order it was crawled in; of a graph the order is
that of the policy `bfs` on the live crawl's frontier under a virtual clock, from the page from which most others can
be reached. The copy of the paper at hand has lost its numerals and pictures, so it is its statements that are
compared. HITS is what it names as future work. `python3 run.py quality FILE` measures the same of any crawl."""
_AVERAGES: Final = """\
As theirs, the first slice is far above all others and the quality falls from there. Unlike theirs it does not fall
steadily by PageRank: there are late slices above the average (cnr-2000's 20th, 4.2 times). By links between hosts
alone they are gone, so they are sites whose pages endorse each other, which is how the paper explains its own
anomalies. That the curve of remote links falls the more sharply is seen here, too: to the average within two or three
slices, as the pages that other hosts link to are found early. That it begins higher holds for cnr-2000 only."""
_BEST: Final = """\
For uci-ics-2020 and the webfarm the slice rises steadily with N by PageRank, as theirs does. For cnr-2000 the best ten
pages come later than the best hundred: the anomaly that they tell of, and by the same cause, since by remote links the
best one comes first. On average the best 10,000 come in the first third of the crawl, but for uci's by PageRank."""
_OVERLAPS: Final = """\
They find much overlap, whatever N, and conclude that breadth-first crawling is fairly immune to self-endorsement. Here
it is smaller by PageRank (of the best 1,000 39 to 60 %), and larger by remote links (53 to 71 %), which says the
opposite: much of what changes late is what endorses itself."""
_AUTHORITIES: Final = """\
HITS on a whole graph is no measure of quality: nearly all authority is in a few slices, those of the one community
that is linked most densely (the tightly knit community effect), and a larger graph may have another one. Of cnr-2000
the best 1,000 known at a quarter of the crawl are 71 % those of the end, but half-way and at three quarters none."""
_SCORES = {"pagerank": "PageRank", "remote": "PageRank, remote links only", "authority": "HITS authority"}


@dataclass(frozen=True, slots=True)
class _Crawl:
    name: str
    fetched: int
    quality: dict[str, SliceQuality]


def section(sources: Sequence[Path]) -> Iterator[str]:
    """Yield the section as Markdown blocks."""
    crawls = [_measured(path) for path in sources]
    yield _OPENING
    yield "Mean score of the pages of a slice, where 1 is the average of all that were fetched:"
    yield _table("slice", _SHOWN, crawls, lambda quality, shown: _number(quality.averages[shown - 1]))
    yield _AVERAGES
    yield "The slice, from 1 to 50, in which the N best pages were fetched on average:"
    yield _table("N", _TOPS, crawls, lambda quality, top: _known(quality.mean_slices, top, "{:.1f}"))
    yield _BEST
    yield "How many of the N best are among the N best of what was known half-way, per cent:"
    yield _table("N", _TOPS, crawls, lambda quality, top: _known(quality.overlaps[0.5], top, "{:.0%}"))
    yield "The same of the 1,000 best, after a share of the crawl:"
    yield _table("share", _SHARES, crawls, lambda quality, share: _known(quality.overlaps[share], 1_000, "{:.0%}"))
    yield _OVERLAPS
    yield _AUTHORITIES


def _measured(path: Path) -> _Crawl:
    graph = open_graph(path, with_names=False)
    crawled = graph.crawled
    order = graph.visit_order
    if order is None:
        inner_hosts = crawled.hosts[crawled.crawled]
        order = crawled.crawled[crawl_order(crawled.inner, inner_hosts, make_policy("bfs", _SEED), _SEED)]
    quality = {
        metric: crawl_quality(crawled.links, crawled.hosts, order, metric, slices=_SLICES, shares=_SHARES)
        for metric in METRICS
    }
    return _Crawl(graph.name, len(order), quality)


def _table(
    head: str, columns: Sequence[float], crawls: Sequence[_Crawl], cell: Callable[[SliceQuality, Any], str]
) -> str:
    rows = [
        [
            f"{_SCORES[metric]}: {crawl.name}, {crawl.fetched:,} pages",
            *(cell(crawl.quality[metric], column) for column in columns),
        ]
        for metric in METRICS
        for crawl in crawls
    ]
    return table([head, *(f"{column:,}" for column in columns)], rows)


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _known(by_size: Mapping[int, float], size: int, form: str) -> str:
    return form.format(by_size[size]) if size in by_size else ""
