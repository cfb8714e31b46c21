"""Turns a page whose text is all that an archive has into HTML, which is parsed like any page. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from hinterland.crawler.fetching.answers import Answer
from hinterland.library.importing.items import ArchivedResponse

CONTENT_TYPE: Final = "text/html; charset=utf-8"
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MOST_LINKS: Final = 50_000


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of a page. Each line is a paragraph.

    `links` are (URL, anchor). `robots` are directives of a robots meta element, such as "noindex" and "noai".
    """

    url: str
    captured_at: float
    text: str
    title: str = ""
    language: str = ""
    description: str = ""
    links: Sequence[tuple[str, str]] = ()
    robots: Sequence[str] = ()


def response_with(page: ExtractedText) -> ArchivedResponse:
    """Return a response whose body is this page as HTML."""
    answer = Answer(200, as_html(page).encode("utf-8", "replace"), 0.0, content_type=CONTENT_TYPE)
    return ArchivedResponse(page.url, page.captured_at, answer, is_rebuilt=True)


def as_html(page: ExtractedText) -> str:
    """Return the page as HTML, with its links at the end."""
    return "\n".join(_lines(page))


def _lines(page: ExtractedText) -> Iterator[str]:
    yield f'<!doctype html><html lang="{_escaped(page.language)}"><title>{_escaped(page.title)}</title>'
    if page.description:
        yield f'<meta name="description" content="{_escaped(page.description)}">'
    if page.robots:
        yield f'<meta name="robots" content="{_escaped(", ".join(page.robots))}">'
    for line in page.text.splitlines():
        if line.strip():
            yield f"<p>{_escaped(line)}</p>"
    for url, anchor in page.links[:_MOST_LINKS]:
        yield f'<a href="{_escaped(url)}">{_escaped(anchor)}</a>'


def _escaped(text: str) -> str:
    return escape(_CONTROLS.sub(" ", text))
