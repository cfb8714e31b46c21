"""Parses pages, and reads those of an index, in the test's own process: to start others takes up to two seconds of CPU
time, and is not what most tests of whole commands are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import pytest

from hinterland.crawler.assembly.running import run_crawl
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.library.crawls import crawl_run
from hinterland.library.extracting import extracting
from hinterland.library.importing import importing
from hinterland.search.index import digesting
from hinterland.search.index.extraction import Batch, digests
from hinterland.search.main_content import HostProfile, digest, digest_of_visible_text
from hinterland.search.store.values.documents import Digest, RawContent
from tests.support.crawling import InlineParsers


def parse_here(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(crawl_run, "run_crawl", partial(run_crawl, pool=InlineParsers))
    patch.setattr(extracting, "ParserPool", InlineParsers)
    patch.setattr(importing, "ParserPool", InlineParsers)
    patch.setattr(digesting, "digests", _digests)


def parse_in_processes(patch: pytest.MonkeyPatch) -> None:
    """As the program does it."""
    patch.setattr(crawl_run, "run_crawl", run_crawl)
    patch.setattr(extracting, "ParserPool", ParserPool)
    patch.setattr(importing, "ParserPool", ParserPool)
    patch.setattr(digesting, "digests", digests)


def _digests(batches: Iterable[Batch], *, processes: int) -> Iterator[list[Digest]]:
    for pages, profiles in batches:
        assert processes > 0
        yield [_digest(page, profiles[page.host]) for page in pages]


def _digest(page: RawContent, profile: HostProfile) -> Digest:
    try:
        return digest(page, profile)
    except Exception:  # a hostile page can make a parser raise anything
        return digest_of_visible_text(page)
