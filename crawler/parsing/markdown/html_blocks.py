"""Reads a page's HTML as Markdown blocks: the whole page, or only its main content. Pure.

Lexbor takes quadratic time for tens of thousands of nested elements. So untrusted pages are read in a process that can
be killed, and pages that are `is_too_deep` are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, Protocol

from selectolax.lexbor import LexborHTMLParser, LexborNode

from hinterland.crawler.parsing.blocks.block_numbers import block_numbers
from hinterland.crawler.parsing.blocks.main_blocks import main_content_model, main_flags, main_runs, score
from hinterland.crawler.parsing.blocks.marks import H1, H3
from hinterland.crawler.parsing.blocks.text_blocks import PlacesReader, text_blocks, text_places
from hinterland.crawler.parsing.html.inner_documents import MOST_DOCUMENTS
from hinterland.crawler.parsing.html.page_bounds import MAX_BLOCKS
from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS, HIDDEN_TAGS
from hinterland.crawler.parsing.html.shadow_roots import with_shadow_roots
from hinterland.crawler.parsing.markdown.markdown_blocks import MarkdownBlock
from hinterland.crawler.parsing.markdown.page_blocks import page_blocks
from hinterland.crawler.parsing.markdown.shown_text import ShownText
from hinterland.crawler.urls.canonical import join

_GOES_NOWHERE: Final = re.compile(r"(?:javascript|data|vbscript|about|blob):", re.IGNORECASE)


class Destination(Protocol):
    """A function that returns what to write as the destination of a link."""

    def __call__(self, url: str, href: str) -> str | None:
        """Return the destination to write for a link; None to write its text only.

        `url` is the absolute URL of the link, and `href` is its href as the page has it.
        """
        ...


def absolute(url: str, href: str) -> str | None:
    """Return the absolute URL."""
    return url


def as_written(url: str, href: str) -> str | None:
    """Return the href as the page has it."""
    return href


def html_blocks(
    html: bytes,
    url: str,
    *,
    main: bytes | None = None,
    is_whole: bool = False,
    destination: Destination = absolute,
    places: PlacesReader = text_places,
) -> list[MarkdownBlock]:
    """Return the blocks of a page; `html` is UTF-8 within the tree limit, `url` its address.

    `main` says which blocks of the page's text are its main content, as the store has it (main_blocks); if it is None,
    this is computed again. With `is_whole`, the whole page is returned.
    """
    flags = main_flags(main) if main else None
    found: list[MarkdownBlock] = []
    waiting = [(html, url)]
    for number, (markup, outer) in enumerate(waiting):  # the list grows in the loop
        tree = LexborHTMLParser(markup, options=DOCUMENT_OPTIONS)
        body = tree.body
        if body is None or body.parent is None:
            continue
        base = _base(tree, outer)
        shown = None if is_whole else _main_text(tree, body, flags, places, is_only=len(waiting) == 1)
        found += page_blocks(body, _resolver(base, outer, destination), shown)
        if b"srcdoc" in markup.lower() and number < MOST_DOCUMENTS:
            inner = [each.attributes.get("srcdoc") or "" for each in tree.css("iframe[srcdoc]")]
            room = MOST_DOCUMENTS - len(waiting)
            waiting += [(with_shadow_roots(each.encode("utf-8", "replace")), base) for each in inner[: max(room, 0)]]
    return found


def _base(tree: LexborHTMLParser, url: str) -> str:
    element = tree.css_first("base[href]")
    return url if element is None else join(element.attributes.get("href") or "", url) or url


def _resolver(base: str, url: str, destination: Destination) -> Callable[[str], str | None]:
    known: dict[str, str | None] = {}

    def resolve(href: str) -> str | None:
        if href in known:
            return known[href]
        target = None if _GOES_NOWHERE.match(href) else join(href, url if href[:1] == "#" else base)
        found = known[href] = None if target is None else destination(target, href)
        return found

    return resolve


def _main_text(
    tree: LexborHTMLParser,
    body: LexborNode,
    flags: Iterator[bool] | None,
    places: PlacesReader,
    *,
    is_only: bool,
) -> ShownText | None:
    """Return the text that is main content; None if everything is shown."""
    page = places(body, HIDDEN_TAGS)
    begins = page.block_starts
    is_main = [] if flags is None else list(islice(flags, len(begins)))
    if len(is_main) != len(begins):
        is_main = _judged(tree, body)
    _keep_headings(is_main, page.block_kinds)
    if is_only and not any(is_main):
        return None
    main, others = set[int](), set[int]()
    at, last = 0, len(begins) - 1
    for (start, end), node in zip(pairwise([*page.starts, page.size]), page.nodes, strict=True):
        if end > start:
            while at < last and begins[at + 1] < end:
                at += 1
            (main if is_main[at] else others).add(node)
    return ShownText(body, main, others)


def _keep_headings(is_main: list[bool], kinds: Sequence[int]) -> None:
    """Show the headings directly above shown blocks, and the only <h1> of a page if it is above a shown block."""
    first = next((place for place, each in enumerate(is_main) if each), 0)
    tops = [place for place, kind in enumerate(kinds) if kind == H1]
    if len(tops) == 1 and tops[0] < first:
        is_main[tops[0]] = True
    for place in range(len(kinds) - 2, -1, -1):
        is_main[place] |= is_main[place + 1] and H1 <= kinds[place] <= H3


def _judged(tree: LexborHTMLParser, body: LexborNode) -> list[bool]:
    page = text_blocks(body, HIDDEN_TAGS)
    if len(page.blocks) > MAX_BLOCKS:
        return [True] * len(page.blocks)
    title = tree.css_first("head > title, body > title")
    name = "" if title is None else " ".join(title.text().split())
    model = main_content_model()
    scores = [score(numbers, model) for numbers in block_numbers(page, name.encode("utf-8", "replace"))]
    runs = main_runs(scores, [block.words + 1 for block in page.blocks], [block.kind for block in page.blocks])
    return list(main_flags(runs))
