"""Reads statements about the use of pages from a store: of the pages, their header fields, and files of their hosts.

A statement in robots.txt counts from the time when the file was read, also for pages that were fetched earlier. So the
newest statement of a site is obeyed without new visits to its pages, even in stores that earlier versions of this
program have made.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from hinterland.crawler.features.tdm_files.reservations import TdmFile, tdm_file
from hinterland.crawler.features.usage.robots_usage import RobotsUsage, robots_usage
from hinterland.crawler.features.usage.statement import Statement
from hinterland.crawler.features.usage.statement_table import COLUMNS, TABLE
from hinterland.crawler.features.usage.statements import TDM_RESERVATION
from hinterland.crawler.fetching.robots.rules import RobotsRules, parse_robots
from hinterland.crawler.urls.hosts import host_of, path_of
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.uses import Use

_ROBOTS: Final = "SELECT robots.text FROM robots JOIN host ON host.id = robots.host WHERE host.url = ?"
_TDM_FILE: Final = "SELECT text FROM tdm_file WHERE host = ?"
_MAY_SPEAK: Final = (
    "SELECT host, text FROM robots WHERE text IS NOT NULL AND instr(lower(CAST(text AS TEXT)), 'content-') > 0"
)
_RESERVING: Final = "SELECT host.id, text FROM tdm_file JOIN host ON host.url = tdm_file.host WHERE text IS NOT NULL"
_OF_PAGE: Final = "SELECT fields FROM record WHERE name = ? AND page = ? ORDER BY number"
_RESERVED_ALONE: Final = (
    f"SELECT page FROM record WHERE name = ? AND json_extract(fields, '$.statement') LIKE '{TDM_RESERVATION}%'"
)


class StoredStatements:
    """The statements in a store. Without a store, only a given robots.txt is read."""

    def __init__(self, store: StoreReader | None, agent: str) -> None:
        """Read a store, if there is one.

        `agent` is the crawler's name, by which the lines of a robots.txt are chosen.
        """
        self._connection = None if store is None else store.connection
        self._agent = agent

    def of_url(self, url: str, page: int | None, rules: RobotsRules | None = None) -> list[Statement]:
        """Return the statements about a canonical URL, the statements of its host first.

        `page` is the number of its page, None if the page is not in the store. If given, `rules` are used in place of
        the robots.txt in the store.
        """
        host, path = host_of(url), path_of(url)
        usage = self._robots(self._value(_ROBOTS, host)) if rules is None else robots_usage(rules.usage)
        of_host = list(usage.of(path))
        own = [] if page is None else [_decoded(fields) for (fields,) in self._rows(_OF_PAGE, TABLE, page)]
        reserved = self._value(_TDM_FILE, host)
        if reserved and not any(each.text.startswith(TDM_RESERVATION) for each in own):
            of_host += reserved_in(tdm_file(reserved), path)
        return of_host + own

    def of_page(self, number: int) -> list[Statement]:
        """Return the statements about the page with this number; an empty list if there is no such page."""
        url = self._value("SELECT url FROM page WHERE id = ?", number)
        return [] if url is None else self.of_url(url, number)

    def lines_of_host(self, host: int) -> list[str]:
        """Return the lines about usage in a host's robots.txt, for this crawler, and the rules of its tdmrep.json."""
        url = self._value("SELECT url FROM host WHERE id = ?", host)
        text, file = self._value(_ROBOTS, url), self._value(_TDM_FILE, url)
        lines = parse_robots(text or b"", self._agent, with_lines=False).usage
        return [*(f"{name}: {value}" for name, value in lines), *(tdm_file(file).texts if file else ())]

    def robots_that_speak(self) -> Iterator[tuple[int, RobotsUsage]]:
        """Yield (host, usage) for each host with a robots.txt that may say something about usage; hosts by number."""
        for host, text in self._rows(_MAY_SPEAK):
            yield host, self._robots(text)

    def tdm_files(self) -> Iterator[tuple[int, TdmFile]]:
        """Yield (host, rules) for each host with a tdmrep.json; hosts by number."""
        for host, text in self._rows(_RESERVING):
            yield host, tdm_file(text)

    def reserved_alone(self) -> set[int]:
        """Return the pages with a tdm-reservation of their own, which replaces what the host's tdmrep.json says."""
        return {page for (page,) in self._rows(_RESERVED_ALONE, TABLE)}

    def refusing_alone(self, uses: Collection[Use]) -> Iterator[tuple[int, Statement]]:
        """Yield (page, statement) for the statements of pages and header fields that disallow one of these uses."""
        is_refused = " OR ".join(f"json_extract(fields, '$.{COLUMNS[use]}') = 0" for use in uses)
        for page, fields in self._rows(f"SELECT page, fields FROM record WHERE name = ? AND ({is_refused})", TABLE):
            yield page, _decoded(fields)

    def fetched_pages_of(self, host: int) -> Iterator[tuple[int, str]]:
        """Yield the number and the path of each fetched page of a host."""
        sql = (
            "SELECT page.id, page.url FROM page JOIN fetch ON fetch.page = page.id"
            " WHERE page.host = ? AND fetch.outcome = 'fetched'"
        )
        for page, url in self._rows(sql, host):
            yield page, path_of(url)

    def _robots(self, text: bytes | None) -> RobotsUsage:
        return robots_usage(parse_robots(text or b"", self._agent, with_lines=False).usage)

    def _value(self, sql: str, *arguments: object) -> Any:
        return next(self._rows(sql, *arguments), (None,))[0]

    def _rows(self, sql: str, *arguments: object) -> Iterator[Any]:
        return iter(() if self._connection is None else self._connection.execute(sql, arguments))


def reserved_in(file: TdmFile, path: str) -> list[Statement]:
    """Return the statement of a tdmrep.json about a path; an empty list if it has none."""
    rule = file.of(path)
    if rule is None:
        return []
    return [Statement("tdmrep.json", rule.text, {Use.TRAIN_AI: False} if rule.is_reserved else {})]


def _decoded(fields: str) -> Statement:
    found: Mapping[str, object] = json.loads(fields)
    allowed = {use: bool(found[column]) for use, column in COLUMNS.items() if found.get(column) is not None}
    return Statement(str(found.get("source", "")), str(found.get("statement", "")), allowed)
