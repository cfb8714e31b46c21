"""The tree of a page as rules look into it: Lexbor's, which finds what a browser would by the same selector. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from crawler.parsing.html.page_elements import DOCUMENT_OPTIONS

Element = LexborNode

_BLOCKS: Final = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt", "fieldset"),
        *("figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "legend", "li"),
        *("main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th"),
        *("thead", "tr", "ul"),
    )
)
_NOT_SHOWN: Final = frozenset(("script", "style", "template"))


class Page:
    """One page. html: UTF-8. Raises MemoryError if it needs more than there is."""

    def __init__(self, html: bytes) -> None:
        try:
            self._tree = LexborHTMLParser(html, options=DOCUMENT_OPTIONS)
        except SelectolaxError as error:
            raise MemoryError(str(error)) from error

    def all(self, selector: str) -> Sequence[Element]:
        return self._tree.css(selector)

    def first(self, selector: str) -> Element | None:
        return self._tree.css_first(selector)

    @property
    def root(self) -> Element | None:
        return self._tree.root


def selector_problem(selector: str) -> str:
    """Why a selector cannot be used; "" if it can."""
    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        if "::" in selector:
            return 'there are no pseudo-elements here: leave ::text away, and for ::attr(href) write attribute = "href"'
        if ":contains(" in selector or ":has-text(" in selector:
            return 'it is none of CSS; :lexbor-contains("word") finds elements by their text'
        if selector.lstrip().startswith(("/", "./")):
            return "it looks like XPath, of which there is none here"
        return "it cannot be read"
    return ""


def text_of(element: Element) -> str:
    """What the element shows, white space collapsed; words of neighbouring blocks are kept apart."""
    only = element.first_child
    if only is None:
        return ""
    if only.next is None and only.tag == "-text":
        return " ".join((only.text_content or "").split())
    parts: list[str] = []
    _gather(element, parts.append)
    return " ".join("".join(parts).split())


def _gather(top: Element, add: Callable[[str], None]) -> None:
    """Without recursion: pages nest as deep as they like."""
    above: list[Element] = []
    node = top.first_child
    while node is not None or above:
        if node is None:
            left = above.pop()
            if left.tag in _BLOCKS:
                add(" ")
            node = left.next
            continue
        tag = node.tag
        if tag == "-text":
            add(node.text_content or "")
        elif tag not in _NOT_SHOWN:
            if tag in _BLOCKS:
                add(" ")
            if node.first_child is not None:
                above.append(node)
                node = node.first_child
                continue
        node = node.next
