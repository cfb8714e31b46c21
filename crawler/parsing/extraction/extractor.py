"""Applies extraction rules to a page. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hinterland.crawler.parsing.extraction.extracted import Extracted
from hinterland.crawler.parsing.extraction.hooks import Hook, HookFailed, HookPage, records_of
from hinterland.crawler.parsing.extraction.rules import SELF, FieldRule, RuleSet, Source, TableRules, UrlPatterns
from hinterland.crawler.parsing.extraction.structured_data import Item, StructuredData, values_at
from hinterland.crawler.parsing.extraction.tree import Element, PageTree, text_of
from hinterland.crawler.parsing.extraction.values import MOST_CHARACTERS, Value, converted
from hinterland.crawler.urls.canonical import join

MOST_RECORDS: Final = 10_000
"""The maximum number of records of one page and table."""
MOST_VALUES: Final = 1_000
"""The maximum number of values in one list."""
MOST_RECORD_CHARACTERS: Final = 8_000_000
"""The maximum number of characters in all records of one page and table."""

_ENCODER: Final = msgspec.json.Encoder()
_Found = Iterable[object]


class Extractor:
    """The extraction of all tables of a crawl.

    The user's regular expressions and selectors may take arbitrarily long, so this must run in a process that can be
    killed.
    """

    def __init__(
        self,
        rules: RuleSet,
        hooks: Mapping[str, Hook] | None = None,
        begins: Callable[[int], None] = lambda table: None,
    ) -> None:
        """Compile the rules.

        `hooks` maps table names to hooks. `begins` is called with the number, from 1, of each table before its rules
        are applied, and with 0 after the last table.
        """
        self._tables: list[_Table | _HookTable] = [
            _HookTable(table, (hooks or {})[table.name]) if table.is_of_hook else _Table(table)
            for table in rules.tables
        ]
        self.begins = begins
        self.lacks_memory = False
        """Whether a hook ran out of memory. The hook may still hold what it allocated."""

    def wants(self, url: str) -> bool:
        """Return whether any table extracts from the page at `url`."""
        return any(table.patterns.match(url) for table in self._tables)

    def extract(self, html: bytes, url: str, without: Mapping[int, str] | None = None) -> list[Extracted]:
        """Return the records of every table whose URL patterns match the page.

        `html` is UTF-8. `without` names the tables that must not be tried again: it maps their numbers, from 1, to the
        reason. Raises MemoryError.
        """
        tables = [(number, table) for number, table in enumerate(self._tables, 1) if table.patterns.match(url)]
        if not tables:
            return []
        page = PageTree(html)
        base = _base(page, url)
        data = StructuredData(page, base)
        extracted = []
        for number, table in tables:
            if without and number in without:
                extracted.append(table.failed(without[number]))
                continue
            self.begins(number)
            try:
                extracted.append(table.extract(page, data, url, base, html))
            except HookFailed as ended:
                self.lacks_memory = self.lacks_memory or ended.is_memory
                extracted.append(table.failed(str(ended)))
        self.begins(0)
        return extracted


class _AnyTable:
    """A table and the URLs to which it applies; base class."""

    def __init__(self, rules: TableRules) -> None:
        """Compile the table's URL patterns."""
        self._rules = rules
        self.patterns = UrlPatterns(rules)

    def failed(self, problem: str) -> Extracted:
        """Return a result without records that states the problem."""
        return Extracted(self._rules.name, [], [field.name for field in self._rules.fields], problem)


class _HookTable(_AnyTable):
    """A table that is filled by a hook."""

    def __init__(self, rules: TableRules, hook: Hook) -> None:
        """Take the table's rules and its hook."""
        super().__init__(rules)
        self._hook = hook

    def extract(self, page: PageTree, _data: StructuredData, url: str, _base: str, html: bytes) -> Extracted:
        """Return the hook's records of the page. Raises HookFailed."""
        records = records_of(self._hook, self._rules, HookPage(url, html, page), MOST_RECORDS)
        if sum(map(len, records)) > MOST_RECORD_CHARACTERS:
            return self.failed(f"its records have more than {MOST_RECORD_CHARACTERS:,} characters")
        seen = set().union(*(msgspec.json.decode(record, type=dict[str, msgspec.Raw]) for record in records))
        missing = [field.name for field in self._rules.fields if field.name not in seen]
        return Extracted(self._rules.name, records, missing)


