"""Prepares a page's markup so that the HTML parser builds the tree that a browser shows. Pure."""

from __future__ import annotations

from hinterland.crawler.fetching.content_type import is_xml
from hinterland.crawler.parsing.html.shadow_roots import with_shadow_roots
from hinterland.crawler.parsing.html.xhtml import html_of_xml


def utf8_html(markup: bytes, content_type: str | None) -> bytes:
    """Return UTF-8 markup that is ready to parse; most pages are unchanged. `content_type` is the header field."""
    return with_shadow_roots(html_of_xml(markup) if is_xml(content_type) else markup)


def as_html(markup: str, content_type: str | None) -> str:
    """Prepare markup as `utf8_html` does, but in a string."""
    return utf8_html(markup.encode("utf-8", "replace"), content_type).decode("utf-8", "replace")
