"""Queries about the ranks of pages and the estimates that led to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.schema import LINKING_OUTCOMES
from hinterland.storage.values.ranks import (
    ComparedRank,
    EstimateHead,
    EstimateReport,
    PageRanks,
    RankComparison,
    StoredEstimate,
)

_MOVED = 1.1
"""A page has moved if its two PageRanks differ by at least this factor."""
_FEWEST_HEADS, _MOST_HEADS = 4, 120


class RankQueries(SubjectQueries):
    """Queries about ranks; see StoreReader."""

    def estimator(self) -> str | None:
        """Return the estimator whose ranks are shown; None without ranks.

        It is the estimator of the last estimate or, if there is no estimate, any estimator with ranks.
        """
        name: str | None = self._value("SELECT estimator FROM shown_estimator")
        return name

    def estimators(self) -> list[str]:
        """Return the estimators that have ranks in the store, except "local". Reads all ranks."""
        rows = self._rows("SELECT DISTINCT estimator FROM rank WHERE estimator <> 'local' ORDER BY estimator")
        return [row["estimator"] for row in rows]

    def count(self, estimator: str | None) -> int:
        """Return how many pages the estimator has ranked. Counts them one by one."""
        return int(self._value("SELECT count(*) FROM rank WHERE estimator = ?", estimator))

    def of_page(self, number: int, ranked_pages: int) -> PageRanks | None:
        """Return the ranks of a page by the site and by the web; None if one of them is missing.

        `ranked_pages` is the result of `count`.
        """
        estimator = self.estimator()
        if estimator is None:
            return None
        one = "SELECT pagerank, place, spread, highest_place, lowest_place FROM rank WHERE estimator = ? AND page = ?"
        site, web = self._row(one, "local", number), self._row(one, estimator, number)
        if site is None or web is None:
            return None
        return PageRanks(
            estimator=estimator,
            as_site_sees=site["pagerank"],
            as_web_sees=web["pagerank"],
            site_place=site["place"],
            web_place=web["place"],
            pages=ranked_pages,
            spread=web["spread"],
            highest_place=web["highest_place"],
            lowest_place=web["lowest_place"],
        )

    def compared(self, points: int, movers: int) -> RankComparison | None:
        """Return a comparison of the ranks by the web with the ranks by the site.

        It has about `points` randomly sampled pages, up to `movers` pages that the web ranks higher, and as many that
        it ranks lower. Returns None unless a page has both ranks.
        """
        estimator = self.estimator()
        compared = "FROM rank WHERE estimator = ? AND moved IS NOT NULL"
        sums = "count(*) AS pages, sum(as_site_sees) AS site, sum(pagerank) AS web"
        row = self._row(f"SELECT {sums} {compared}", estimator)
        if row is None or not row["pages"]:
            return None
        pages = row["pages"]
        site, web = pages / row["site"], pages / row["web"]

        def chosen(condition: str, *parameters: float) -> list[ComparedRank]:
            rows = self._rows(f"SELECT page, as_site_sees, pagerank {compared} AND {condition}", estimator, *parameters)
            return [ComparedRank(each["page"], site * each["as_site_sees"], web * each["pagerank"]) for each in rows]

        weighty = "(as_site_sees >= ? OR pagerank >= ?)"
        return RankComparison(
            estimator or "",
            pages,
            chosen("page * 2654435761 % 4294967296 < ?", 4294967296 * min(1.0, points / pages)),
            chosen(f"{weighty} AND pagerank > as_site_sees * ? ORDER BY pagerank / as_site_sees DESC, page LIMIT ?",
                   1 / site, 1 / web, _MOVED * site / web, movers),
            chosen(f"{weighty} AND pagerank < as_site_sees * ? ORDER BY pagerank / as_site_sees, page LIMIT ?",
                   1 / site, 1 / web, site / web / _MOVED, movers),
        )  # fmt: skip

    def estimates(self) -> list[EstimateReport]:
        """Return every refresh of the estimate, the oldest first."""
        rows = self._rows(
            "SELECT run, visit, local_pages, outside_pages, estimator, change, disagreement, seconds, created_at,"
            " error, error_at_most FROM estimate ORDER BY id"
        )
        return [EstimateReport(**row) for row in rows]

    def last_estimate(self) -> StoredEstimate | None:
        """Return the last refresh of the estimate; None if there was none."""
        row = self._row(
            "SELECT (SELECT count(*) FROM fetch WHERE visit > estimate.visit"
            f" AND outcome IN {LINKING_OUTCOMES}) AS crawled_since, estimator, ranks"
            " FROM estimate ORDER BY id DESC LIMIT 1"
        )
        return None if row is None else StoredEstimate(**row)

    def past_estimates(
        self, estimator: str, informative_refreshes: Callable[[Sequence[int]], Sequence[int]]
    ) -> Iterator[tuple[int, bytes]]:
        """Yield (number of pages outside, packed ranks) of the chosen refreshes by an estimator, the oldest first.

        `informative_refreshes` chooses the refreshes to read. It takes the number of pages outside of every refresh,
        and returns indices.
        """
        rows = self._rows("SELECT id, outside_pages FROM estimate WHERE estimator = ? ORDER BY id", estimator)
        chosen = [rows[place] for place in informative_refreshes([row["outside_pages"] for row in rows])]
        for row in chosen:
            yield row["outside_pages"], bytes(self._value("SELECT ranks FROM estimate WHERE id = ?", row["id"]))

    def estimate_heads(self, max_ranks: int) -> tuple[list[EstimateHead], int]:
        """Return evenly spaced refreshes, including the first and the last, and the number of all refreshes.

        Together, the returned refreshes hold at most about `max_ranks` ranks.
        """
        rows = self._rows("SELECT id AS number, created_at, local_pages, outside_pages FROM estimate ORDER BY id")
        if not rows:
            return [], 0
        heads = [EstimateHead(**row) for row in rows]
        largest = max(head.local_pages for head in heads) or 1
        count = min(len(heads), max(max_ranks // largest, _FEWEST_HEADS), _MOST_HEADS)
        last = len(heads) - 1
        places = sorted({round(i * last / max(count - 1, 1)) for i in range(count)} | {last})
        return [heads[place] for place in places], len(heads)

    def estimated(self, head: EstimateHead) -> bytes:
        """Return the ranks that a refresh estimated, as packed by analysis.rank_codec."""
        return bytes(self._value("SELECT ranks FROM estimate WHERE id = ?", head.number))
