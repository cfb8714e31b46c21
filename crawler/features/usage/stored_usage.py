"""Reads what the sites of a store say about the use of their pages: about one page, or which pages refuse a use.

A statement in robots.txt counts from the moment that the file was read, also for pages that were fetched earlier. So
the newest statement of a site is obeyed without new visits to its pages, also in stores of earlier versions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hinterland.crawler.features.tdm_files.reservations import TdmFile, tdm_file
from hinterland.crawler.features.usage.preferences import Statement, Use, combined
from hinterland.crawler.features.usage.robots_usage import RobotsUsage, robots_usage
from hinterland.crawler.features.usage.statement_table import COLUMNS, TABLE
from hinterland.crawler.features.usage.statements import TDM_RESERVATION
from hinterland.crawler.fetching.robots.rules import parse_robots
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.reading.reader import StoreReader

_MAY_SPEAK = "text IS NOT NULL AND instr(lower(CAST(text AS TEXT)), 'content-') > 0"
_OF_PAGE = "SELECT fields FROM record WHERE name = ? AND page = ? ORDER BY number"


@dataclass(slots=True)
class RefusedPages:
    """The pages of a store whose sites disallow a use.

    `pages` holds their numbers. `reasons` counts, for each statement as written, the pages that it applies to.
    """

    pages: set[int] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, page: int, statements: Iterable[Statement], uses: Collection[Use]) -> None:
        """Add a page if one of its statements disallows one of these uses."""
        refusing = {each.text for each in statements if any(each.allowed.get(use) is False for use in uses)}
        if refusing:
            self.pages.add(page)
            self.reasons.update(refusing)


class StoredUsage:
    """The statements in a store. Usable while the reader is open."""

    def __init__(self, store: StoreReader, agent: str) -> None:
        """Read a store. `agent` is the name of the crawler, which decides what counts in a robots.txt."""
        self._connection = store.connection
        self._agent = agent

    def of_page(self, number: int) -> list[Statement]:
        """Return the statements about a page: in its host's robots.txt and tdmrep.json, its header and itself."""
        row = self._connection.execute(
            "SELECT page.url, robots.text, tdm_file.text FROM page JOIN host ON host.id = page.host"
            " LEFT JOIN robots ON robots.host = page.host LEFT JOIN tdm_file ON tdm_file.host = host.url"
            " WHERE page.id = ?",
            (number,),
        ).fetchone()
        if row is None:
            return []
        url, text, reserved = row
        of_host = [] if not text else list(self._read(text).of(path_of(url)))
        own = self.of_page_alone(number)
        if reserved and not any(each.text.startswith(TDM_RESERVATION) for each in own):
            of_host += _reserved(tdm_file(reserved), path_of(url))
        return of_host + own

    def of_page_alone(self, number: int) -> list[Statement]:
        """Return the statements of a page and its header fields, without those of robots.txt."""
        return [_statement(fields) for (fields,) in self._connection.execute(_OF_PAGE, (TABLE, number))]

    def preferences(self, number: int) -> dict[Use, bool]:
        """Return what all statements about a page together allow and disallow. Uses that none names are left out."""
        return combined(statement.allowed for statement in self.of_page(number))

    def lines_of_host(self, host: int) -> list[str]:
        """Return the lines about usage in a host's robots.txt for this crawler, as written, and its tdmrep.json."""
        row = self._connection.execute("SELECT text FROM robots WHERE host = ?", (host,)).fetchone()
        lines = [] if row is None or not row[0] else parse_robots(row[0], self._agent, with_lines=False).usage
        found = [f"{name}: {value}" for name, value in lines]
        file = self._connection.execute(
            "SELECT text FROM tdm_file JOIN host ON host.url = tdm_file.host WHERE host.id = ?", (host,)
        ).fetchone()
        return found if file is None or not file[0] else [*found, *tdm_file(file[0]).texts]

    def refusing(self, uses: Collection[Use]) -> RefusedPages:
        """Return the fetched pages for which a statement disallows one of these uses."""
        refused = RefusedPages()
        hosts = self._connection.execute(f"SELECT host, text FROM robots WHERE {_MAY_SPEAK}").fetchall()
        for host, text in hosts:
            usage = self._read(text)
            if usage.refuses(uses):
                for page, url in self._pages_of(host):
                    refused.add(page, usage.of(path_of(url)), uses)
        if Use.TRAIN_AI in uses:
            self._add_reserved(refused)
        columns = " OR ".join(f"json_extract(fields, '$.{COLUMNS[use]}') = 0" for use in uses)
        own = self._connection.execute(f"SELECT page, fields FROM record WHERE name = ? AND ({columns})", (TABLE,))
        for page, fields in own:
            refused.add(page, [_statement(fields)], uses)
        return refused

    def _add_reserved(self, refused: RefusedPages) -> None:
        """Add pages for which a tdmrep.json reserves rights, unless they have a tdm-reservation of their own."""
        own = (
            f"SELECT page FROM record WHERE name = ? AND json_extract(fields, '$.statement') LIKE '{TDM_RESERVATION}%'"
        )
        speaking = {page for (page,) in self._connection.execute(own, (TABLE,))}
        files = self._connection.execute(
            "SELECT host.id, text FROM tdm_file JOIN host ON host.url = tdm_file.host WHERE text IS NOT NULL"
        ).fetchall()
        for host, text in files:
            file = tdm_file(text)
            for page, url in self._pages_of(host) if file.reserves else ():
                if page not in speaking:
                    refused.add(page, _reserved(file, path_of(url)), [Use.TRAIN_AI])

    def _pages_of(self, host: int) -> Iterator[tuple[int, str]]:
        yield from self._connection.execute(
            "SELECT page.id, page.url FROM page JOIN fetch ON fetch.page = page.id"
            " WHERE page.host = ? AND fetch.outcome = 'fetched'",
            (host,),
        )

    def _read(self, text: bytes) -> RobotsUsage:
        return robots_usage(parse_robots(text, self._agent, with_lines=False).usage)


def _reserved(file: TdmFile, path: str) -> list[Statement]:
    """Return the statement of a file about a path, if it has one."""
    rule = file.of(path)
    if rule is None:
        return []
    return [Statement("tdmrep.json", rule.text, {Use.TRAIN_AI: False} if rule.is_reserved else {})]


def _statement(fields: str) -> Statement:
    found: Mapping[str, object] = json.loads(fields)
    allowed = {use: bool(found[column]) for use, column in COLUMNS.items() if found.get(column) is not None}
    return Statement(str(found.get("source", "")), str(found.get("statement", "")), allowed)
