"""The markup of a page in the forms that parts of a parser need; each form is made once, when needed. Pure."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from hinterland.crawler.fetching.content_type import is_xml
from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.html.page_bounds import Truncations
from hinterland.crawler.parsing.html.shadow_roots import with_shadow_roots
from hinterland.crawler.parsing.html.tree_bound import MAX_TREE_BYTES, readable_bytes
from hinterland.crawler.parsing.html.xhtml import html_of_xml

_NOT_LIKE_ASCII: Final = frozenset({"utf-16le", "utf-16be", "iso-2022-jp", "replacement"})


class HtmlSource:
    """The markup of a page. `body` is the content-decoded body; any bytes are accepted."""

    def __init__(self, body: bytes, content_type: str | None, max_tree_bytes: int = MAX_TREE_BYTES) -> None:
        """Take a body and its Content-Type field. `max_tree_bytes` bounds the estimated size of its tree."""
        self.body = body
        self._content_type = content_type
        self._max_tree_bytes = max_tree_bytes

    @cached_property
    def charset(self) -> str:
        """The encoding in which a browser would read the page, by its WHATWG name."""
        return sniff_encoding(self.body, self._content_type).name

    @cached_property
    def html(self) -> bytes:
        """The whole page as HTML in UTF-8."""
        utf8 = _as_utf8(self.body, self.charset)
        return html_of_xml(utf8) if is_xml(self._content_type) else utf8

    @cached_property
    def readable(self) -> bytes:
        """The beginning of the page that is within the tree limit, as HTML in UTF-8, with visible shadow roots."""
        return self.bounded(with_shadow_roots(self.html), Truncations())

    def bounded(self, html: bytes, cuts: Truncations) -> bytes:
        """Return the beginning of `html`, a form of this page, up to the tree limit; note in `cuts` how much is cut."""
        readable = readable_bytes(html, self._max_tree_bytes)
        if readable < len(html):
            cuts.note("tags", html.count(b"<", readable))
            html = html[:readable]
        return html


def _as_utf8(body: bytes, charset: str) -> bytes:
    if charset == "utf-8":
        return body.removeprefix(b"\xef\xbb\xbf")
    if charset not in _NOT_LIKE_ASCII and body.isascii():
        return body
    return decode(body, charset).encode("utf-8", "replace")
