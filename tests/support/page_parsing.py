"""Pages parsed by both readers, which must say the same."""

from __future__ import annotations

from functools import cache
from typing import Any

from hinterland.crawler.parsing.compiled.element_reader import CompiledReader
from hinterland.crawler.parsing.compiled.reader_building import ReaderUnusable, build_reader
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.parsing.html.parsed_page import ParsedPage, VisibleText
from hinterland.crawler.parsing.page_readers import ReadablePage
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver


@cache
def compiled() -> CompiledReader | None:
    """None without a C compiler."""
    try:
        return CompiledReader(build_reader())
    except ReaderUnusable:
        return None


def parsed(body: bytes, **arguments: Any) -> tuple[ParsedPage, VisibleText]:
    """`parse_page`, by the compiled reader as well where there is one."""
    of_source = [arguments.pop(name) for name in ("content_type", "max_tree_bytes") if name in arguments]
    page = parse_page(HtmlSource(body, *of_source), **arguments)
    if (read := compiled()) is not None:
        assert parse_page(HtmlSource(body, *of_source), read=read, **arguments) == page
    return page


def readable(body: bytes) -> ReadablePage:
    """A page of a.test, as page readers get it."""
    url, content_type = "http://a.test/", "text/html; charset=utf-8"
    page, content = parsed(
        body,
        url=url,
        content_type=content_type,
        resolver=LinkResolver(Canonicaliser()),
        agent="Hinterland",
        with_paths=True,
        with_parts=True,
    )
    return ReadablePage(url, page, content, HtmlSource(body, content_type))
