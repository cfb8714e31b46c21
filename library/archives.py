"""Imports archives from other tools into a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from hinterland.crawler.fetching.access.target import target_of
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.parsing.documents.reading import prepare
from hinterland.crawler.parsing.extraction.hooks import Hook
from hinterland.crawler.settings import EffectiveSettings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.crawls.seeds import GivenSeed, read_seeds
from hinterland.library.errors import HinterlandError
from hinterland.library.given_settings import GivenSettings, effective_settings
from hinterland.library.hook_choice import chosen
from hinterland.library.importing import importing
from hinterland.library.importing.importing import ImportReport, ImportRequest
from hinterland.library.importing.opening import IN_FOLDERS, SUFFIXES
from hinterland.library.importing.ranges import COMMON_CRAWL
from hinterland.library.kept_settings import resumed
from hinterland.library.notes import warned
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import ExtractionChoice, chosen_extraction, rules_to_apply
from hinterland.library.store_work import in_store
from hinterland.library.text.wording import printable
from hinterland.storage.link_store import LinkStore


def import_archives(
    paths: Sequence[str | Path],
    store: str | Path,
    *,
    local: Sequence[str] = (),
    scope: str | None = None,
    rules: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    hooks: Sequence[Hook | str] | Mapping[str, Hook] = (),
    settings: GivenSettings = None,
    archives_at: str = "",
    on_progress: Callable[[ImportReport], None] = lambda _report: None,
    warn: Callable[[str], None] = warned,
) -> ImportReport:
    """Import archives into a new or existing store, as `hinterland import` does.

    `paths` are files of the formats that `hinterland import --help` lists, answers of an archive index (.jsonl), or
    folders of archives. An answer of an index names archives by paths relative to the URL `archives_at`; "" means
    Common Crawl's URL. The domain is what `local` URLs define; without any, every host with an HTML page is local.
    `scope` says how much around these URLs is local: "hosts", "site" or "prefix". `rules`, `plugins`, `hooks` and
    `settings` are as for `crawl`. `on_progress` is called after every batch.

    Raises HinterlandError if an archive or the store cannot be used, and MissingPackage if a document cannot be read.
    """
    files = [file for path in paths for file in _files(Path(path))]
    if scope == "prefix" and not local:
        raise HinterlandError("--scope prefix needs the prefix that is local; name it with --local URL")
    if archives_at and target_of(archives_at) is None:
        raise HinterlandError(f"{archives_at} is not a URL of archives; write http:// or https:// and a host")
    effective = effective_settings(settings, {"scope.kind": scope})
    prepare(effective.settings.fetching.documents)
    plugin_files = [str(each) for each in plugins]
    enter_plugins(plugin_files)
    own_hooks, installed_hooks = chosen(hooks)
    given = chosen_extraction(None if rules is None else str(rules), plugin_files, installed_hooks, objects=own_hooks)
    command = ["import", *map(str, paths)]
    work = partial(
        _import,
        paths=files,
        given=effective,
        extraction=given,
        name=str(store),
        local=list(local),
        command=command,
        watch=on_progress,
        warn=warn,
        archives_at=archives_at or COMMON_CRAWL,
    )
    try:
        return in_store(Path(store), work, if_gone="; import the same files into it again to add what is missing")
    except OSError as error:
        raise HinterlandError(f"an archive cannot be read: {error}") from None


async def _import(
    store: LinkStore,
    *,
    paths: Sequence[Path],
    given: EffectiveSettings,
    extraction: ExtractionChoice,
    name: str,
    local: Sequence[str],
    command: Sequence[str],
    watch: Callable[[ImportReport], None],
    warn: Callable[[str], None],
    archives_at: str,
) -> ImportReport:
    stored = await store.ask(lambda stored: stored.runs.last_settings())
    settings = given if stored is None else resumed(given, from_json(stored), name)
    domain = read_seeds(
        [GivenSeed(text, f"--local {place}") for place, text in enumerate(local, 1)],
        Canonicaliser.under(settings.settings.urls),
    )
    if domain.complaints:
        raise HinterlandError(printable(domain.complaints[0]))
    rules = await rules_to_apply(store, extraction.rules, warn)
    request = ImportRequest(
        paths, settings.settings, domain.urls, command, rules, extraction.hooks, archives_at=archives_at
    )
    return await importing.import_archives(request, store, SteadyClock(), watch)


def _files(path: Path) -> Iterator[Path]:
    """Yield a file, or the archives in a folder. Raises HinterlandError."""
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.name.lower().endswith(IN_FOLDERS))
        if not found:
            raise HinterlandError(f"the folder {path} holds no archive ({', '.join(IN_FOLDERS)})")
        yield from found
    elif not path.is_file():
        raise HinterlandError(f"there is no archive {path}")
    elif not path.name.lower().endswith(SUFFIXES):
        raise HinterlandError(f"{path} is not an archive: its name must end in one of {', '.join(SUFFIXES)}")
    else:
        yield path
