"""The answer of `rank`, for a terminal and as CSV. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from hinterland.distribution.installation import PROGRAM
from hinterland.library.other_sources.inlinks import InlinkAnswer
from hinterland.library.rank_answer import RankAnswer, RankedRow, Ranking
from hinterland.library.text.wording import counted, duration, moment, number, printable, shell_file, shortened, table
from hinterland.storage.values.ranks import EstimateReport

_COLUMNS: Final = (
    *("position", "site_position", "pagerank", "site_pagerank", "ratio", "url", "title"),
    *("at_least", "at_most", "highest_place", "lowest_place"),
)
_MAX_TITLE: Final = 40
_MIN_TITLE: Final = 8


def as_table(answer: RankAnswer, width: int | None = None) -> str:
    """Return the answer as a table.

    Titles are cut to fit `width`, the number of columns of the terminal. Without a terminal, it is None.
    """
    ranking = answer.ranking
    pages, outside = counted(len(ranking.pages), "local page"), counted(answer.outside_pages, "page")
    lines = [f"{answer.store}: {pages} fetched, {outside} outside", *_trust(ranking)]
    if answer.inlinks is not None:
        lines += _inlinks(answer.inlinks)
    if not answer.outside_pages:
        hinterland = f"{PROGRAM} crawl --resume --store {shell_file(answer.store)} --hinterland 1.0"
        lines += [
            "No page outside was fetched, so nothing is known about the web's view yet. To fetch some:",
            f"  {hinterland}",
        ]
    if answer.top:
        top = list(answer.rows(answer.top))
        is_known = ranking.spreads is not None
        lines += ["", *_legend(is_known=is_known), *_with_names(_top_figures(top, is_known=is_known), top, width)]
    if answer.movers and answer.outside_pages:
        lines += ["", "Biggest movers: places by the site's own links and by the web, and how their PageRank changes"]
        rows = [("by own links", "by the web", "PageRank")]
        rows += [
            (number(each.site_position), number(each.position), f"{each.ratio:.2f} times")
            for each in answer.rows(answer.movers)
        ]
        lines += _with_names(rows, list(answer.rows(answer.movers)), width)
    if answer.history is not None:
        lines += ["", *_history(answer.history)]
    return "\n".join(lines)


def _trust(ranking: Ranking) -> Iterator[str]:
    """Yield lines that name the estimator, and say how far its ranks probably are from the true ranks."""
    yield f"Estimator: {ranking.estimator}"
    for name, distance in ranking.disagreements.items():
        yield f"  {name} differs from it by {distance:.4f} (sum over all pages; 0: identical, 2: entirely different)"
    if not ranking.disagreements:
        yield "  there is no other estimator to compare it with"
    if ranking.error is None:
        return
    at_most = f"with 90% probability below {ranking.error.at_most:.2g}"
    yield f"Expected error: {ranking.error.l1:.2g} on the same scale, {at_most}"
    if ranking.error.unlike:
        yield "  This crawl is unlike all those that the error was learnt from, so the bound is wider and less sure:"
        yield from (f"    by {each}" for each in ranking.error.unlike)
    n = len(ranking.pages)
    more = ", ".join(number(each) for each in (n, 2 * n, 4 * n))
    left = ", ".join(f"{each:.2g}" for each in ranking.error.outlook())
    yield f"  probably {left} after {more} more pages outside"


def _inlinks(source: InlinkAnswer) -> Iterator[str]:
    """Yield lines that say what a list of inlinks contributed."""
    kinds = {
        "links that no crawl could find": source.unseen,
        "that the crawl found": source.found,
        "from known pages that were not fetched": source.waiting,
        "that the fetched page does not have": source.false,
        "not from outside to a fetched page of the site": source.elsewhere,
        "unreadable": source.unreadable,
    }
    told = ", ".join(f"{number(count)} {kind}" for kind, count in kinds.items() if count)
    yield f"List of inlinks: {counted(source.rows, 'row')}{': ' if told else ''}{told}"
    if not source.is_used:
        yield "  It is not used: the pages that it names and the crawl has fetched lack most of these links."
    else:
        yield f"  It moved the estimate by {source.moved:.2g}; more than the expected error it never does."


def _legend(*, is_known: bool) -> Iterator[str]:
    yield "Top pages, as the whole web would rank them; the PageRanks of all pages of the site sum to 1"
    yield "  place, PageRank: estimated from all known links. by own links: PageRank from the links of the site alone."
    if is_known:
        yield "  likely places, likely PageRank: the true value lies there with 90% probability."


def _top_figures(rows: Sequence[RankedRow], *, is_known: bool) -> list[tuple[str, ...]]:
    """Return the columns of figures, which stand before the names. `is_known` says whether 90% intervals are known."""
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


def _with_names(numbers: Sequence[tuple[str, ...]], rows: Sequence[RankedRow], width: int | None) -> list[str]:
    """Return a table of numbers with a header. Each row ends with a URL and with the part of the title that fits."""
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
    """Return the top pages as CSV, without a final line break."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for each in answer.rows(answer.top):
        writer.writerow([getattr(each, name) for name in _COLUMNS])
    return text.getvalue().rstrip("\n")
