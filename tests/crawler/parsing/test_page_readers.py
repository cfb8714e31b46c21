"""What features have read of pages in the parser processes."""

from __future__ import annotations

import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.messages import ParserConfig, RawPage
from hinterland.crawler.parsing.page_readers import PageReader, PageUnreadable, ReadablePage, ReaderOrder
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.settings import Settings

PAGE = b"<title>t</title><meta name=Author content='A. Uthor'><p>words <a href=/1>here"


class Counting(PageReader):
    """Says what it was made from, and what it sees of a page."""

    def __init__(self, needs: bytes) -> None:
        self.needs_text = b"text" in needs
        self.needs_paths = b"paths" in needs

    def read(self, page: ReadablePage) -> bytes:
        seen = page.url, page.page.title, len(page.content.text), len(page.content.link_paths), page.content.metadata
        return repr((*seen, page.source.charset)).encode()


class Failing(PageReader):
    """Finds nothing to read, or fails."""

    def __init__(self, failure: bytes) -> None:
        self.failure = failure.decode()

    def read(self, page: ReadablePage) -> bytes:
        if self.failure:
            raise PageUnreadable(self.failure)
        return b""


def order(name: str, kind: type[PageReader], config: bytes = b"") -> ReaderOrder:
    return ReaderOrder(name, f"{__name__}:{kind.__name__}", config)


def config(*orders: ReaderOrder) -> ParserConfig:
    return parser_config(Settings(), page_readers=orders)


def digest(*orders: ReaderOrder) -> dict[str, bytes]:
    made = PageDigester(config(*orders)).digest(RawPage("http://a.test/", PAGE, content_type="text/html"))
    assert made.page is not None
    return made.readings


def test_each_reader_sees_the_page_and_its_answer_has_its_name() -> None:
    seen = "('http://a.test/', 't', 10, {}, [('author', 'A. Uthor')], 'windows-1252')"
    assert digest(order("one", Counting, b"text"), order("other", Counting, b"paths"))["one"].decode() == seen.format(1)


def test_a_reader_that_finds_nothing_sends_nothing() -> None:
    assert digest(order("one", Failing)) == {}
    assert digest() == {}


def test_what_a_reader_cannot_read_fails_the_page_with_its_words() -> None:
    page = RawPage("http://a.test/", PAGE, content_type="text/html")
    made = PageDigester(config(order("one", Failing, b"no words"))).digest(page)
    assert (made.page, made.failure, made.detail) == (None, OutcomeKind.PARSER_CRASH, "no words")


def test_without_a_reader_that_needs_them_no_paths_are_read() -> None:
    assert b"', 10, 0, " in digest(order("one", Counting))["one"]


@pytest.mark.parametrize("broken", ["nowhere:reader", f"{__name__}:nothing"])
def test_a_reader_that_does_not_exist_is_an_error_at_once(broken: str) -> None:
    with pytest.raises((ImportError, AttributeError)):
        PageDigester(config(ReaderOrder("one", broken)))
