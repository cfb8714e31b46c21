"""Extraction rules as checked values: which fields to extract from which pages. Pure.

Parser processes and stores receive them in the same encoded form.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

TYPES: Final = ("text", "integer", "number", "boolean", "date", "datetime", "url", "html")
KINDS: Final = ("css", "jsonld", "microdata", "meta", "url")
"""The kinds of sources of values; a source has exactly one kind."""
SELF: Final = ":scope"
"""The selector that stands for the element that `each` found."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place in a page where a value may be found.

    `where` is a selector, a path of names with dots, or the name of a meta element; it is empty for the page's URL.
    `item` is the type of the item at which a path begins. `regex`, if set, takes the value out of a text: the value is
    what the first group matches or, without groups, what the whole expression matches. Text that does not match is
    ignored.
    """

    kind: str
    where: str = ""
    attribute: str = ""
    item: str = ""
    regex: str = ""
    decimal: str = "."
    format: str = ""


class FieldRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rule of one column. Its value comes from the first of `sources` that has a value."""

    name: str
    sources: list[Source]
    type: str = "text"
    is_list: bool = False
    is_required: bool = False


class TableRules(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rules of one table.

    `pages` and `not_pages` are the URL patterns to read and to skip, see `as_regex`. `each` finds the elements or items
    that become one record each; None means one record per page. `is_of_hook` says that the hook with the table's name
    fills the table, so the fields have no sources. `is_of_feature` says that a feature of the crawl fills the table,
    without reading pages.
    """

    name: str
    pages: list[str]
    fields: list[FieldRule]
    not_pages: list[str] = []
    each: Source | None = None
    is_of_hook: bool = False
    is_of_feature: bool = False


class RuleSet(msgspec.Struct, frozen=True):
    """The rules of all tables of one file."""

    tables: list[TableRules]

    def encoded(self) -> bytes:
        """Return the rules as JSON, for `rule_set`."""
        return msgspec.json.encode(self)


def rule_set(encoded: bytes) -> RuleSet:
    """Decode what `RuleSet.encoded` returned. Raises msgspec.DecodeError."""
    return msgspec.json.decode(encoded, type=RuleSet)


def table_rules(encoded: str) -> TableRules:
    """Decode the rules of one table. Raises msgspec.DecodeError."""
    return msgspec.json.decode(encoded, type=TableRules)


def as_regex(pattern: str) -> str:
    """Return the regular expression of a URL pattern: * matches any text without "/" and "?", ** any text."""
    parts = re.split(r"(\*\*|\*)", pattern)
    return "".join({"**": ".*", "*": "[^/?]*"}.get(part, re.escape(part)) for part in parts)


class UrlPatterns:
    """Matches the URLs of the pages that a table reads."""

    def __init__(self, table: TableRules) -> None:
        """Compile the table's patterns."""
        self._wanted = _any_of(table.pages)
        self._left_out = _any_of(table.not_pages) if table.not_pages else None

    def match(self, url: str) -> bool:
        """Return whether the table reads the page at `url`."""
        return bool(self._wanted.fullmatch(url)) and not (self._left_out and self._left_out.fullmatch(url))


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{as_regex(pattern)})" for pattern in patterns), re.DOTALL)
