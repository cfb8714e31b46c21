"""Kumar, Raghavan, Rajagopalan, Sivakumar, Tomkins & Upfal, "The Web as a Graph" (PODS 2000), section 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.paper import table
from hinterland.lab.reporting.figure_text import with_error
from hinterland.lab.structure.components import Region, components
from hinterland.lab.structure.density import undirected
from hinterland.lab.structure.distances import DistanceFigures, Estimated, distances
from hinterland.lab.structure.power_law import ValueCounts
from hinterland.lab.structure.report import StructureReport, structure_report
from hinterland.library.graph_opening import open_graph

TITLE = "The Web as a Graph (Kumar et al. 2000)"
GRAPHS = ("cnr-2000", "uci-ics-2020", "wb-cs-stanford-2001")

_THEIRS: Final = "theirs"
_OPENING: Final = """\
Section 3 of the paper surveys degrees, components and distances in AltaVista's crawl of May 1999 (203 million
pages, 1,466 million links). Broder et al. (WWW 2000) published the figures in full. In our copy of the paper the
numbers are missing, so the rows "theirs" are taken from papers that quote it. Our rows are about the crawled pages of
{names}; ± is half of a 95 % interval."""
_DEGREES: Final = """\
*Slope* is the slope of the line through the log-log histogram, the method of 2000. This slope depends on the noise at
the end of the tail, where most degrees occur once. So it comes out flatter than the true power law. *Likeliest* is the
maximum-likelihood exponent of the part of the tail that follows a power law best.

