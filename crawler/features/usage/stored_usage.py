"""What the sites of a store say about the use of their pages, for `explain`, exports, indexes and assistants."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from hinterland.crawler.features.usage.sentences import quoted, usage_lines
from hinterland.crawler.features.usage.statement import Statement
from hinterland.crawler.features.usage.statement_table import TABLE
from hinterland.crawler.features.usage.stored_statements import StoredStatements, reserved_in
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.stored_feature import Remark, StoredFeature
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.uses import RefusedPages, Use, combined


class StoredUsage(StoredFeature):
    """The statements of sites about the use of stored pages."""

    tables = frozenset({TABLE})

    def __init__(self, store: StoreReader | None, agent: str) -> None:
        """Read a store, if there is one.

        `agent` is the crawler's name, by which the lines of a robots.txt are chosen.
        """
        self._stored = StoredStatements(store, agent)

    def remarks(self, url: str, page: int | None, rules: RobotsRules | None) -> Sequence[Remark]:
        """Return what the site says about the use of a page: the result, and each statement with its source."""
        statements = self._stored.of_url(url, page, rules)
        value = {
            "allowed": {str(use): is_allowed for use, is_allowed in _preferences(statements).items()},
            "statements": [{"source": each.source, "text": each.text} for each in statements],
        }
        return [Remark("usage", "usage", list(usage_lines(statements)), value)]

    def preferences(self, page: int) -> dict[Use, bool]:
        """Return what all statements about a page together allow and disallow, without uses that none of them names."""
        return _preferences(self._stored.of_page(page))

    def refusals(self, page: int, use: Use) -> Sequence[str]:
        """Return the statements that disallow a use of a page, each with its source before it."""
        return [quoted(each) for each in _refusing(self._stored.of_page(page), [use])]

    def about_host(self, host: int) -> Sequence[str]:
        """Return the lines about usage in a host's robots.txt, for this crawler, and the rules of its tdmrep.json."""
        return self._stored.lines_of_host(host)

    def refusing(self, uses: Collection[Use]) -> RefusedPages:
        """Return the fetched pages for which a statement disallows one of these uses."""
        refused = RefusedPages()
        for page, statements in chain(self._by_robots(uses), self._by_files(uses), self._by_themselves(uses)):
            if reasons := {each.text for each in _refusing(statements, uses)}:
                refused.add(page, reasons)
        return refused

    def _by_robots(self, uses: Collection[Use]) -> Iterator[tuple[int, Iterable[Statement]]]:
        for host, usage in self._stored.robots_that_speak():
            if usage.refuses(uses):
                for page, path in self._stored.fetched_pages_of(host):
                    yield page, usage.of(path)

    def _by_files(self, uses: Collection[Use]) -> Iterator[tuple[int, Iterable[Statement]]]:
        """Yield what each tdmrep.json says about pages that have no tdm-reservation of their own."""
        if Use.TRAIN_AI not in uses:
            return
        speaking = self._stored.reserved_alone()
        for host, file in self._stored.tdm_files():
            for page, path in self._stored.fetched_pages_of(host) if file.reserves else ():
                if page not in speaking:
                    yield page, reserved_in(file, path)

    def _by_themselves(self, uses: Collection[Use]) -> Iterator[tuple[int, Iterable[Statement]]]:
        for page, statement in self._stored.refusing_alone(uses):
            yield page, [statement]


def _preferences(statements: Iterable[Statement]) -> dict[Use, bool]:
    return combined(each.allowed for each in statements)


def _refusing(statements: Iterable[Statement], uses: Collection[Use]) -> Iterator[Statement]:
    """Yield the statements that disallow at least one of these uses."""
    for each in statements:
        if any(each.allowed.get(use) is False for use in uses):
            yield each
