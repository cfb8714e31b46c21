"""The element tree of a page for extraction rules: Lexbor's, whose selectors match as in a browser. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS

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
_LINED: Final = frozenset(("pre", "listing", "xmp", "plaintext", "textarea"))
"""Elements whose text is shown with its line breaks."""


class PageTree:
    """The element tree of one page."""

    def __init__(self, html: bytes) -> None:
        """Parse `html`, which is UTF-8. Raises MemoryError if the tree needs more memory than available."""
        try:
            self._tree = LexborHTMLParser(html, options=DOCUMENT_OPTIONS)
        except SelectolaxError as error:
            raise MemoryError(str(error)) from error

    def all(self, selector: str) -> Sequence[Element]:
        """Return the elements that a CSS selector matches."""
        return self._tree.css(selector)

    def first(self, selector: str) -> Element | None:
        """Return the first element that a CSS selector matches, or None."""
        return self._tree.css_first(selector)

    @property
    def lexbor(self) -> LexborHTMLParser:
        """The tree as Lexbor has it."""
        return self._tree

    @property
    def root(self) -> Element | None:
        """The root element, or None for an empty tree."""
        return self._tree.root


def selector_problem(selector: str) -> str:
    """Return why a selector cannot be used, or "" if it can."""
    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        if "::" in selector:
            return 'pseudo-elements are not supported: drop ::text, and write attribute = "href" for ::attr(href)'
        if ":contains(" in selector or ":has-text(" in selector:
            return 'it is not CSS; :lexbor-contains("word") finds elements by their text'
        if selector.lstrip().startswith(("/", "./")):
            return "it looks like XPath, which is not supported; write a CSS selector"
        return "it is not valid CSS"
    return ""


def text_of(element: Element) -> str:
    """Return the visible text of an element.

    White space is collapsed, and words of neighbouring blocks stay apart. Inside a <pre> and similar elements, lines
    and their indentation are kept.
    """
    only = element.first_child
    if only is None:
        return ""
    if only.next is None and only.tag == "-text":
        text = only.text_content or ""
        return _lines(text) if "\n" in text and _keeps_lines(element) else " ".join(text.split())
    runs = _Runs()
    _gather(element, runs)
    return runs.joined()


class _Runs:
    """Collects pieces of text; pieces that keep their lines are separated from other pieces. Mutable."""

    __slots__ = ("_closed", "_parts", "add", "keeps_lines")

    def __init__(self) -> None:
        """Start without text, and without keeping lines."""
        self._closed: list[tuple[bool, str]] = []
        self._parts: list[str] = []
        self.add: Callable[[str], None] = self._parts.append
        self.keeps_lines = False

    def switch(self, *, keeps_lines: bool) -> None:
        """Set whether the text added from now on keeps its lines."""
        self._closed.append((self.keeps_lines, "".join(self._parts)))
        self._parts.clear()
        self.keeps_lines = keeps_lines

    def joined(self) -> str:
        """Return the whole text."""
        if not self._closed:
            return " ".join("".join(self._parts).split())
        self.switch(keeps_lines=False)
        text, was_lines = "", False
        for keeps_lines, part in self._closed:
            shown = _lines(part) if keeps_lines else " ".join(part.split())
            if not shown.strip():
                continue
            is_lines = "\n" in shown
            between = "\n" if is_lines or was_lines else " "
            text = text + between + (shown if is_lines else shown.strip()) if text else shown
            was_lines = is_lines
        return text if "\n" in text else text.strip()


def _lines(text: str) -> str:
    """Return the text of a <pre>, with line breaks at blocks inside it."""
    lines = [line.rstrip() for line in _BREAKS.sub("\n", text.replace("\r\n", "\n")).split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) if len(lines) > 1 else "".join(lines).strip()


_BREAK: Final = "\0"
"""Marks the beginning or end of a block inside a <pre>; no text of a tree contains this character."""
_BREAKS: Final = re.compile(r"\n?\0+")


def _keeps_lines(element: Element) -> bool:
    """Return whether the element, or an element around it, keeps the lines of its text."""
    around: Element | None = element
    while around is not None and around.tag not in _LINED:
        around = around.parent
    return around is not None


def _gather(top: Element, runs: _Runs) -> None:
    """Add the text below `top` to `runs`, without recursion, because nesting is not bounded."""
    depth = int(_keeps_lines(top))  # how many open elements keep lines
    if depth:
        runs.switch(keeps_lines=True)
    add = runs.add
    above: list[Element] = []
    node = top.first_child
    while node is not None or above:
        if node is None:
            left = above.pop()
            if left.tag in _LINED:
                depth -= 1
                if not depth:
                    runs.switch(keeps_lines=False)
            if left.tag in _BLOCKS:
                add(_BREAK if depth else " ")
            node = left.next
            continue
        tag = node.tag
        if tag == "-text":
            add(node.text_content or "")
        elif tag not in _NOT_SHOWN:
            if tag in _BLOCKS:
                add(("\n" if tag == "br" else _BREAK) if depth else " ")
            if node.first_child is not None:
                if tag in _LINED:
                    depth += 1
                    if depth == 1:
                        runs.switch(keeps_lines=True)
                above.append(node)
                node = node.first_child
                continue
        node = node.next
