"""Converts extraction rules to and from the form in which the store keeps them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from hinterland.crawler.parsing.extraction.rules import FieldRule, RuleSet, TableRules, table_rules
from hinterland.storage.values.extraction import Column, ExtractionTable


class UnknownRules(Exception):
    """Raised if a store holds rules in an unknown form, perhaps from another version. The message names the table."""


def columns_of(table: TableRules) -> list[Column]:
    """Return the columns of a table."""
    return [Column(field.name, field.type, field.is_list) for field in table.fields]


def as_stored(rules: RuleSet) -> list[ExtractionTable]:
    """Return the rules of each table as the store keeps them."""
    return [
        ExtractionTable(table.name, columns_of(table), msgspec.json.encode(table).decode()) for table in rules.tables
    ]


def from_stored(stored: Mapping[str, str], *, with_features: bool = False) -> RuleSet:
    """Return the rules of a store, which holds encoded rules by table name. Raises UnknownRules.

    Tables that a feature of the crawl fills have no rules; they are returned only `with_features`.
    """
    return RuleSet([table for table in _decoded(stored) if with_features or not table.is_of_feature])


def _decoded(stored: Mapping[str, str]) -> Iterable[TableRules]:
    for name, encoded in stored.items():
        try:
            yield table_rules(encoded)
        except msgspec.DecodeError as error:
            raise UnknownRules(f"the rules of {name} in the store cannot be read: {error}") from error


def table_of_feature(name: str, columns: Mapping[str, str]) -> ExtractionTable:
    """Return a table that a feature of the crawl fills, with any number of records per page.

    `columns` maps names (letters, digits and _) to types, which are in TYPES.
    """
    fields = [FieldRule(column, [], kind) for column, kind in columns.items()]
    [table] = as_stored(RuleSet([TableRules(name, [], fields, is_of_feature=True)]))
    return table


def merged(stored: RuleSet, given: RuleSet) -> RuleSet:
    """Return the tables of both sets; if both have a table, its rules are those of `given`."""
    names = {table.name for table in given.tables}
    return RuleSet([*(table for table in stored.tables if table.name not in names), *given.tables])
