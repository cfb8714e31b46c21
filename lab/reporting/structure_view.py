"""What the page about a graph's structure shows: pictures, tables and sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.lab.reporting.bow_tie_picture import BowTiePicture, bow_tie_picture
from hinterland.lab.reporting.figure_text import MEANINGS, law_sentences, movement, told
from hinterland.lab.structure.components import Region
from hinterland.lab.structure.laws import Law
from hinterland.lab.structure.report import StructureReport
from hinterland.web.charts import Chart, Drawing, Point, linear_axis, log_axis, some, spark

_HEADLINES: Final = ("average distance", "connected pairs", "core", "mean out-degree", "average clustering", "sinks")
_SEEN_SHARE: Final = 0.99

REGION_TEXTS: Final = {
    Region.CORE: ("Core", "every page can be reached from every other"),
    Region.IN: ("IN", "leads to the core but cannot be reached from it"),
    Region.OUT: ("OUT", "can be reached from the core, with no way back"),
    Region.TUBE: ("Tubes", "paths from IN to OUT that bypass the core"),
    Region.TENDRIL: ("Tendrils", "branch off IN or OUT and lead nowhere"),
    Region.DISCONNECTED: ("Disconnected", "no links to or from the rest"),
}
LAW_TITLES: Final = {
    "in-degree": ("In-degrees", "pages that link to a page"),
    "out-degree": ("Out-degrees", "links on a page"),
    "PageRank": ("PageRank", "in units of the smallest value"),
    "strong components": ("Strong components", "pages in a component, without the largest"),
    "weak components": ("Weak components", "pages in a component, without the largest"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart; `sentences` describe it, and `table` has some of its figures."""

    title: str
    chart: Chart
    sentences: Sequence[str]
    table: Table


@dataclass(frozen=True, slots=True)
class DriftRow:
    """A row that shows how a figure changed during the crawl.

    `cells` has its values at 10, 25, 50, 75 and 100 % of the crawl, "" where it had no value.
    """

    label: str
    cells: Sequence[str]
    spark: str
    movement: str


@dataclass(frozen=True, slots=True)
class StructureView:
    """Everything that the page shows.

    `headlines` are pairs of a name and a value. A row of `figures` is a name, its value, its value in a random graph
    with the same degrees, and a meaning. A row of `regions` is a name, a meaning, a number of pages and a share.
    """

    headlines: Sequence[tuple[str, str]]
    figures: Sequence[tuple[str, str, str, str]]
    bow_tie: BowTiePicture
    regions: Sequence[tuple[str, str, int, float]]
    laws: Sequence[Picture]
    distances: Picture | None
    cores: Picture | None
    discovery: Sequence[Picture]
    drifts: Sequence[DriftRow]
    host_laws: Sequence[Picture]


def structure_view(report: StructureReport) -> StructureView:
    """Return what the page shows about a report."""
    figures = [
        (
            MEANINGS[name].label,
            told(name, each),
            told(name, report.at_random[name]) if name in report.at_random else "",
            MEANINGS[name].text,
        )
        for name, each in report.figures.items()
    ]
    by_name = {name: (MEANINGS[name].label, told(name, each)) for name, each in report.figures.items()}
    total = max(sum(report.regions), 1)
    hosts = report.hosts
    return StructureView(
        headlines=[by_name[name] for name in _HEADLINES if name in by_name],
        figures=figures,
        bow_tie=bow_tie_picture(*report.regions),
        regions=[(*REGION_TEXTS[region], report.regions[region], report.regions[region] / total) for region in Region],
        laws=[_law(*LAW_TITLES[name], law) for name, law in report.laws.items() if law.power_law is not None],
        distances=_distances(report),
        cores=_cores(report),
        discovery=_discovery(report),
        drifts=_drifts(report),
        host_laws=[]
        if hosts is None
        else [
            _law(title, text, law)
            for title, text, law in (
                ("Pages of a host", "crawled pages", hosts.pages),
                ("Hosts that link to a host", "other hosts", hosts.inlinks),
            )
            if law.power_law is not None
        ],
    )


# ---------------------------------------------------------------- laws


def _law(title: str, text: str, law: Law) -> Picture:
    drawing = Drawing(
        log_axis(text, [x for x, _ in law.points]),
        log_axis("share of values at least as large", [y for _, y in law.points]),
    )
    drawing.dots(law.points, "seen", "seen")
    fit = law.power_law
    if fit is not None:
        begin = fit.tail / fit.size
        xs = np.geomspace(fit.x_min, max(law.largest, fit.x_min + 1), 30)
        shares = begin * fit.survival(xs)
        is_drawn = shares >= law.points[-1][1]  # not below the data
        points = zip(xs[is_drawn].tolist(), shares[is_drawn].tolist(), strict=True)
        drawing.line(points, "fit", f"power law, {fit.exponent:.2f}")
    rows = [[f"{x:,.0f}", _percent(y)] for x, y in some(law.points)]
    sentences = law_sentences(law)
    label = f"{title}: share of values at least as large, both axes logarithmic. {' '.join(sentences)}"
    return Picture(title, drawing.chart(label), sentences, Table(["at least", "share"], rows))


# ---------------------------------------------------------------- distances, cores


