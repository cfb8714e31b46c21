"""Reads examples from files: a page in HTML, a text, or a list of URLs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_words import word_counts
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver

MOST_BYTES: Final = 20_000_000
_HTML: Final = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<!--")
_XHTML: Final = (".xhtml", ".xht")
_ADDRESS: Final = "http://file.invalid/"


class BadFile(ValueError):
    """Raised if a file cannot be used as an example. The message says why."""


@dataclass(frozen=True, slots=True)
class UrlList:
    """A file that lists URLs."""

    urls: tuple[str, ...]


def read_example(path: Path, *, is_about: bool) -> Example | UrlList:
    """Return the example in a file, or the list of URLs. Raises BadFile."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(f"{path} has {path.stat().st_size:,} bytes, more than a page can have ({MOST_BYTES:,})")
        data = path.read_bytes()
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from error
    if b"\0" in data[:1000] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise BadFile(f"{path} is neither HTML nor text; examples are pages, or lists of URLs")
    suffix = path.suffix.lower()
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:9].lower().startswith(_HTML) or suffix in (".html", ".htm", *_XHTML):
        content_type = "application/xhtml+xml" if suffix in _XHTML else None
        source, resolver = HtmlSource(data, content_type), LinkResolver(Canonicaliser())
        page, text = parse_page(source, url=_ADDRESS, resolver=resolver, agent="hinterland")
        words = word_counts(page.title, [each.text for each in text.headings], text.text)
    else:
        decoded = data.decode("utf-8", "replace")
        lines = [line.strip() for line in decoded.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        if lines and all(is_url(line) for line in lines):
            return UrlList(tuple(lines))
        words = word_counts("", [], decoded)
    return Example(words, is_about, f"file {path}", str(path))


def is_url(text: str) -> bool:
    """Return whether a text is exactly one http or https URL."""
    return text.lower().startswith(("http://", "https://")) and not any(letter.isspace() for letter in text)
