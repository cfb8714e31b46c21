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
In the paper, the crawler Mercator fetched breadth-first for weeks. It visited many hosts at a time, and rested after
each request. The paper divides the crawl into days; here it is divided into {_SLICES} slices with the same number of
pages each. A store is measured in the order of its crawl. A graph is crawled in a simulation: by the policy `bfs` on
the live crawl's frontier, under a virtual clock, starting from the page from which most others can be reached. In our
copy of the paper the numbers and pictures are missing, so we compare with its statements. The paper names HITS as
future work. `python3 run.py quality FILE` measures the same for any crawl."""
_AVERAGES: Final = """\
As in the paper, the first slice is far above all others, and the quality falls from there.

Unlike in the paper, PageRank does not fall steadily: some late slices are above the average (cnr-2000's 20th, 4.2
times). If PageRank is computed from the links between hosts alone ("remote links only"), these peaks are gone. So the
peaks are sites whose pages endorse each other. The paper explains its own anomalies in the same way.

If PageRank is computed from remote links only, the mean score of the slices falls faster, as in the paper. The score
is down to 1, the average of all pages, within two or three slices, since pages to which other hosts link are found
early. In the paper, the curve of remote links also begins higher; here it does so only for cnr-2000."""
_BEST: Final = """\
For uci-ics-2020 and the webfarm, the average slice by PageRank rises steadily with N, as in the paper. For cnr-2000,
the best ten pages come later than the best hundred. The paper reports such an anomaly, too. Its cause is again pages
that endorse each other, since by remote links the best page comes first. On average, the best 10,000 pages come in
the first third of the crawl, except for uci-ics-2020 by PageRank."""
_OVERLAPS: Final = """\
The paper finds much overlap, whatever N, and concludes that breadth-first crawling is fairly immune to
self-endorsement. Our result says the opposite. Half-way through the crawl, 39 to 60 % of the 1,000 pages that are
best in the end by PageRank are already among the best. By remote links only, it is 53 to 71 %. The difference is due to
pages that endorse themselves: they come late among the best."""
_AUTHORITIES: Final = """\
HITS on a whole graph does not measure quality. Nearly all authority is in a few slices, in the one community that is
linked most densely (the tightly knit community effect). As the graph grows, another community may take its place. In
cnr-2000, of the best 1,000 pages known at a quarter of the crawl, 71 % are among the best at the end. Of the best
1,000 known half-way and at three quarters, none are."""
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
    yield "Mean score of the pages of a slice, where 1 is the average of all fetched pages:"
    yield _table("slice", _SHOWN, crawls, lambda quality, shown: _number(quality.averages[shown - 1]))
    yield _AVERAGES
    yield "The slice, from 1 to 50, in which the N best pages were fetched on average:"
    yield _table("N", _TOPS, crawls, lambda quality, top: _known(quality.mean_slices, top, "{:.1f}"))
    yield _BEST
    yield (
        "How well the ranking is known half-way: the share of the N best pages of the whole graph that are also"
        " among the N best pages of the part known half-way through the crawl:"
    )
    yield _table("N", _TOPS, crawls, lambda quality, top: _known(quality.overlaps[0.5], top, "{:.0%}"))
    yield "The same for the 1,000 best pages, after other shares of the crawl:"
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
