"""Queries about records that rules extracted from pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from hinterland.storage.reading.subject_queries import TITLE, URL, SubjectQueries
from hinterland.storage.values.extraction import FetchedPage, RecordPortion, RecordsOfPage, Shortfall, TableReport
from hinterland.storage.values.pages import NamedPage

RECENT = 100
"""How many of the newest pages of a table are examined to see whether its rules still match."""

_MAX_CHARACTERS = 20_000
"""The most characters of a record that is shown; longer records are only counted."""
_FIELDS = f"iif(length(fields) <= {_MAX_CHARACTERS}, fields, NULL) AS fields"

_COUNTS = (
    "(NOT coalesce(json_extract(rules, '$.is_of_feature'), 0)"
    " OR EXISTS (SELECT 1 FROM extracted WHERE extracted.name = extraction.name))"
)
_SHORTFALLS = """
SELECT what, pages, lately, (SELECT url FROM page WHERE id = example) AS example
FROM (SELECT what, count(*) AS pages, count(recent.page) AS lately,
             coalesce(max(recent.page), max(each.page)) AS example
      FROM ({}) AS each LEFT JOIN recent ON recent.page = each.page GROUP BY what)
ORDER BY pages DESC, what
"""
_MISSING = (
    "SELECT field.value AS what, page FROM extracted, json_each(missing) AS field"
    " WHERE name = :name AND missing IS NOT NULL AND records > 0"
)
_PROBLEMS = "SELECT problem AS what, page FROM extracted WHERE name = :name AND problem IS NOT NULL"
_EMPTY = "SELECT '' AS what, page FROM extracted WHERE name = :name AND records = 0"


class ExtractionQueries(SubjectQueries):
    """Queries about extracted records; see StoreReader."""

    def rules(self) -> dict[str, str]:
        """Return the encoded rules of each table, by the name of the table."""
        return {row["name"]: row["rules"] for row in self._rows("SELECT name, rules FROM extraction ORDER BY name")}

    def fetched(self) -> list[FetchedPage]:
        """Return all HTML pages that were read, by number. Other documents are left out: they have no charset."""
        rows = self._connection.execute(
            "SELECT page.id, page.url, content_type, body IS NOT NULL FROM fetch JOIN page ON page.id = fetch.page"
            " LEFT JOIN content ON content.page = fetch.page WHERE outcome = 'fetched' AND charset IS NOT NULL"
            " ORDER BY page.id"
        )
        return [FetchedPage(number, url, content_type, bool(has_body)) for number, url, content_type, has_body in rows]

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the stored bodies of these pages as zstd frames; pages without a stored body are left out."""
        marks = ", ".join("?" * len(numbers))
        sql = f"SELECT page, body FROM content WHERE body IS NOT NULL AND page IN ({marks})"
        return dict(self._connection.execute(sql, numbers).fetchall())

    def pages_of(self, name: str) -> list[int]:
        """Return the pages to which the rules of a table applied when the pages were read."""
        return [page for (page,) in self._connection.execute("SELECT page FROM extracted WHERE name = ?", (name,))]

    def names(self) -> list[str]:
        """Return the names of all tables, in ascending order.

        A table that a feature of the crawl fills is left out while it is empty.
        """
        return [row["name"] for row in self._rows(f"SELECT name FROM extraction WHERE {_COUNTS} ORDER BY name")]

    def of_page(self, page: int, limit: int) -> list[RecordsOfPage]:
        """Return the first `limit` records of a page in each table, ordered by table."""
        found = self._rows("SELECT name, records, problem FROM extracted WHERE page = ? ORDER BY name", page)
        return [self._of_page(page, row["name"], row["records"], row["problem"] or "", limit) for row in found]

    def _of_page(self, page: int, name: str, count: int, problem: str, limit: int) -> RecordsOfPage:
        sql = f"SELECT {_FIELDS} FROM record WHERE name = ? AND page = ? ORDER BY number LIMIT ?"
        fields = [_read(row["fields"]) for row in self._rows(sql, name, page, limit)]
        records = [each for each in fields if each is not None]
        return RecordsOfPage(name, records, count - len(records), problem)

    def portion(self, name: str, after: tuple[int, int], limit: int) -> RecordPortion:
        """Return up to `limit` records of a table; `after` is the (page, number) of the record before them."""
        sql = (
            f"SELECT record.page AS page, number, {_FIELDS}, {URL}, {TITLE} FROM record"
            " JOIN page ON page.id = record.page LEFT JOIN fetch ON fetch.page = record.page"
            " WHERE name = ? AND (record.page, number) > (?, ?) ORDER BY record.page, number LIMIT ?"
        )
        rows = self._rows(sql, name, *after, limit + 1)
        shown = rows[:limit]
        last = (shown[-1]["page"], shown[-1]["number"]) if len(rows) > limit else None
        return RecordPortion(
            [(NamedPage(row["page"], row["url"], row["title"]), _read(row["fields"])) for row in shown], last
        )

    def reports(self) -> list[TableReport]:
        """Return a report on each table that `names` returns, ordered by name."""
        rows = self._rows(f"SELECT name, version FROM extraction WHERE {_COUNTS} ORDER BY name")
        return [self._report(row["name"], row["version"]) for row in rows]

    def _report(self, name: str, version: int) -> TableReport:
        row = self._row(
            "SELECT count(*) AS pages, coalesce(sum(records), 0) AS records, coalesce(sum(version <> ?), 0) AS outdated"
            " FROM extracted WHERE name = ?",
            version, name,
        )  # fmt: skip
        assert row is not None  # an aggregate has one
        return TableReport(
            name=name,
            pages=row["pages"],
            records=row["records"],
            recent=min(RECENT, row["pages"]),
            outdated=row["outdated"],
            empty=self._shortfalls(name, _EMPTY).get(""),
            missing=self._shortfalls(name, _MISSING),
            problems=self._shortfalls(name, _PROBLEMS),
        )

    def _shortfalls(self, name: str, pages: str) -> dict[str, Shortfall]:
        """Return the shortfalls by field, or by problem; `pages` is the SQL that selects the pages of each.

        The example of a shortfall is the page visited last, because it has probably changed least since its visit.
        """
        recent = (
            "WITH recent AS (SELECT extracted.page FROM extracted JOIN fetch ON fetch.page = extracted.page"
            f" WHERE name = :name ORDER BY visit DESC LIMIT {RECENT})"
        )
        rows = self._connection.execute(recent + _SHORTFALLS.format(pages), {"name": name}).fetchall()
        return {what: Shortfall(count, lately, example) for what, count, lately, example in rows}


def _read(fields: str | None) -> Mapping[str, object] | None:
    """Return a stored record; None if it is too long or was not written by our rules."""
    try:
        read = None if fields is None else json.loads(fields)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None