class _Table(_AnyTable):
    """A table that is filled by rules."""

    def __init__(self, rules: TableRules) -> None:
        """Compile the rules of each field."""
        super().__init__(rules)
        self._each = rules.each
        self._fields = [(rule, [_SourceReader(source, rule.type) for source in rule.sources]) for rule in rules.fields]

    def extract(self, page: PageTree, data: StructuredData, url: str, base: str, _html: bytes) -> Extracted:
        """Return the records that the rules find in the page, within the bounds of this module."""
        records: list[str] = []
        missing = {rule.name for rule, _ in self._fields}
        room, problem = MOST_RECORD_CHARACTERS, ""
        for around in self._starts(page, data):
            record, lacks = {}, False
            for rule, readers in self._fields:
                value = _value(rule=rule, readers=readers, around=around, page=page, data=data, url=url, base=base)
                if value is not None:
                    record[rule.name] = value
                lacks = lacks or (value is None and rule.is_required)
            if lacks or not record:
                continue
            encoded = _ENCODER.encode(record).decode()
            room -= len(encoded)
            if room < 0 or len(records) >= MOST_RECORDS:
                problem = f"it has more than {MOST_RECORDS:,} records or {MOST_RECORD_CHARACTERS:,} characters of them"
                break
            missing.difference_update(record)
            records.append(encoded)
        return Extracted(self._rules.name, records, sorted(missing), problem)

    def _starts(self, page: PageTree, data: StructuredData) -> Iterable[Element | Item | None]:
        each = self._each
        if each is None:
            return (None,)
        return page.all(each.where) if each.kind == "css" else data.of_type(each.kind, each.where)


def _value(
    rule: FieldRule,
    readers: list[_SourceReader],
    around: Element | Item | None,
    page: PageTree,
    data: StructuredData,
    url: str,
    base: str,
) -> Value | list[Value] | None:
    for reader in readers:
        values: list[Value] = []
        for found in reader.found(around, page, data, url):
            value = converted(found, rule.type, reader.source, base)
            if value is None:
                continue
            if not rule.is_list:
                return value
            values.append(value)
            if len(values) >= MOST_VALUES:
                break
        if values:
            return values
    return None


class _SourceReader:
    """Finds the values of one source of a field, in document order."""

    def __init__(self, source: Source, kind: str) -> None:
        """Compile the source's regular expression; `kind` is the type of the field."""
        self.source = source
        self._regex = re.compile(source.regex) if source.regex else None
        self._is_html = kind == "html"

    def found(self, around: Element | Item | None, page: PageTree, data: StructuredData, url: str) -> Iterator[object]:
        """Yield the values found in `around`, the element or item of a record; without it, in the whole page."""
        found = self._found(around, page, data, url)
        if self._regex is None:
            yield from found
            return
        for each in found:
            match = self._regex.search(str(each)[:MOST_CHARACTERS])
            if match is not None:
                yield match[1] if match.re.groups else match[0]

    def _found(self, around: Element | Item | None, page: PageTree, data: StructuredData, url: str) -> _Found:
        source = self.source
        match source.kind:
            case "css":
                return self._of_elements(around if isinstance(around, Element) else None, page)
            case "url":
                return (url,)
            case "meta":
                return data.meta(source.where)
        items: Iterable[Item]
        if around is not None and not isinstance(around, Element) and not source.item:
            items = (around,)
        else:
            items = data.of_type(source.kind, source.item) if source.item else data.items(source.kind)
        return values_at(items, source.where)

    def _of_elements(self, around: Element | None, page: PageTree) -> Iterator[Any]:
        source = self.source
        if source.where == SELF:
            elements: Iterable[Element] = () if around is None else (around,)
        else:
            elements = page.all(source.where) if around is None else around.css(source.where)
        for element in elements:
            if source.attribute:
                yield element.attributes.get(source.attribute) or ""
            else:
                yield (element.html or "") if self._is_html else text_of(element)


def _base(page: PageTree, url: str) -> str:
    """Return the URL that the page's relative URLs resolve against."""
    element = page.first("base[href]")
    return (join((element.attributes.get("href") or ""), url) or url) if element is not None else url
