"""What elements mean for the blocks of a text: their shapes, kinds and marks, and the words in their names. Pure.

The C reader (`compiled/text_blocks.h`) uses the same tables.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Final


class Shape(IntEnum):
    """How an element divides the text."""

    NONE = 0
    """It is a comment or similar."""
    BLOCK = 1
    """Its text is separate from the text around it."""
    SOFT = 2
    """Its text is in the line, but two such elements next to each other are two words."""
    FORMAT = 3
    """It only changes how letters look, so a word continues across its borders."""
    BREAK = 4
    """It ends a line; two end the block."""
    RAISED = 5
    """Its text is a word of its own in the line."""
    LATE = 6
    """A block whose text counts only if the page has little other text: <noscript>."""
    LINE = 7
    """A block inside a <pre>, where it is a line."""


_SHAPES: Final = {
    Shape.SOFT: "a cite data dfn q span time img svg path math mi mo mn picture source slot label output ruby rb",
    Shape.FORMAT: "abbr acronym b bdi bdo big code del em font i ins kbd mark nobr s samp small strike strong sub tt"
    " u var wbr",
    Shape.BREAK: "br",
    Shape.RAISED: "sup rt rp",
    Shape.LATE: "noscript",
}
KINDS: Final = (
    *("", "p", "h1", "h2", "h3 h4 h5 h6", "li", "td", "th", "dd", "dt", "div", "pre textarea listing xmp"),
    *("blockquote", "figcaption caption", "section", "article", "main", "legend fieldset", "button", "option select"),
    *("summary details", "body", "nav", "header", "footer", "aside", "form", "ul ol menu", "table tbody tr", "input"),
)
"""Kinds of blocks by the element around them; other elements are of kind 0."""
PRE: Final = 11
CELLS: Final = (6, 7)
DEFINITIONS: Final = (8, 9)
P, H1, H3 = 1, 2, 4

WORDS: Final = (
    "nav menu", "header masthead topbar", "footer foot bottom", "sidebar side aside rail drawer",
    "comment disqus respond", "share social follow facebook twitter",
    "relat recommend similar also more- read-next popular trending latest recent",
    "promo advert sponsor banner -ad- -ads- cta- callout", "subscri newsletter signup sign-up optin mailing",
    "cookie consent gdpr privacy onetrust", "modal popup overlay dialog lightbox tooltip dropdown", "crumb",
    "pagina pager page-num", "byline author meta date posted time publish", "tag categor topic label badge",
    "search filter sort facet refine", "login account cart basket wishlist register user-", "content main body page",
    "article post entry story blog", "product price descri spec detail sku",
    "review rating star testimonial customer", "list grid card item tile result row",
    "message thread reply replies forum answer question discuss bbp", "code highlight source doc api -sig",
    "toc- -toc table-of contents index", "hidden sr-only screen-reader visually skip hide offscreen",
    "hero intro lead summary excerpt headline title", "widget block- module panel box",
    "copyright legal terms disclaim licen", "profile avatar member bio signature",
    "text paragraph rich markdown prose wysiwyg copy", "toolbar action button btn control tool edit vote like",
)  # fmt: skip
"""Groups of words that occur in names (classes, ids and the like); each group is a mark. "-" stands for a
non-letter."""
TAGS: Final = (
    *("nav", "header", "footer", "aside", "article", "main", "section", "form", "ul", "ol", "table", "dl", "figure"),
    *("button", "a", "label", "li", "blockquote", "p", "", "select", "h1 h2 h3 h4 h5 h6"),
)
"""Elements that are marks. These marks follow the marks for words; the empty one is for hidden elements."""
HIDDEN: Final = TAGS.index("")
_ROLES: Final = {
    "navigation": "nav", "menu": "nav", "menubar": "nav", "banner": "header", "contentinfo": "footer",
    "complementary": "aside", "main": "main", "article": "article", "search": "form", "dialog": "",
}  # fmt: skip
MARKS: Final = len(WORDS) + len(TAGS)
_NAMES: Final = ("class", "id", "itemprop", "aria-label", "data-testid")
_NO_DISPLAY: Final = re.compile(r"display[ \t\n\f\r]*:[ \t\n\f\r]*none", re.IGNORECASE)
_SYMBOLS: Final = 27


def tag_mark(number: int) -> int:
    """Return the bit that stands for a mark of TAGS; `number` is the index of the mark in TAGS."""
    return 1 << (len(WORDS) + number)


SHAPE_OF: Final[dict[str, Shape]] = {tag: shape for shape, tags in _SHAPES.items() for tag in tags.split()}
KIND_OF: Final[dict[str, int]] = {tag: number for number, tags in enumerate(KINDS) for tag in tags.split()}
_TAG_MARK: Final = {tag: tag_mark(number) for number, tags in enumerate(TAGS) for tag in tags.split()}


def marks_of(tag: str, attributes: Mapping[str, str | None]) -> int:
    """Return the marks of an element as bits: the lower bits are the marks of WORDS, the higher bits those of TAGS."""
    marks = _TAG_MARK.get(tag, 0)
    for name in _NAMES:
        if value := attributes.get(name):
            marks |= marks_in(value)
    if role := attributes.get("role"):
        marks |= marks_in(role)
        known = _ROLES.get(role.strip(" \t\n\f\r").lower()) if role.isascii() else None
        marks |= 0 if known is None else tag_mark(TAGS.index(known))
    style = attributes.get("style") or ""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or _NO_DISPLAY.search(style):
        marks |= tag_mark(HIDDEN)
    return marks


def marks_in(name: str) -> int:
    """Return, as bits, the groups of WORDS with a word that occurs in a name, such as a class."""
    return _remembered_marks(name) if len(name) <= _REMEMBERED_CHARACTERS else _marks_in(name)


def _marks_in(name: str) -> int:
    spelt = f"-{_NO_LETTER.sub('-', name)}-".lower()
    return sum(1 << number for number, words in enumerate(_SPLIT) if any(word in spelt for word in words))


_remembered_marks: Final = lru_cache(10_000)(_marks_in)
_REMEMBERED_CHARACTERS: Final = 300
"""Longer names are not cached: a name may be as long as a page, and ten thousand of those would fill the memory."""
_NO_LETTER: Final = re.compile(r"[^A-Za-z]")
_SPLIT: Final = [words.split() for words in WORDS]


def word_automaton() -> tuple[array[int], array[int]]:
    """Return the automaton that finds words (Aho & Corasick 1975): its steps, [state][symbol], and the marks by state.

    The symbols are the letters; the last symbol stands for every other character. The automaton begins in state 0.
    """
    steps, marks = [[-1] * _SYMBOLS], [0]
    for number, words in enumerate(_SPLIT):
        for word in words:
            state = 0
            for letter in word:
                symbol = _symbol(letter)
                if steps[state][symbol] < 0:
                    steps[state][symbol] = len(steps)
                    steps.append([-1] * _SYMBOLS)
                    marks.append(0)
                state = steps[state][symbol]
            marks[state] |= 1 << number
    fails = [0] * len(steps)
    waiting = deque([0])
    while waiting:
        state = waiting.popleft()
        for symbol, after in enumerate(steps[state]):
            other = steps[fails[state]][symbol] if state else 0
            if after < 0:
                steps[state][symbol] = other
                continue
            fails[after] = other
            marks[after] |= marks[other]
            waiting.append(after)
    return array("H", [step for row in steps for step in row]), array("I", marks)


def _symbol(letter: str) -> int:
    return ord(letter) - ord("a") if letter.isalpha() else _SYMBOLS - 1
