"""The configuration of the parser processes, from the settings."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

from hinterland.crawler.parsing.compiled.reader_building import ReaderUnusable, reader_to_use
from hinterland.crawler.parsing.messages import ParserConfig
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import MAX_URL_CHARACTERS

_LOG = logging.getLogger(__name__)


def parser_processes(settings: Settings) -> int:
    """Return how many parser processes to run: the setting, or one less than the CPUs."""
    return settings.parsing.processes or max(1, (os.cpu_count() or 2) - 1)


def parser_config(
    settings: Settings,
    *,
    page_readers: Sequence[ReaderOrder] = (),
    rules: bytes = b"",
    hooks: Sequence[str | bytes] = (),
    extracts_only: bool = False,
) -> ParserConfig:
    """Return what the parser processes need to know; the arguments are those of ParserConfig."""
    return ParserConfig(
        agent=settings.identity.name,
        max_body_bytes=settings.fetching.max_body_bytes,
        max_url_length=MAX_URL_CHARACTERS,
        sort_parameters=settings.urls.sort_parameters,
        drop_parameters=list(settings.urls.drop_parameters),
        keep_text=settings.storage.keep_text,
        keep_bodies=settings.storage.keep_bodies or settings.storage.keep_bodies_mb > 0,
        max_memory_bytes=settings.parsing.max_memory_mb << 20,
        reader=_reader() if settings.parsing.compiled and not extracts_only else "",
        max_links=settings.parsing.max_links,
        max_tree_bytes=settings.parsing.max_tree_mb * 1_000_000,
        page_readers=list(page_readers),
        rules=rules,
        hooks=[each for each in hooks if isinstance(each, str)],
        hook_objects=next((each for each in hooks if isinstance(each, bytes)), b""),
        extracts_only=extracts_only,
        documents=list(settings.fetching.documents),
        timeout_seconds=settings.parsing.timeout_seconds,
    )


def _reader() -> str:
    try:
        return str(reader_to_use())
    except ReaderUnusable as error:
        _LOG.warning("parsing pages in Python, which is slower: %s (to accept that, set parsing.compiled=false)", error)
        return ""
