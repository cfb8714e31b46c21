"""`extract`: from kept bodies to records."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import uvloop

from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.settings_sources import settings_of
from hinterland.crawler.parsing.extraction.rules import RuleSet
from hinterland.crawler.settings import Settings
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable, require_known
from hinterland.library.extracting.extracting import ExtractReport, NothingKept, extract_again, extract_from
from hinterland.library.kept_settings import settings_with_store
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import stored_rules, wanted, with_stored
from hinterland.library.text.extraction_text import extraction_lines
from hinterland.library.text.wording import counted, json_text, number, printable
from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore, StoreError
from hinterland.storage.lock import StoreInUse
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.extraction import TableReport

T = TypeVar("T")

_INTERVAL_SECONDS = 5.0


def run(arguments: Namespace) -> int:
    path, output = Path(arguments.store), Output(sys.stdout)
    enter_plugins(arguments.plugins)
    given = wanted(arguments.rules, arguments.plugins, arguments.hooks)
    with reading(path) as store:
        known = stored_rules(store)
    if arguments.forget:
        _forget(path, known, arguments.forget)
        output.write(f"{arguments.forget} and its records are gone from {printable(str(path))}")
        return OK
    rules, hooks = given.rules, given.hooks
    if not rules.tables:
        rules, lacking = with_stored(known, rules)
        if lacking:
            print(f"hinterland: left out, as their --plugin is not given: {', '.join(lacking)}", file=sys.stderr)
    if not rules.tables:
        raise HinterlandError(f"{path} has no rules yet; give them with --rules RULES.toml")
    settings = settings_with_store(settings_of(arguments), str(path)).settings
    if arguments.check:
        output.write(_checked(path, rules, hooks, settings, arguments.check))
        return OK
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:

        def watch(done: int, of: int) -> None:
            progress.update(f"{number(done)} of {number(of)} pages read")

        report = _in_store(path, lambda store: extract_again(rules, hooks, store, settings, watch))
    names = {table.name for table in rules.tables}
    with reading(path) as store:
        tables = [table for table in store.extractions.reports() if table.name in names]
    output.write(_as_json(report, tables) if arguments.json else _as_text(report, tables, arguments.store))
    return OK


def _forget(path: Path, known: RuleSet, name: str) -> None:
    if not known.tables:
        raise StoreUnusable(f"{path} has no table to forget")
    require_known("table", name, [table.name for table in known.tables])
    _in_store(path, lambda store: store.forget_extraction(name))


def _checked(path: Path, rules: RuleSet, hooks: Sequence[str | bytes], settings: Settings, url: str) -> str:
    """What is found in one page, as JSON."""
    with reading(path) as store:
        page = store.pages.by_url(url)
        body = None if page is None else store.pages.body(page.number)
    if page is None:
        raise StoreUnusable(f"{path} knows no page {url}")
    if body is None:
        raise StoreUnusable(f"{path} has kept no body of {url} (storage.keep_bodies)")
    digest = uvloop.run(extract_from(rules, hooks, settings, page.url, body, page.content_type))
    if digest.failure:
        raise HinterlandError(f"{url} cannot be read: {digest.failure}: {digest.detail}")
    if not digest.extracted:
        raise HinterlandError(f"no rule is for {url}; look at pages and not_pages of its table")
    found = {
        each.table: {
            "records": [json.loads(record) for record in each.records],
            "without_value": each.missing,
            **({"problem": each.problem} if each.problem else {}),
        }
        for each in digest.extracted
    }
    return json_text(found)


def _in_store(path: Path, work: Callable[[LinkStore], Awaitable[T]]) -> T:
    async def carried_out() -> T:
        async with LinkStore(path) as store:
            return await work(store)

    try:
        return uvloop.run(carried_out())
    except NothingKept as error:
        raise StoreUnusable(f"{path}: {error}") from error
    except (StoreInUse, StoreError) as error:
        raise StoreUnusable(str(error)) from None
    except Exception as error:
        failure = store_failure(error)
        if failure is None:
            raise
        raise StoreUnusable(f"{path} cannot be written: {failure}") from error


def _as_text(report: ExtractReport, tables: list[TableReport], store: str) -> str:
    lines = [f"{counted(report.pages, 'page')} read, {counted(report.records, 'record')} found"]
    if report.without_body:
        lines.append(f"  {counted(report.without_body, 'page')} left out, whose bodies were not kept")
    lines += extraction_lines(tables)
    if report.records:
        exported = f"{PROGRAM} export {printable(store)} --what records --table {tables[0].name} --format csv"
        lines += ["", f"Next   {exported}"]
    return "\n".join(lines)


def _as_json(report: ExtractReport, tables: list[TableReport]) -> str:
    return json_text({**asdict(report), "tables": [asdict(table) for table in tables]})