def _distances(report: StructureReport) -> Picture | None:
    found = report.distances
    apart = found.pairs[1:]
    if not apart.sum():
        return None
    shares, errors = apart / apart.sum(), found.errors[1:] / apart.sum()
    end = int(np.searchsorted(np.cumsum(shares), _SEEN_SHARE)) + 1
    points: list[Point] = [(distance + 1.0, float(share)) for distance, share in enumerate(shares[:end])]
    most = [y + error for (_, y), error in zip(points, errors[:end].tolist(), strict=True)]
    drawing = Drawing(linear_axis("clicks", [end + 0.6]), linear_axis("share of connected pairs", most, is_share=True))
    drawing.columns(points, "seen", "")
    if not found.is_exact:
        drawing.whiskers((x, y, float(error)) for (x, y), error in zip(points, errors[:end], strict=True))
    average = told("average distance", report.figures["average distance"])
    how = (
        "Every pair was counted."
        if found.is_exact
        else f"Estimated by HyperBall: {found.runs} runs, {found.registers} registers a page; bars are 95 % intervals."
    )
    sentences = [f"Two pages with a path between them are {average} clicks apart.", how]
    longest = found.figures.longest
    if longest > end:
        sentences.append(
            f"One pair in a hundred is farther apart than shown; the longest distance found is {longest:,} clicks."
        )
    rows = [[f"{x:.0f}", _percent(y)] for x, y in some(points)]
    label = f"Distances: share of the connected pairs of pages at each number of clicks. {' '.join(sentences)}"
    return Picture("Distances", drawing.chart(label), sentences, Table(["clicks", "share"], rows))


def _cores(report: StructureReport) -> Picture | None:
    sizes = report.core_sizes
    if len(sizes) < 3:
        return None
    points = [(float(k), float(size)) for k, size in enumerate(sizes) if k]
    drawing = Drawing(log_axis("k", [x for x, _ in points]), log_axis("pages in the k-core", [y for _, y in points]))
    drawing.line(_steps(points), "fit", "")
    densest = f"The densest core has {sizes[-1]:,} pages, each linked with at least {len(sizes) - 1:,} others in it"
    sentences = [f"{densest}, in either direction."]
    rows = [[f"{k:.0f}", f"{size:,.0f}"] for k, size in some(points)]
    label = f"Cores: how many pages the k-core has, both axes logarithmic. {sentences[0]}"
    return Picture("Cores", drawing.chart(label), sentences, Table(["k", "pages"], rows))


def _steps(points: Sequence[Point]) -> list[Point]:
    """Return only the points at which the value changes, to keep the line short."""
    kept = [points[0]]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        if not before[1] == here[1] == after[1]:
            kept.append(here)
    return [*kept, points[-1]]


# ---------------------------------------------------------------- the progress of the crawl


def _discovery(report: StructureReport) -> list[Picture]:
    points = report.discovery
    if len(points) < 2:
        return []
    visited = linear_axis("pages visited", [points[-1].visited])
    known = Drawing(visited, linear_axis("pages known", [points[-1].known]))
    known.line([(0.0, 0.0), *((float(each.visited), float(each.known)) for each in points)], "fit", "known")
    known.line([(0.0, 0.0), (points[-1].visited, points[-1].visited)], "other", "visited")
    last = points[-1]
    more = last.known / last.visited
    growing = (last.known - points[-2].known) / max(last.visited - points[-2].visited, 1)
    found = [
        f"For each visited page, {more:.2f} are known. At the end, a visit discovered {growing:.2f} new pages"
        + (": many pages are still unknown." if growing > 0.5 else ".")
    ]
    ends = Drawing(visited, linear_axis("share", [1.0], is_share=True))
    ends.line([(float(each.visited), each.known_before) for each in points], "other", "links to known pages")
    ends.line([(float(each.visited), each.visited_before) for each in points], "fit", "links to visited pages")
    rank = Drawing(visited, linear_axis("share of PageRank", [1.0], is_share=True))
    rank.line([(0.0, 0.0), *((float(each.visited), each.rank) for each in points)], "fit", "pages visited so far")
    rank.line([(0.0, 0.0), (points[-1].visited, 1.0)], "other", "random order")
    half = next(each for each in points if each.rank >= 0.5)
    early = f"Half of the PageRank was collected after {100 * half.visited / last.visited:.0f} % of the visits."
    new = f"At the end, {100 * last.known_before:.0f} % of the links led to pages that were already known."
    shown = some(points)
    return [
        Picture(
            "Discovery",
            known.chart(f"Pages known over pages visited. {found[0]}"),
            found,
            Table(["visited", "known"], [[f"{each.visited:,}", f"{each.known:,}"] for each in shown]),
        ),
        Picture(
            "Where links lead",
            ends.chart(f"Share of links that lead to known pages, for each part of the crawl. {new}"),
            [new],
            Table(
                ["visited", "to known", "to visited"],
                [[f"{each.visited:,}", _percent(each.known_before), _percent(each.visited_before)] for each in shown],
            ),
        ),
        Picture(
            "PageRank collected",
            rank.chart(f"Share of the PageRank of all crawled pages held by the pages visited so far. {early}"),
            [early],
            Table(["visited", "PageRank"], [[f"{each.visited:,}", _percent(each.rank)] for each in shown]),
        ),
    ]


def _drifts(report: StructureReport) -> list[DriftRow]:
    shares = (0.1, 0.25, 0.5, 0.75, 1.0)
    rows = []
    for drift in report.drifts:
        by_share = dict(zip(drift.shares, drift.values, strict=True))
        cells = [told(drift.name, by_share[share]) if share in by_share else "" for share in shares]
        line = spark([value.value for value in drift.values], drift.shares)
        rows.append(DriftRow(MEANINGS[drift.name].label, cells, line, movement(drift)))
    return rows


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
