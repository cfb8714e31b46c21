"""Rules as the store has them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from hinterland.crawler.parsing.extraction.rules import FieldRule, RuleSet, TableRules, table_rules
from hinterland.storage.values.extraction import Column, ExtractionTable


class UnknownRules(Exception):
    """A store has rules of a form that this version does not know; the message names the table."""


def columns_of(table: TableRules) -> list[Column]:
    return [Column(field.name, field.type, field.is_list) for field in table.fields]


def as_stored(rules: RuleSet) -> list[ExtractionTable]:
    return [
        ExtractionTable(table.name, columns_of(table), msgspec.json.encode(table).decode()) for table in rules.tables
    ]


def from_stored(stored: Mapping[str, str]) -> RuleSet:
    """stored: encoded rules by the name of their table. Raises UnknownRules."""
    return RuleSet(list(_decoded(stored)))


def _decoded(stored: Mapping[str, str]) -> Iterable[TableRules]:
    for name, encoded in stored.items():
        try:
            table = table_rules(encoded)
        except msgspec.DecodeError as error:
            raise UnknownRules(f"the rules of {name} in the store cannot be read: {error}") from error
        if not table.is_of_feature:
            yield table


def table_of_feature(name: str, columns: Mapping[str, str]) -> ExtractionTable:
    """A table that a feature of the crawl fills, a record or more for each page. columns: name -> type, one of TYPES;
    names are made of letters, digits and _.
    """
    fields = [FieldRule(column, [], kind) for column, kind in columns.items()]
    [table] = as_stored(RuleSet([TableRules(name, [], fields, is_of_feature=True)]))
    return table


def merged(stored: RuleSet, given: RuleSet) -> RuleSet:
    """All tables of both; of one that both have, the rules given."""
    names = {table.name for table in given.tables}
    return RuleSet([*(table for table in stored.tables if table.name not in names), *given.tables])
