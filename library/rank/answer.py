"""What `rank` answers: two rankings of the same pages side by side, and how each format prints them. Pure."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.estimates.estimate_error import EstimateError, place_intervals
from hinterland.distribution.installation import PROGRAM
from hinterland.library.text.wording import (
    counted,
    duration,
    moment,
    number,
    printable,
    shortened,
    table,
)
from hinterland.storage.values.pages import NamedPage
from hinterland.storage.values.ranks import EstimateReport

_COLUMNS = (
    *("position", "site_position", "pagerank", "site_pagerank", "ratio", "url", "title"),
    *("at_least", "at_most", "highest_place", "lowest_place"),
)
_MAX_TITLE = 40
_MIN_TITLE = 8

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ranking:
    """pages, ascending, shape (n,). site, web: their PageRank by the links of the domain alone, and as the estimator
    has it of the whole web. disagreements: estimator -> L1 distance between it and this one, over all local pages.
    error: how far the estimate probably is from the truth, and what it says of these pages, shape (n,); None where
    nobody knows."""

    pages: IntArray
    site: FloatArray
    web: FloatArray
    estimator: str
    disagreements: Mapping[str, float]
    error: EstimateError | None = None
    spreads: FloatArray | None = None

    def site_positions(self) -> IntArray:
        """1 for the highest, the earlier discovered first among equals; shape (n,)."""
        return _positions(self.site)

    def web_positions(self) -> IntArray:
        return _positions(self.web)

    def top(self, count: int) -> list[int]:
        """Places in `pages` of those that the web ranks highest."""
        return [int(place) for place in np.argsort(-self.web, kind="stable")[:count]]

    def movers(self, count: int) -> list[int]:
        """Places of the pages whose positions differ most; of equals, first those whose PageRank differs by more."""
        moved = np.abs(self.site_positions() - self.web_positions())
        factor = np.abs(np.log(np.maximum(self.web, 1e-300) / np.maximum(self.site, 1e-300)))
        order = np.lexsort((self.pages, -factor, -moved))
        return [int(place) for place in order[:count] if moved[place]]


def _positions(values: FloatArray) -> IntArray:
    positions = np.empty(len(values), np.int32)
    positions[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1, dtype=np.int32)
    return positions


@dataclass(frozen=True, slots=True)
class RankAnswer:
    """ranking: of the local pages fetched. names: of those pages that are shown; top, movers: their
    places in the ranking. history: None if it was not asked for."""

    store: str
    ranking: Ranking
    outside_pages: int
    names: Mapping[int, NamedPage]
    top: Sequence[int]
    movers: Sequence[int]
    history: Sequence[EstimateReport] | None


@dataclass(frozen=True, slots=True)
class _Row:
    """position, pagerank: as the web sees the page; site_position, site_pagerank: as the site sees itself. at_least,
    at_most: between these the PageRank lies nine times in ten; highest_place, lowest_place: and the position; None
    where nobody knows."""

    position: int
    site_position: int
    pagerank: float
    site_pagerank: float
    ratio: float
    url: str
    title: str | None
    at_least: float | None = None
    at_most: float | None = None
    highest_place: int | None = None
    lowest_place: int | None = None


def _rows(answer: RankAnswer, places: Sequence[int]) -> Iterator[_Row]:
    ranking = answer.ranking
    web, site = ranking.web_positions(), ranking.site_positions()
    spreads = ranking.spreads
    intervals = None if spreads is None else place_intervals(ranking.web, spreads)
    for i in places:
        page = answer.names[int(ranking.pages[i])]
        here, there = float(ranking.web[i]), float(ranking.site[i])
        row = _Row(int(web[i]), int(site[i]), here, there, here / there, page.url, page.title)
        if spreads is not None and intervals is not None:
            spread, (highest, lowest) = float(spreads[i]), intervals
            at_most = min(here * spread, 1.0)
            row = replace(
                row,
                at_least=here / spread,
                at_most=at_most,
                highest_place=int(highest[i]),
                lowest_place=int(lowest[i]),
            )
        yield row


def as_table(answer: RankAnswer, width: int | None = None) -> str:
    """width: of the terminal, so that titles are cut to fit; None without one."""
    ranking = answer.ranking
    pages, outside = counted(len(ranking.pages), "local page"), counted(answer.outside_pages, "page")
    lines = [f"{answer.store}: {pages} fetched, {outside} outside", *_trust(ranking)]
    if not answer.outside_pages:
        hinterland = f"{PROGRAM} crawl --resume --store {shlex.quote(answer.store)} --hinterland 1.0"
        lines += ["No page outside was fetched, so the web has no say yet; that brings it in:", f"  {hinterland}"]
    if answer.top:
        top = list(_rows(answer, answer.top))
        is_known = ranking.spreads is not None
        lines += ["", *_legend(is_known=is_known), *_with_names(_top_figures(top, is_known=is_known), top, width)]
    if answer.movers and answer.outside_pages:
        lines += ["", "Biggest movers: places by the site's own links and by the web, and how their PageRank changes"]
        rows = [("by own links", "by the web", "PageRank")]
        rows += [
            (number(each.site_position), number(each.position), f"{each.ratio:.2f} times")
            for each in _rows(answer, answer.movers)
        ]
        lines += _with_names(rows, list(_rows(answer, answer.movers)), width)
    if answer.history is not None:
        lines += ["", *_history(answer.history)]
    return "\n".join(lines)


def _trust(ranking: Ranking) -> Iterator[str]:
    """By what the ranks were estimated, and how far they probably are from the truth."""
    yield f"Estimator: {ranking.estimator}"
    for name, distance in ranking.disagreements.items():
        yield f"  {name} differs from it by {distance:.4f} (all pages together; 0: not at all, 2: in everything)"
    if not ranking.disagreements:
        yield "  there is no other to compare it with"
    if ranking.error is None:
        return
    at_most = f"nine times in ten below {ranking.error.at_most:.2g}"
    yield f"Expected error: {ranking.error.l1:.2g} in the same measure, {at_most}"
    n = len(ranking.pages)
    more = ", ".join(number(each) for each in (n, 2 * n, 4 * n))
    left = ", ".join(f"{each:.2g}" for each in ranking.error.outlook())
    yield f"  probably {left} after {more} more pages outside"


def _legend(*, is_known: bool) -> Iterator[str]:
    yield "Top pages, as the whole web would rank them; the PageRank of all pages of the site adds up to 1"
    yield "  place, PageRank: by all links known, estimated. by own links: PageRank by the links of the site alone."
    if is_known:
        yield "  likely places, likely PageRank: nine times in ten the truth lies there."


def _top_figures(rows: Sequence[_Row], *, is_known: bool) -> list[tuple[str, ...]]:
    """The columns before the names. is_known: what pages have nine times in ten."""
    if not is_known:
        plain = [(f"{each.position}", f"{each.pagerank:.5f}", f"{each.site_pagerank:.5f}") for each in rows]
        return [("place", "PageRank", "by own links"), *plain]
    found: list[tuple[str, ...]] = [("place", "likely places", "PageRank", "likely PageRank", "by own links")]
    found += [
        (
            f"{each.position}",
            f"{each.highest_place} to {each.lowest_place}",
            f"{each.pagerank:.5f}",
            f"{each.at_least:.5f} to {each.at_most:.5f}",
            f"{each.site_pagerank:.5f}",
        )
        for each in rows
    ]
    return found


def _with_names(numbers: Sequence[tuple[str, ...]], rows: Sequence[_Row], width: int | None) -> list[str]:
    """A table of numbers with, after its head, the URL of each row and as much of the title as there is room for."""
    urls = ["page", *(printable(row.url) for row in rows)]
    with_urls = table([(*each, url) for each, url in zip(numbers, urls, strict=True)], right=range(len(numbers[0])))
    longest = max(map(len, with_urls))
    room = _MAX_TITLE if width is None else min(_MAX_TITLE, width - longest - 2)
    if room < _MIN_TITLE:
        return with_urls
    titles = ["title", *(shortened(printable(row.title or ""), room) for row in rows)]
    return [f"{line:{longest}}  {title}".rstrip() for line, title in zip(with_urls, titles, strict=True)]


def _history(history: Sequence[EstimateReport]) -> list[str]:
    if not history:
        return ["History: none; only a crawl with --hinterland has one"]
    rows = [("when", "local", "outside", "change", "others differ by", "expected error", "took", "estimator")]
    rows += [
        (
            moment(each.created_at), number(each.local_pages), number(each.outside_pages), _distance(each.change),
            _distance(each.disagreement), _distance(each.error), duration(each.seconds), each.estimator,
        )
        for each in history
    ]  # fmt: skip
    head = "History: how far each estimate was from the one before, from other estimators, and probably from the truth"
    return [head, *table(rows, (1, 2))]


def _distance(value: float | None) -> str:
    return "" if value is None else f"{value:.2e}"


def as_csv(answer: RankAnswer) -> str:
    """The top pages, without a final line break."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for each in _rows(answer, answer.top):
        writer.writerow([getattr(each, name) for name in _COLUMNS])
    return text.getvalue().rstrip("\n")


def _error(error: EstimateError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {"l1": error.l1, "at_most": error.at_most, "after_n_2n_4n_pages_more": list(error.outlook())}


def as_json(answer: RankAnswer) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "store": answer.store,
        "estimator": answer.ranking.estimator,
        "disagreements": dict(answer.ranking.disagreements),
        "predicted_error": _error(answer.ranking.error),
        "local_pages": len(answer.ranking.pages),
        "outside_pages": answer.outside_pages,
        "top": [asdict(each) for each in _rows(answer, answer.top)],
        "movers": [asdict(each) for each in _rows(answer, answer.movers)],
    }
    if answer.history is not None:
        shown["history"] = [asdict(each) for each in answer.history]
    return shown
