"""Chooses what to extract: the rules in a file, and the hooks of plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hinterland.crawler.parsing.extraction.hooks import Hook, hook_rules
from hinterland.crawler.parsing.extraction.rule_file import ExtractionRulesError, read_rules
from hinterland.crawler.parsing.extraction.rules import RuleSet, TableRules
from hinterland.crawler.parsing.extraction.tables import UnknownRules, as_stored, from_stored, merged
from hinterland.crawler.plugins.kinds import HOOK
from hinterland.crawler.plugins.loading import PluginError, is_running_program
from hinterland.crawler.plugins.objects import as_bytes
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.plugin_tables import entered, require
from hinterland.library.text.wording import printable
from hinterland.storage.reading.reader import StoreReader

if TYPE_CHECKING:
    from hinterland.storage.link_store import LinkStore

NO_RULES: Final = RuleSet([])


@dataclass(frozen=True, slots=True)
class ExtractionChoice:
    """What to extract. `hooks` says where to find the hooks that `rules` name; see ParserConfig."""

    rules: RuleSet = NO_RULES
    hooks: Sequence[str | bytes] = ()


NO_EXTRACTION = ExtractionChoice()


def chosen_extraction(
    rules: str | None,
    plugins: Sequence[str],
    names: Sequence[str] = (),
    *,
    objects: Mapping[str, Hook] = MappingProxyType({}),
) -> ExtractionChoice:
    """Return the rules in a file, if a file is given, and the hooks.

    Hooks come from plug-in files that have been registered, from installed plug-ins by `names`, and from `objects`.
    Raises HinterlandError.
    """
    given = _rules_in(rules)
    for name in names:
        require(HOOK, name)
    of_program = [file for file in plugins if is_running_program(Path(file))]
    objects = {**objects, **entered(HOOK, of_program, [])}  # other processes need not run the program again
    plugins = [file for file in plugins if file not in of_program]
    hooks: dict[str, Hook] = entered(HOOK, plugins, names)
    if both := hooks.keys() & objects.keys():
        raise HinterlandError(f"{min(both)} is the name of two hooks, one of them in a plug-in; rename one of them")
    sources = [str(Path(file).absolute()) for file in plugins] if hooks else []
    hooks |= objects
    if both := {table.name for table in given.tables} & hooks.keys():
        raise HinterlandError(
            f"{min(both)} is a table of {rules} and the name of a hook; give one of them another name"
        )
    try:
        tables = [hook_rules(name, hook) for name, hook in hooks.items()]
    except ExtractionRulesError as error:
        raise HinterlandError(printable(str(error))) from None
    try:
        own = [as_bytes(HOOK, objects)] if objects else []
    except PluginError as error:
        raise HinterlandError(str(error)) from error
    return ExtractionChoice(RuleSet([*given.tables, *tables]), [*sources, *names, *own])


def _rules_in(path: str | None) -> RuleSet:
    if path is None:
        return NO_RULES
    try:
        return read_rules(Path(path).read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise HinterlandError(f"the rules in {path} cannot be read: {error}") from None
    except ExtractionRulesError as error:
        raise HinterlandError(printable(str(error))) from None


def stored_rules(store: StoreReader) -> RuleSet:
    """Return the rules of a store. Raises HinterlandError if this version of the program cannot read them."""
    return _stored(store, with_features=False)


def stored_tables(store: StoreReader) -> dict[str, TableRules]:
    """Return all tables of records in a store by name, beginning with the tables of its rules.

    Tables that features of the crawl fill are included unless they are empty. Raises the errors of `stored_rules`.
    """
    filled = set(store.extractions.names())
    tables = [table for table in _stored(store, with_features=True).tables if table.name in filled]
    return {table.name: table for table in sorted(tables, key=lambda table: table.is_of_feature)}


def _stored(store: StoreReader, *, with_features: bool) -> RuleSet:
    try:
        return from_stored(store.extractions.rules(), with_features=with_features)
    except UnknownRules as error:
        raise StoreUnusable(f"{error}; give them again") from error


def with_stored(stored: RuleSet, given: RuleSet) -> tuple[RuleSet, list[str]]:
    """Return the tables of both rule sets, without tables whose hooks are missing, and the names of these tables."""
    tables = merged(stored, given)
    here = {table.name for table in given.tables}
    lacking = [table.name for table in tables.tables if table.is_of_hook and table.name not in here]
    return RuleSet([table for table in tables.tables if table.name not in lacking]), lacking


async def rules_to_apply(store: LinkStore, given: RuleSet, warn: Callable[[str], None]) -> bytes:
    """Return the encoded rules of an open store and of this run; b"" if there are no rules.

    Rules of this run replace stored rules of the same table, and are stored.
    """
    rules, lacking = with_stored(await store.ask(stored_rules), given)
    if lacking:
        hooks = ", ".join(lacking)
        warn(f"not filled in this run, because their hooks are missing: {hooks}; give --plugin FILE")
    if not rules.tables:
        return b""
    await store.set_extraction(as_stored(given))
    return rules.encoded()
