"""What to take out of which pages, as values: rules as a file gave them, checked. Pure.

They go to the parser processes and into the store in one encoded form.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

TYPES: Final = ("text", "integer", "number", "boolean", "date", "datetime", "url", "html")
KINDS: Final = ("css", "jsonld", "microdata", "meta", "url")
"""Where a value may come from; a source has one of them."""
SELF: Final = ":scope"
"""In place of a selector: the element that `each` found."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """One place where a value may stand. where: a selector, a path of names with dots, the name of a meta element; of
    the page's URL nothing. item: the type of the item that a path begins at. regex: of what is found only what its
    first group, or all of it, matches; what it does not match is no value.
    """

    kind: str
    where: str = ""
    attribute: str = ""
    item: str = ""
    regex: str = ""
    decimal: str = "."
    format: str = ""


class FieldRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column. sources: the first one that has a value gives it."""

    name: str
    sources: list[Source]
    type: str = "text"
    is_list: bool = False
    is_required: bool = False


class TableRules(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table. pages: patterns of URLs, see `as_regex`; not_pages: of those that are left out. each: what there is one
    record of; None: one record a page. is_of_hook: a hook of that name reads the pages, so no field has a source.
    is_of_feature: a feature of the crawl fills it, and nobody reads pages for it.
    """

    name: str
    pages: list[str]
    fields: list[FieldRule]
    not_pages: list[str] = []
    each: Source | None = None
    is_of_hook: bool = False
    is_of_feature: bool = False


class RuleSet(msgspec.Struct, frozen=True):
    """All tables of one file."""

    tables: list[TableRules]

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)


def rule_set(encoded: bytes) -> RuleSet:
    """Raises msgspec.DecodeError."""
    return msgspec.json.decode(encoded, type=RuleSet)


def table_rules(encoded: str) -> TableRules:
    """Raises msgspec.DecodeError."""
    return msgspec.json.decode(encoded, type=TableRules)


def as_regex(pattern: str) -> str:
    """The regular expression of a pattern: * is any run of characters but "/" and "?", ** is any run at all."""
    parts = re.split(r"(\*\*|\*)", pattern)
    return "".join({"**": ".*", "*": "[^/?]*"}.get(part, re.escape(part)) for part in parts)


class UrlPatterns:
    """Whether a table wants a page."""

    def __init__(self, table: TableRules) -> None:
        self._wanted = _any_of(table.pages)
        self._left_out = _any_of(table.not_pages) if table.not_pages else None

    def match(self, url: str) -> bool:
        return bool(self._wanted.fullmatch(url)) and not (self._left_out and self._left_out.fullmatch(url))


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{as_regex(pattern)})" for pattern in patterns), re.DOTALL)
