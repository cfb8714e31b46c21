"""Applies rules to stored bodies, in the parser processes of a crawl, and writes the records into the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from hinterland.crawler.features.extraction.feature import extracted_records
from hinterland.crawler.parsing.extraction.rules import RuleSet, UrlPatterns
from hinterland.crawler.parsing.extraction.tables import as_stored
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.pool.config import parser_config, parser_processes
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.crawler.settings import Settings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.extraction import ExtractedRecord, FetchedPage
from hinterland.storage.values.records import Record

_BATCH = 64


class NothingKept(Exception):
    """Raised if the store has no bodies of the pages that the rules match; the message says what to do."""


@dataclass(slots=True)
class ExtractReport:
    """Counts what an extraction has done. Mutable.

    `pages` counts pages that were read again. `without_body` counts pages that the rules match but whose bodies were
    not kept. `tables` are the names of the tables that were filled.
    """

    pages: int = 0
    records: int = 0
    without_body: int = 0
    tables: Sequence[str] = ()


async def extract_again(
    rules: RuleSet,
    hooks: Sequence[str | bytes],
    store: LinkStore,
    settings: Settings,
    watch: Callable[[int, int], None],
) -> ExtractReport:
    """Store the rules, and fill their tables again.

    `hooks` is explained in `ParserConfig`. `watch` is called with the number of pages done and the number of all pages.

    Raises NothingKept before anything is changed, and the errors of the store.
    """
    patterns = [(table.name, UrlPatterns(table)) for table in rules.tables]
    wanted: dict[int, tuple[FetchedPage, list[str]]] = {}
    for page in await store.ask(lambda stored: stored.extractions.fetched()):
        names = [name for name, pattern in patterns if pattern.match(page.url)]
        if names:
            wanted[page.number] = page, names
    kept = [page for page, _ in wanted.values() if page.has_body]
    report = ExtractReport(without_body=len(wanted) - len(kept), tables=[name for name, _ in patterns])
    if wanted and not kept:
        raise NothingKept(
            f"the bodies of the {len(wanted):,} pages that these rules match were not kept; `recrawl --set"
            " storage.keep_bodies=true` fetches and keeps them, and crawl --extract RULES.toml applies rules while it"
            " crawls"
        )
    await store.set_extraction(as_stored(rules))
    for name, _ in patterns:
        still = {number for number, (_, names) in wanted.items() if name in names}
        await store.forget_extracted(name, still)
    pool = ParserPool(
        parser_config(settings, rules=rules.encoded(), hooks=hooks, extracts_only=True),
        processes=parser_processes(settings),
        timeout_seconds=settings.parsing.timeout_seconds,
    )
    async with pool:
        for batch in _batches(kept):
            bodies = await store.ask(partial(_bodies, [page.number for page in batch]))
            digests = await asyncio.gather(*(pool.parse(_raw(page, bodies)) for page in batch))
            records: list[Record] = []
            for page, digest in zip(batch, digests, strict=True):
                found = extracted_records(page.number, digest) or _failed(page, digest, wanted[page.number][1])
                records += found
                report.pages += 1
                report.records += sum(len(each.records) for each in found)
            await store.write(records)
            watch(report.pages, len(kept))
    return report


def _bodies(numbers: Sequence[int], stored: StoreReader) -> dict[int, bytes]:
    return stored.extractions.bodies(numbers)


def _raw(page: FetchedPage, bodies: Mapping[int, bytes]) -> RawPage:
    """Return a page with its stored body, in the form in which the fetcher would pass it on.

    The server seems to have sent this body, with the compression that the store uses.
    """
    return RawPage(page.url, bodies[page.number], "zstd", page.content_type)


async def extract_from(
    rules: RuleSet, hooks: Sequence[str | bytes], settings: Settings, url: str, body: bytes, content_type: str | None
) -> PageDigest:
    """Return what rules find in one page."""
    config = parser_config(settings, rules=rules.encoded(), hooks=hooks, extracts_only=True)
    async with ParserPool(config, processes=1, timeout_seconds=settings.parsing.timeout_seconds) as pool:
        return await pool.parse(RawPage(url, body, content_type=content_type))


def _failed(page: FetchedPage, digest: PageDigest, tables: Sequence[str]) -> list[ExtractedRecord]:
    """Return, for each table, a record that says why the page could not be read."""
    problem = f"{digest.failure}: {digest.detail}"
    return [ExtractedRecord(page.number, name, [], [], problem) for name in tables] if digest.failure else []


def _batches(pages: Sequence[FetchedPage]) -> Iterator[list[FetchedPage]]:
    rest = iter(pages)
    while batch := list(islice(rest, _BATCH)):
        yield batch
