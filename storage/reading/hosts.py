"""Queries about hosts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import fields, replace
from heapq import nlargest
from operator import itemgetter

from hinterland.storage.reading.subject_queries import SubjectQueries, cut, select_list
from hinterland.storage.schema import FAILED
from hinterland.storage.values.hosts import (
    Host,
    HostReport,
    HostRobots,
    HostsReport,
    SlowedReport,
    SlowedShape,
    StoredHost,
    StoredRobots,
)

_FEW = 5
_MOST_EXAMINED = 1_000
_MAX_ROBOTS_BYTES = 100_000

_HOST = f"""
SELECT id AS number, url, site, address, next_fetch, rest_seconds, failures, pages_fetched, is_given_up,
       {cut("last_error")} AS last_error, robots.status AS robots_status, robots.fetched_at AS robots_fetched_at,
       robots.expires_at AS robots_expires_at, robots.crawl_delay
FROM host LEFT JOIN robots ON robots.host = host.id
"""

_STORED_HOST = select_list(
    (field.name for field in fields(StoredHost)),
    number="id",
    robots_status="robots.status",
    robots_expires_at="expires_at",
    has_robots_text="length(text) > 0",
)
_SLOWED_SHAPE = select_list(field.name for field in fields(SlowedShape))

_ORDERS = {
    "pages": "pages_fetched DESC, id",
    "failures": "failures DESC, id",
    "rest": "next_fetch DESC, id",
    "name": "url",
}
_VISITED = "(pages_fetched > 0 OR failures > 0 OR is_given_up)"


class HostQueries(SubjectQueries):
    """Queries about hosts; see StoreReader."""

    def urls(self) -> list[str]:
        """Return the URLs of all hosts, by number."""
        return [str(row["url"]) for row in self._rows("SELECT url FROM host ORDER BY id")]

    # ---------------------------------------------------------------- one host

    def number_of(self, url: str) -> int | None:
        """Return the number of the host with this URL; None if the host is unknown."""
        number: int | None = self._value("SELECT id FROM host WHERE url = ?", url)
        return number

    def host(self, number: int) -> Host | None:
        """Return a host; None if it is unknown."""
        return next(iter(self._hosts("WHERE host.id = ?", number)), None)

    def robots(self, number: int) -> HostRobots | None:
        """Return the robots.txt of a host, for display; None if it was never fetched."""
        row = self._row("SELECT text, sitemaps, sitemaps_left_out FROM robots WHERE host = ?", number)
        if row is None:
            return None
        text: bytes | None = row["text"]
        return HostRobots(
            text=None if text is None else text[:_MAX_ROBOTS_BYTES].decode("utf-8", "replace"),
            is_whole=text is None or len(text) <= _MAX_ROBOTS_BYTES,
            sitemaps=[str(each) for each in json.loads(row["sitemaps"])],
            sitemaps_left_out=row["sitemaps_left_out"],
        )

    def robots_file(self, url: str) -> StoredRobots | None:
        """Return the robots.txt that the host with this URL served; None if it was never fetched."""
        row = self._row(
            "SELECT status, fetched_at, expires_at, text FROM robots JOIN host ON host.id = robots.host"
            " WHERE host.url = ?",
            url,
        )
        return None if row is None else StoredRobots(**row)

    def robots_text(self, number: int) -> bytes | None:
        """Return the content of a host's robots.txt; None unless the host served one."""
        text: bytes | None = self._value("SELECT text FROM robots WHERE host = ?", number)
        return text

    # ---------------------------------------------------------------- many hosts

    def listed(self, order: str, offset: int, limit: int, *, only_visited: bool, part: str = "") -> list[Host]:
        """Return hosts in the given order, one of HOST_ORDERS.

        With `part`, only hosts whose URL contains it are returned.
        """
        conditions = ["(? = '' OR instr(host.url, ?) > 0)", *[_VISITED][: int(only_visited)]]
        return self._hosts(
            f"WHERE {' AND '.join(conditions)} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
            part, part, limit, offset,
        )  # fmt: skip

    def count(self, *, only_visited: bool, part: str = "") -> int:
        """Return how many hosts `listed` can return."""
        visited = f"AND {_VISITED}" if only_visited else ""
        sql = f"SELECT count(*) FROM host WHERE (? = '' OR instr(host.url, ?) > 0) {visited}"
        return int(self._value(sql, part, part))

    def waiting(self) -> dict[int, int]:
        """Return the number of waiting pages by host number."""
        condition = "is_local IN (0, 1) AND state = 'waiting' AND pages > 0"
        sql = f"SELECT host, sum(pages) FROM page_count WHERE {condition} GROUP BY host"
        return dict(self._connection.execute(sql).fetchall())

    def stored(self, first: int = 0, limit: int = -1) -> list[StoredHost]:
        """Return up to `limit` hosts (-1: all) with numbers from `first` on, in the order of their numbers."""
        rows = self._connection.execute(
            f"SELECT {_STORED_HOST} FROM host LEFT JOIN robots ON robots.host = host.id"
            " WHERE host.id >= ? ORDER BY host.id LIMIT ?",
            (first, limit),
        )
        return [StoredHost(*row) for row in rows]

    def robots_fetched_at(self) -> dict[int, float]:
        """Return when robots.txt was fetched, in epoch seconds by host number."""
        return dict(self._connection.execute("SELECT host, fetched_at FROM robots").fetchall())

    def report(self, waiting: Mapping[int, int], limit: int = _FEW) -> HostsReport:
        """Return totals over all hosts, and up to `limit` notable hosts of each kind.

        `waiting` is the result of the method `waiting`; pass an empty mapping to save the time that this method takes.
        """
        [sums] = self._rows(
            "SELECT count(*) AS known, coalesce(sum(pages_fetched > 0), 0) AS visited,"
            " coalesce(sum(is_given_up), 0) AS given_up FROM host"
        )
        longest = nlargest(limit, waiting.items(), key=itemgetter(1))
        lost = self._reports("is_given_up ORDER BY id", limit, waiting)
        failing = self._reports("failures > 0 AND NOT is_given_up ORDER BY failures DESC, id", limit, waiting)
        return HostsReport(
            **sums,
            by_pages=self._reports("pages_fetched > 0 ORDER BY pages_fetched DESC, id", limit, waiting),
            by_waiting=[each for host, _ in longest for each in self._reports(f"id = {host}", 1, waiting)],
            failing=self._with_last_errors(failing),
            lost=self._with_last_errors(lost),
        )

    def slowed(self) -> list[SlowedReport]:
        """Return the URL shapes that seem to produce endless URLs, beginning with the most visits in vain."""
        rows = self._rows(
            "SELECT host.url AS host, shape, suspicion, visits, in_vain, earned, left_waiting"
            " FROM slowed JOIN host ON host.id = slowed.host ORDER BY in_vain DESC, host.url, shape"
        )
        return [SlowedReport(**row) for row in rows]

    def slowed_shapes(self) -> list[SlowedShape]:
        """Return, by host number, the URL shapes that seem to produce endless URLs, as the last run reported them."""
        rows = self._rows(f"SELECT {_SLOWED_SHAPE} FROM slowed ORDER BY host, shape")
        return [SlowedShape(**row) for row in rows]

    def sitemaps(self) -> list[tuple[int, list[str]]]:
        """Return the number of each host whose robots.txt was fetched, and the sitemaps that it names."""
        rows = self._rows("SELECT host, sitemaps FROM robots WHERE status IS NOT NULL ORDER BY host")
        return [(row["host"], [str(each) for each in json.loads(row["sitemaps"])]) for row in rows]

    def _hosts(self, rest: str, *parameters: object) -> list[Host]:
        return [_host(row) for row in self._rows(f"{_HOST} {rest}", *parameters)]

    def _reports(self, condition: str, limit: int, waiting: Mapping[int, int]) -> list[HostReport]:
        rows = self._rows(
            f"SELECT id, url, pages_fetched, next_fetch, failures, last_error FROM host WHERE {condition} LIMIT ?",
            limit,
        )
        return [
            HostReport(
                url=row["url"],
                pages_fetched=row["pages_fetched"],
                waiting=waiting.get(row["id"], 0),
                next_fetch=row["next_fetch"],
                failures=row["failures"],
                last_error=row["last_error"],
            )
            for row in rows
        ]

    def _with_last_errors(self, hosts: list[HostReport]) -> list[HostReport]:
        """Fill in the last error of hosts without a stored one, as in stores of earlier versions.

        The error is that of the last failure among the first pages of the host.
        """
        return [host if host.last_error else replace(host, last_error=self._last_error(host.url)) for host in hosts]

    def _last_error(self, host: str) -> str | None:
        row = self._row(
            "SELECT outcome, detail FROM (SELECT id FROM page WHERE url >= ? AND url < ? LIMIT ?) AS each"
            f" JOIN fetch ON fetch.page = each.id WHERE {FAILED} AND outcome <> 'robots' ORDER BY visit DESC LIMIT 1",
            f"{host}/", f"{host}0", _MOST_EXAMINED,
        )  # fmt: skip
        return None if row is None else ": ".join(filter(None, (row["outcome"], row["detail"])))


def _host(row: sqlite3.Row) -> Host:
    return Host(**{**row, "is_given_up": bool(row["is_given_up"])})
