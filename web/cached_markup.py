"""The markup of a stored page, made safe to show: its text and structure, without anything active. Pure.

No markup of the page is passed through. The page is parsed as browsers parse it, and new markup is written. It consists
of a short list of elements, escaped text, and two kinds of attributes: the spans of table cells, and links to the web.
A filter would fail where browsers read the remaining markup in another way than the filter does. This cannot happen
with new markup.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from markupsafe import Markup, escape
from selectolax.lexbor import LexborHTMLParser, LexborNode

from hinterland.web.hostile_text import visible, visible_lines, web_href

MOST_CHARACTERS: Final = 300_000
"""Maximum length of the text that is shown; ten times as much HTML is read."""
_MOST_ELEMENTS: Final = 30_000
_DEEPEST: Final = 60
_MOST_SPAN: Final = 100
_LONGEST_ALT: Final = 300

_AS_THEY_ARE: Final = (
    *("p", "ul", "ol", "li", "dl", "dt", "dd", "pre", "blockquote", "figure", "figcaption", "address", "div"),
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"),
    *("em", "strong", "b", "i", "u", "s", "small", "code", "kbd", "samp", "var", "sub", "sup", "q", "cite", "abbr"),
    *("dfn", "del", "ins", "a"),
)
_ELEMENTS: Final = {
    **{name: name for name in _AS_THEY_ARE},
    **{f"h{level}": f"h{min(level + 1, 6)}" for level in range(1, 7)},  # the surrounding page has the first level
    **dict.fromkeys(("article", "aside", "center", "details", "footer", "form", "header", "main", "nav"), "div"),
    **dict.fromkeys(("fieldset", "hgroup", "section", "summary"), "div"),
    "tt": "code", "strike": "s", "big": "strong",
}  # fmt: skip
"""The element as which each element is shown. Other elements are replaced by their content."""
_LEFT_OUT: Final = (
    *("script", "style", "template", "noscript", "iframe", "object", "embed", "applet", "svg", "math", "canvas"),
    *("audio", "video", "map", "select", "textarea", "button", "datalist", "input", "head", "title"),
    *("frameset", "noframes", "noembed", "xmp", "plaintext"),
)
"""Elements that are left out with their content."""
_ALONE: Final = ("br", "hr")
_ITEMS: Final = {"li": ("ul", "ol"), "dt": ("dl",), "dd": ("dl",)}
_LISTS: Final = {"ul": "li", "ol": "li", "dl": "dd"}


@dataclass(frozen=True, slots=True)
class CachedMarkup:
    """Safe markup of a page.

    `is_whole` tells whether nothing was cut off; `matches` is the number of marked words.
    """

    html: Markup
    is_whole: bool
    matches: int


class KeptPage:
    """The stored body of a page, parsed."""

    def __init__(self, html: str, url: str) -> None:
        """Parse decoded HTML; the links of the page are resolved against `url`."""
        self._is_whole = len(html) <= 10 * MOST_CHARACTERS
        parser = LexborHTMLParser(html[: 10 * MOST_CHARACTERS])
        self._body = parser.body
        base = parser.css_first("base[href]")
        self._url = _joined(url, (base.attributes["href"] or "") if base is not None else "") or url

    @property
    def text(self) -> str:
        """The text of the whole page, including scripts. It is for searching, not for display."""
        return "" if self._body is None else self._body.text(separator=" ")[:MOST_CHARACTERS]

    def marked(self, words: Collection[str]) -> CachedMarkup:
        """Return safe markup of the page in which these words are marked, whatever their case."""
        writer = _MarkupWriter(self._url, _any_of(words))
        if self._body is not None:
            writer.write(self._body)
        return CachedMarkup(Markup("").join(writer.pieces), self._is_whole and not writer.is_full, writer.matches)


class _MarkupWriter:
    """Writes elements in document order. Mutable."""

    def __init__(self, url: str, words: re.Pattern[str] | None) -> None:
        """Start empty; `words` matches the words to mark."""
        self.pieces: list[Markup] = []
        self.matches = 0
        self.is_full = False
        self._url = url
        self._words = words
        self._open: list[str] = []
        self._characters = 0
        self._elements = 0

    def write(self, root: LexborNode) -> None:
        """Write an element and its content."""
        coming: list[LexborNode | int] = [root]  # a node to write, or the number of elements to leave open
        while coming:
            node = coming.pop()
            if isinstance(node, int):
                self._close_to(node)
            elif node.tag == "-text":
                self._write_text(node.text_content or "")
            elif not self.is_full and node.tag not in _LEFT_OUT:
                coming.append(len(self._open))
                self._begin(node)
                coming += reversed(list(node.iter(include_text=True)))

    def _begin(self, node: LexborNode) -> None:
        tag = node.tag or ""
        self._elements += 1
        self.is_full = self._elements > _MOST_ELEMENTS
        if tag in _ALONE and self._around not in _LISTS:
            self.pieces.append(Markup(f"<{tag}>"))
        elif tag == "img" and self._around not in _LISTS:
            self._write_picture(node)
        elif tag in _ELEMENTS and len(self._open) < _DEEPEST:
            self._open_as(_ELEMENTS[tag], node)

    def _open_as(self, name: str, node: LexborNode) -> None:
        if self._around in _LISTS and self._around not in _ITEMS.get(name, ()):
            self._push(_LISTS[self._around])  # a list may only contain items
        if name in _ITEMS and self._around not in _ITEMS[name]:
            name = "div"
        if name == "a":
            href = web_href(_joined(self._url, node.attributes.get("href") or "") or "")
            if href is not None and node.text().strip():
                self._push("a", Markup(' href="{}" rel="noreferrer nofollow noopener"').format(href))
            return
        spans = [(span, node.attributes.get(span) or "") for span in ("colspan", "rowspan") if name in ("td", "th")]
        numbers = [
            Markup(' {}="{}"').format(span, min(int(text), _MOST_SPAN))
            for span, text in spans
            if text.isascii() and text.isdecimal() and len(text) < 5 and int(text) > 1
        ]
        self._push(name, *numbers)

    def _push(self, name: str, *attributes: Markup) -> None:
        self._open.append(name)
        self.pieces += (Markup(f"<{name}"), *attributes, Markup(">"))

    def _close_to(self, count: int) -> None:
        while len(self._open) > count:
            self.pieces.append(Markup(f"</{self._open.pop()}>"))

    @property
    def _around(self) -> str:
        return self._open[-1] if self._open else ""

    def _write_picture(self, node: LexborNode) -> None:
        alt = visible((node.attributes.get("alt") or "")[:_LONGEST_ALT])
        if alt:
            self.pieces.append(Markup('<span class="picture">{}</span>').format(alt))

    def _write_text(self, text: str) -> None:
        room = MOST_CHARACTERS - self._characters
        self.is_full |= len(text) > room
        text = text[: max(room, 0)]
        self._characters += len(text)
        depth = len(self._open)
        if self._around in _LISTS and text.strip():
            self._push(_LISTS[self._around])
        parts = self._words.split(visible_lines(text)) if self._words is not None else [visible_lines(text)]
        for place, part in enumerate(parts):
            self.pieces.append(Markup("<mark>{}</mark>").format(part) if place % 2 else escape(part))
            self.matches += place % 2
        self._close_to(depth)


def _any_of(words: Collection[str]) -> re.Pattern[str] | None:
    """Return a pattern that matches these words as whole words or, in scripts without spaces, anywhere."""
    if not words:
        return None
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    each = [re.escape(word) if ord(word[0]) > 0x2E7F else rf"(?<!\w){re.escape(word)}(?!\w)" for word in longest_first]
    return re.compile(f"({'|'.join(each)})", re.IGNORECASE)


def _joined(base: str, href: str) -> str | None:
    """Return the absolute URL of a link; None if it cannot be resolved."""
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return None
