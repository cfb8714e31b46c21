"""`import`: archives of others into a link store."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import uvloop

from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.settings_sources import settings_of
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import EffectiveSettings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.crawls.requirements import require_readers
from hinterland.library.crawls.seeds import GivenSeed, read_seeds
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.importing.importing import ImportReport, ImportRequest, import_archives
from hinterland.library.importing.opening import SUFFIXES
from hinterland.library.kept_settings import resumed
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import Wanted, rules_to_apply, wanted
from hinterland.library.text.wording import counted, number, printable, table
from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore, StoreError
from hinterland.storage.lock import StoreInUse
from hinterland.storage.store_files import StoreGone

_INTERVAL_SECONDS = 5.0


def run(arguments: Namespace) -> int:
    paths = [file for path in arguments.paths for file in _files(Path(path))]
    if arguments.scope == "prefix" and not arguments.local:
        raise HinterlandError("--scope prefix needs to know a prefix; name it with --local URL")
    settings = settings_of(arguments, {"scope.kind": arguments.scope})
    require_readers(settings.settings)
    enter_plugins(arguments.plugins)
    rules = wanted(arguments.extract, arguments.plugins, arguments.hooks)
    try:
        report = uvloop.run(_import(paths, settings, rules, arguments))
    except (StoreInUse, StoreError) as error:
        raise StoreUnusable(str(error)) from None
    except OSError as error:
        raise HinterlandError(f"an archive cannot be read: {error}") from None
    except Exception as error:
        failure = store_failure(error)
        if failure is None:
            raise
        if isinstance(failure, StoreGone):
            again = "; import the same into it again, and what it lacks is added" if failure.now_at else ""
            raise StoreUnusable(f"{failure}{again}") from error
        raise StoreUnusable(f"{arguments.store} cannot be written: {failure}") from error
    text = json.dumps(report.as_json(), ensure_ascii=False) if arguments.json else _text(report, arguments.store)
    Output(sys.stdout).write(text)
    return OK if report.pages or report.known_already else EndReason.NOTHING_FETCHED.exit_code


async def _import(paths: list[Path], given: EffectiveSettings, wanted: Wanted, arguments: Namespace) -> ImportReport:
    async with LinkStore(Path(arguments.store)) as store:
        stored = await store.ask(lambda stored: stored.runs.last_settings())
        settings = given if stored is None else resumed(given, from_json(stored), arguments.store)
        local = read_seeds(
            [GivenSeed(text, f"--local {place}") for place, text in enumerate(arguments.local, 1)],
            Canonicaliser.under(settings.settings.urls),
        )
        if local.complaints:
            raise HinterlandError(printable(local.complaints[0]))
        rules = await rules_to_apply(store, wanted.rules, _warn)
        command = ["import", *arguments.paths]
        request = ImportRequest(paths, settings.settings, local.urls, command, rules, wanted.hooks)
        with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
            return await import_archives(
                request, store, SteadyClock(), lambda report: progress.update(_taken_in(report))
            )


def _warn(message: str) -> None:
    print(f"hinterland: warning: {message}", file=sys.stderr)


def _taken_in(report: ImportReport) -> str:
    return f"{counted(report.pages, 'page')} taken in, {counted(report.links, 'link')}"


def _files(path: Path) -> Iterator[Path]:
    """A file, or the archives in a folder."""
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.name.lower().endswith(SUFFIXES[:-1]))
        if not found:
            raise HinterlandError(f"the folder {path} holds no archive ({', '.join(SUFFIXES[:-1])})")
        yield from found
    elif not path.is_file():
        raise HinterlandError(f"there is no archive {path}")
    elif not path.name.lower().endswith(SUFFIXES):
        raise HinterlandError(f"{path}: an archive is named {', '.join(SUFFIXES)}")
    else:
        yield path


def _text(report: ImportReport, store: str) -> str:
    outcomes = ", ".join(f"{number(count)} {outcome}" for outcome, count in report.outcomes.most_common())
    lines = [
        f"{counted(report.pages, 'page')} from {counted(report.files, 'file')} are in {printable(store)}"
        + (f": {outcomes}" if outcomes else ""),
        (
            f"  {counted(report.links, 'link')}, {number(report.robots)} robots.txt,"
            f" {counted(report.link_data, 'page')} known by their links only"
        ),
    ]
    if report.extracted:
        records = counted(report.extracted, "record")
        lines.append(f"  {records} taken out of them by rules; status tells of their tables")
    if report.skipped:
        lines += ["", "Skipped, by kind of record and reason"]
        rows = [(kind, number(count), printable(reason)) for (kind, reason), count in report.skipped.most_common(30)]
        lines += table(rows, right=(1,))
        if len(report.skipped) > len(rows):
            lines.append(f"  and {number(len(report.skipped) - len(rows))} more reasons; --json has them all")
    return "\n".join(lines)
