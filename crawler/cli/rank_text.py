"""What `rank` prints, in each of its formats. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crawler.cli.ranking import Ranking
from crawler.cli.wording import counted, duration, moment, number, printable, shortened, table
from storage.report_records import EstimateReport

_COLUMNS = ("position", "site_position", "pagerank", "site_pagerank", "ratio", "url", "title")
_MAX_TITLE = 40


@dataclass(frozen=True, slots=True)
class RankAnswer:
    """ranking: of the local pages fetched. names: page -> (URL, title) of those that are shown; top, movers: their
    places in the ranking. history: None if it was not asked for."""

    store: str
    ranking: Ranking
    outside_pages: int
    names: Mapping[int, tuple[str, str | None]]
    top: Sequence[int]
    movers: Sequence[int]
    history: Sequence[EstimateReport] | None


@dataclass(frozen=True, slots=True)
class _Row:
    """position, pagerank: as the web sees the page; site_position, site_pagerank: as the site sees itself."""

    position: int
    site_position: int
    pagerank: float
    site_pagerank: float
    ratio: float
    url: str
    title: str | None


def _rows(answer: RankAnswer, places: Sequence[int]) -> Iterator[_Row]:
    ranking = answer.ranking
    web, site = ranking.web_positions(), ranking.site_positions()
    for i in places:
        url, title = answer.names[int(ranking.pages[i])]
        here, there = float(ranking.web[i]), float(ranking.site[i])
        yield _Row(int(web[i]), int(site[i]), here, there, here / there, url, title)


def as_table(answer: RankAnswer) -> str:
    ranking = answer.ranking
    pages, outside = counted(len(ranking.pages), "local page"), counted(answer.outside_pages, "page")
    lines = [f"{answer.store}: {pages} fetched, {outside} outside", f"Estimator: {ranking.estimator}"]
    for name, distance in ranking.disagreements.items():
        lines.append(f"  {name} disagrees by {distance:.4f} (L1; 0: not at all, 2: in everything)")
    if not ranking.disagreements:
        lines.append("  the only one there is, so there is none to disagree")
    if not answer.outside_pages:
        lines.append("  no page outside was fetched, so the web has no say yet: crawl --resume --hinterland 1.0")
    if answer.top:
        lines += ["", "Top pages, as the web sees the site"]
        rows = [("", "web", "site", "", "")]
        rows += [(f"{each.position}", *_shares(each), *_name(each)) for each in _rows(answer, answer.top)]
        lines += table(rows, right=(0, 1, 2))
    if answer.movers:
        lines += ["", "Biggest movers, from the place the site itself gives them to that on the web"]
        rows = [
            (f"{each.site_position}", f"→ {each.position}", f"× {each.ratio:.2f}", *_name(each))
            for each in _rows(answer, answer.movers)
        ]
        lines += table(rows, right=(0, 2))
    if answer.history is not None:
        lines += ["", *_history(answer.history)]
    return "\n".join(lines)


def _shares(row: _Row) -> tuple[str, str]:
    return f"{row.pagerank:.5f}", f"{row.site_pagerank:.5f}"


def _name(row: _Row) -> tuple[str, str]:
    return printable(row.url), shortened(printable(row.title or ""), _MAX_TITLE)


def _history(history: Sequence[EstimateReport]) -> list[str]:
    if not history:
        return ["History: none; only a crawl with --hinterland has one"]
    rows = [("when", "local", "outside", "change", "others", "took", "estimator")]
    rows += [
        (
            moment(each.created_at), number(each.local_pages), number(each.outside_pages), _distance(each.change),
            _distance(each.disagreement), duration(each.seconds), each.estimator,
        )
        for each in history
    ]  # fmt: skip
    return ["History: L1 distance from the estimate before, and of the farthest other estimator", *table(rows, (1, 2))]


def _distance(value: float | None) -> str:
    return "" if value is None else f"{value:.2e}"


def as_csv(answer: RankAnswer) -> str:
    """The top pages, without a line break at the end."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for each in _rows(answer, answer.top):
        writer.writerow([getattr(each, name) for name in _COLUMNS])
    return text.getvalue().rstrip("\n")


def as_json(answer: RankAnswer) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "store": answer.store,
        "estimator": answer.ranking.estimator,
        "disagreements": dict(answer.ranking.disagreements),
        "local_pages": len(answer.ranking.pages),
        "outside_pages": answer.outside_pages,
        "top": [asdict(each) for each in _rows(answer, answer.top)],
        "movers": [asdict(each) for each in _rows(answer, answer.movers)],
    }
    if answer.history is not None:
        shown["history"] = [asdict(each) for each in answer.history]
    return shown
