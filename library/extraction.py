"""Extracts fields from the bodies that a store has kept, by rules and hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hinterland.crawler.parsing.extraction.hooks import Hook
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.library.errors import HinterlandError, StoreUnusable, require_known
from hinterland.library.event_loops import run_to_end
from hinterland.library.extracting.extracting import ExtractReport, NothingKept, extract_again, extract_from
from hinterland.library.given_settings import GivenSettings, effective_settings
from hinterland.library.hook_choice import chosen
from hinterland.library.kept_settings import settings_with_store
from hinterland.library.notes import warned
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import ExtractionChoice, chosen_extraction, stored_rules, with_stored
from hinterland.library.store_work import in_store
from hinterland.storage.reading.opening import reading

Hooks = Sequence[Hook | str] | Mapping[str, Hook]


def extract(
    store: str | Path,
    *,
    rules: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    hooks: Hooks = (),
    settings: GivenSettings = None,
    on_progress: Callable[[int, int], None] = lambda _done, _of: None,
    warn: Callable[[str], None] = warned,
) -> ExtractReport:
    """Fill the tables of records again from the bodies that the store has kept, as `hinterland extract` does.

    `rules` is a TOML file; if neither rules nor hooks are given, the rules in the store apply. `on_progress` is called
    with the number of pages done and the number of all pages. `warn` is called with the tables that are skipped.

    Raises HinterlandError if there are no rules or no bodies, and NoStore.
    """
    path = Path(store)
    given = _to_apply(path, rules, plugins, hooks, warn)
    held = settings_with_store(effective_settings(settings), str(path)).settings
    try:
        return in_store(path, lambda opened: extract_again(given.rules, given.hooks, opened, held, on_progress))
    except NothingKept as error:
        raise StoreUnusable(f"{path}: {error}") from error


def forget_table(store: str | Path, name: str) -> None:
    """Remove a table of records with its rules. Raises HinterlandError if there is no such table, and NoStore."""
    path = Path(store)
    with reading(path) as reader:
        known = stored_rules(reader)
    if not known.tables:
        raise StoreUnusable(f"{path} has no tables of extracted records")
    require_known("table", name, [table.name for table in known.tables])
    in_store(path, lambda opened: opened.forget_extraction(name))


def extracted_from(
    store: str | Path,
    url: str,
    *,
    rules: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    hooks: Hooks = (),
    settings: GivenSettings = None,
    warn: Callable[[str], None] = warned,
) -> PageDigest:
    """Return what the rules find in one page of the store; nothing is written.

    Arguments and errors are as in `extract`.
    """
    path = Path(store)
    given = _to_apply(path, rules, plugins, hooks, warn)
    held = settings_with_store(effective_settings(settings), str(path)).settings
    with reading(path) as reader:
        page = reader.pages.by_url(url)
        body = None if page is None else reader.pages.body(page.number)
    if page is None:
        raise StoreUnusable(f"{path} has no page {url}")
    if body is None:
        raise StoreUnusable(f"{path} has kept no body of {url} (storage.keep_bodies)")
    digest = run_to_end(lambda: extract_from(given.rules, given.hooks, held, page.url, body, page.content_type))
    if digest.failure:
        raise HinterlandError(f"{url} cannot be read: {digest.failure}: {digest.detail}")
    if not digest.extracted:
        raise HinterlandError(f"no rule matches {url}; check `pages` and `not_pages` in the rules")
    return digest


def _to_apply(
    path: Path,
    rules: str | Path | None,
    plugins: Sequence[str | Path],
    hooks: Hooks,
    warn: Callable[[str], None],
) -> ExtractionChoice:
    files = [str(each) for each in plugins]
    enter_plugins(files)
    own_hooks, installed_hooks = chosen(hooks)
    given = chosen_extraction(None if rules is None else str(rules), files, installed_hooks, objects=own_hooks)
    with reading(path) as reader:
        known = stored_rules(reader)
    if given.rules.tables:
        return given
    found, lacking = with_stored(known, given.rules)
    if lacking:
        warn(f"skipped, because their plug-in file was not given (--plugin FILE): {', '.join(lacking)}")
    if not found.tables:
        raise HinterlandError(f"{path} has no rules yet; give them with --rules RULES.toml")
    return ExtractionChoice(found, given.hooks)