The in-degrees agree with theirs: on a log-log plot, they follow a straight line over three decades. Our exponents are
smaller for graphs in which a few hosts are crawled whole, since the menu of a host links all of its pages to the same
pages. The out-degrees follow no such line, neither in their graph nor in ours. Their curve is concave at small
degrees, and follows a power law at most in the last decade or two."""
_COMPONENTS: Final = """\
The sizes of components, except the largest, follow a power law in their graph and in ours. ("None" means that there
are fewer than fifty components.) A crawl from few seeds has few weak components by construction, since every page
except the seeds was found by a link. AltaVista's crawl had pages that their owners had submitted."""
_BOW_TIE: Final = """\
In the graph of Stanford's hosts, the parts have nearly the same shares as in theirs; in the other graphs they do not.
IN differs most. A crawl finds pages by links from pages that it has. So the only pages of IN that it knows are its
seeds and the pages on the way from them to the core. Our crawls began at home pages, which are in the core. Their crawl
grew over years from pages that owners had submitted. The model of Bennouas & de Montgolfier shows the same: IN grows
with the number of seeds."""
_DISTANCES: Final = """\
*By the bow tie* is the estimate of the paper: a pair has a path if its first page is in core or IN and its second
page in core or OUT, and the two are taken as independent. *Counted* is the true share. Where nearly all pages are
connected, the estimate is right within one percent of all pairs. The webfarm's crawl has separate sites. A fifth of
its pages is not connected with the rest, and has paths of its own.

Our distances are similar to theirs, although our graphs are hundreds or thousands of times smaller. The
reason is that links within a site are local. Chains of pages (next, next, next) make the paths of a site long.
Without directions, paths are shorter in their graph and in ours, but the difference is smaller in ours."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """A graph with its report.

    `lines` are the slopes of straight lines through the log-log histograms of in- and out-degrees, as they were fitted
    in 2000. `second` is the size of the second largest strong component.
    """

    report: StructureReport
    lines: tuple[float, float]
    second: int
    both_ways: DistanceFigures


def section(sources: Sequence[Path]) -> Iterator[str]:
    """Yield the section as Markdown blocks."""
    found = [_measured(path) for path in sources]
    yield _OPENING.format(names=", ".join(each.report.name for each in found))
    yield from _degrees(found)
    yield from _components(found)
    yield from _bow_ties(found)
    yield from _distances(found)


def _measured(path: Path) -> _Measured:
    graph = open_graph(path, with_names=False)
    inner = graph.crawled.inner
    outdegrees = graph.crawled.links.outdegrees[graph.crawled.crawled]
    sizes = np.sort(components(inner, "strong").sizes)
    both_ways = distances(undirected(inner), np.random.default_rng(1))
    lines = _line(inner.indegrees), _line(outdegrees)
    return _Measured(structure_report(graph), lines, int(sizes[-2]), both_ways.figures)


def _line(degrees: np.typing.NDArray[np.int32]) -> float:
    """Return the negated slope of the least-squares line through the logarithms of degrees and their frequencies."""
    sample = ValueCounts.of(degrees)
    return -float(np.polyfit(np.log(sample.values), np.log(sample.counts), 1)[0])


def _degrees(found: Sequence[_Measured]) -> Iterator[str]:
    yield "### Degrees (figures 2 and 3)"
    rows = [[_THEIRS, "2.1", "", "2.72", "", "7.2"]]
    for each in found:
        row = [each.report.name]
        for name, line in zip(("in-degree", "out-degree"), each.lines, strict=True):
            law = each.report.laws[name].power_law
            likeliest = "none" if law is None else with_error(law.exponent, law.interval[1] - law.exponent)
            row += [f"{line:.2f}", likeliest if law is None else f"{likeliest}, from {law.x_min:,} on"]
        rows.append([*row, f"{each.report.figures['mean out-degree'].value:.1f}"])
    yield table(
        ["", "in: slope", "in: likeliest", "out: slope", "out: likeliest", "links a page"],
        rows,
    )
    yield _DEGREES


def _components(found: Sequence[_Measured]) -> Iterator[str]:
    yield "### Components"
    rows = [[_THEIRS, "91 %", "28 %", "", "2.5", "2.5"]]
    for each in found:
        report = each.report
        laws = [report.laws[name].power_law for name in ("weak components", "strong components")]
        shares = report.figures["largest weak component"].value, report.figures["core"].value
        told = ["none" if law is None else with_error(law.exponent, law.interval[1] - law.exponent) for law in laws]
        rows.append([report.name, *map(_percent, shares), f"{each.second:,}", *told])
    yield table(
        ["", "largest weak", "largest strong", "second strong, pages", "sizes of weak: α", "sizes of strong: α"], rows
    )
    yield _COMPONENTS


def _bow_ties(found: Sequence[_Measured]) -> Iterator[str]:
    yield "### The bow tie (figure 4)"
    rows = [[_THEIRS, "28 %", "21 %", "21 %", "22 %", "8 %"]]
    for each in found:
        regions = dict(zip(Region, each.report.regions, strict=True))
        counts = [regions[region] for region in (Region.CORE, Region.IN, Region.OUT)]
        counts += [regions[Region.TUBE] + regions[Region.TENDRIL], regions[Region.DISCONNECTED]]
        rows.append([each.report.name, *(_percent(count / each.report.crawled) for count in counts)])
    yield table(["", "core", "IN", "OUT", "tendrils, tubes", "disconnected"], rows)
    yield _BOW_TIE


def _distances(found: Sequence[_Measured]) -> Iterator[str]:
    yield "### Distances (table 2)"
    rows = [[_THEIRS, "24 %", "24 %", "16.1", "6.83"]]
    for each in found:
        regions, n = each.report.regions, each.report.crawled
        leads = (regions[Region.CORE] + regions[Region.IN]) / n
        led = (regions[Region.CORE] + regions[Region.OUT]) / n
        spread = each.report.distances.figures
        rows.append([
            each.report.name, _percent(leads * led), _told(spread.connected, 100, " %"), _told(spread.average),
            _told(each.both_ways.average),
        ])  # fmt: skip
    yield table(
        ["", "pairs with a path, by the bow tie", "counted", "average distance, directed", "without direction"], rows
    )
    yield _DISTANCES


def _told(figure: Estimated, factor: float = 1.0, unit: str = "") -> str:
    return with_error(factor * figure.value, factor * figure.error) + unit


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
