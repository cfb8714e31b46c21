"""Reads the elements of an HTML page that a crawl needs, as plain values.

The elements are read in one walk over Lexbor's tree, in document order. Most of the time for a page is spent in this
walk and on the anchors, so `element_reader` does the same in C, and must give the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

from hinterland.crawler.parsing.blocks.block_numbers import block_numbers
from hinterland.crawler.parsing.blocks.main_blocks import main_content_model, main_runs, score
from hinterland.crawler.parsing.blocks.text_blocks import text_blocks
from hinterland.crawler.parsing.html.anchor_paths import AnchorPaths
from hinterland.crawler.parsing.html.headings import Heading, heading_anchor
from hinterland.crawler.parsing.html.page_bounds import (
    MAX_ANCHOR_CHARACTERS,
    MAX_BLOCKS,
    MAX_HEADING_CHARACTERS,
    MAX_HEADINGS,
    MAX_TITLE_CHARACTERS,
)
from hinterland.crawler.parsing.html.page_parts import NO_PARTS, PageParts, read_parts
from hinterland.crawler.urls.resolving import without_fragment

DOCUMENT_OPTIONS: Final = LexborDocumentOptions.WO_EVENTS.value
"""Switches off unused events while a tree is built, which saves 5% of the time."""

ROLES: Final[dict[str, tuple[str, ...]]] = {
    "anchor": ("a",),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "title": ("title",),
    "hidden": ("script", "style", "noscript", "noembed", "noframes", "audio", "video", "canvas", "datalist"),
    "frame": ("iframe",),
    "named": ("base", "meta", "area", "frame", "object", "embed"),
    "link": ("link",),
    "picture": ("img",),
    "section": ("head", "body"),
    "drawing": ("svg",),
    "template": ("template",),
}
"""The elements of each role in the walk; other elements are only passed through. The content of titles and inline
frames is hidden as well, since browsers show it never, or only if something fails or is switched off.
"""

SHADOW_ROOT: Final = "shadowrootmode"
"""The attribute of templates whose content is shown."""

RELATIONS: Final = frozenset({"canonical", "next", "alternate"})
"""The relations of <link> elements that are read."""


@dataclass(frozen=True, slots=True)
class PageElements:
    """The elements of a page.

    The columns hrefs, nofollow, anchor_texts and anchor_paths have one entry for each <a> with an href, in document
    order, except anchors that repeat an earlier href and add nothing to it.

    Bounded texts (see page_bounds) may slightly exceed their bound, so that the reader can see that they must be cut.
    """

    hrefs: list[str]
    """The hrefs as written, without fragments."""
    nofollow: bytes
    """A byte for each anchor: 1 if its rel contains nofollow, else 0."""
    anchor_texts: list[str]
    """The text of each <a>, or else the alt of its first img; white space collapsed, bounded."""
    anchor_paths: list[str]
    """The path of elements around each <a>, see anchor_paths; empty unless requested."""
    headings: list[Heading]
    """The first MAX_HEADINGS headings; white space collapsed, texts bounded and without the text of nested headings,
    anchors not bounded.
    """
    title: str
    """The title; white space collapsed, bounded."""
    text: bytes
    """The body's text in UTF-8: blocks separated by empty lines, see text_blocks."""
    named: list[tuple[str, dict[str, str]]]
    """Names and attributes of the root; of every base, meta, area, frame, iframe, object and embed; of every link whose
    rel holds one of RELATIONS; and of every template with a shadowrootmode that is not inside another template."""
    anchors_left_out: int
    """How many <a> with an href were not read because they came after the first max_anchors."""
    headings_left_out: int
    main: bytes = b""
    """Which blocks of the text are the main content, see main_blocks; b"" if unknown."""
    parts: PageParts = NO_PARTS
    """What the page loads, and its anchors; nothing unless requested."""


class ElementsReader(Protocol):
    """A function that reads a page's elements."""

    def __call__(
        self,
        html: bytes,
        *,
        max_anchors: int,
        with_text: bool,
        with_paths: bool = False,
        with_parts: bool = False,
    ) -> PageElements:
        """Return the elements of `html`, which is UTF-8.

        At most `max_anchors` <a> elements with an href are read. Without `with_text` the text is empty. Raises
        MemoryError if the page needs more memory than is available.
        """
        ...


def read_elements(
    html: bytes, *, max_anchors: int, with_text: bool, with_paths: bool = False, with_parts: bool = False
) -> PageElements:
    """Return the elements of a page; this is the ElementsReader in Python.

    It is slower than the one in C by a factor of ten or more.
    """
    try:
        tree = LexborHTMLParser(html, options=DOCUMENT_OPTIONS)
    except SelectolaxError as error:  # any bytes give a tree, unless memory runs out
        raise MemoryError(str(error)) from error
    anchors, headings = _Anchors(max_anchors), _Headings()
    title: str | None = None
    named: list[tuple[str, dict[str, str]]] = []
    root = tree.root
    if root is not None:
        named.append(_named(root))
        if with_paths:
            anchors.around = AnchorPaths(root)
        role_of = _ROLE_OF_TAG.get
        for node in root.traverse():
            role = role_of(node.tag_id)
            if role is None:
                continue
            if role == "anchor":
                anchors.add(node)
            elif role == "heading":
                headings.add(node)
            elif role == "link":
                if not RELATIONS.isdisjoint(tokens(node.attributes.get("rel"))):
                    named.append(_named(node))
            elif role in ("named", "frame") or (role == "template" and SHADOW_ROOT in node.attributes):
                named.append(_named(node))
            elif role == "title" and title is None and _is_in_a_section(node):  # not the title of a drawing
                title = collapsed(node.text())[: MAX_TITLE_CHARACTERS + 1]
    text, main = _visible_text(tree, title or "") if with_text else (b"", b"")
    return PageElements(
        hrefs=anchors.hrefs,
        nofollow=bytes(anchors.nofollow),
        anchor_texts=anchors.texts,
        anchor_paths=anchors.paths,
        headings=headings.own_texts(html) if headings.are_nested else headings.found,
        title=title or "",
        text=text,
        main=main,
        named=named,
        anchors_left_out=max(anchors.count - max_anchors, 0),
        headings_left_out=headings.left_out,
        parts=read_parts(root) if with_parts and root is not None else NO_PARTS,
    )


class _Anchors:
    """The kept anchors of a page, in columns, and how many there were. `around` computes paths. Mutable."""

    __slots__ = ("_known", "_most", "around", "count", "hrefs", "nofollow", "paths", "texts")

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[str, tuple[bool, bool]] = {}  # by href: all anchors are nofollow, one has a text
        self.count = 0
        self.hrefs: list[str] = []
        self.nofollow = bytearray()
        self.texts: list[str] = []
        self.paths: list[str] = []
        self.around: AnchorPaths | None = None

    def add(self, node: LexborNode) -> None:
        """Add an <a>, unless it has no href, exceeds the limit, or adds nothing to an earlier one."""
        attributes = node.attributes
        if "href" in attributes:
            whole = attributes["href"]
        elif "xlink:href" in attributes and _is_drawn(node):
            whole = attributes["xlink:href"]
        else:
            return
        self.count += 1
        if self.count > self._most:
            return
        href = without_fragment(whole or "")
        is_nofollow = "rel" in attributes and "nofollow" in tokens(attributes["rel"])
        least_nofollow, has_text = self._known.get(href, (True, False))
        if has_text and is_nofollow >= least_nofollow:
            return
        text = _anchor_text(node)
        self.hrefs.append(href)
        self.nofollow.append(is_nofollow)
        self.texts.append(text)
        if self.around is not None:
            self.paths.append(self.around.of(node))
        self._known[href] = (least_nofollow and is_nofollow, has_text or bool(text))


class _Headings:
    """The first headings of a page, and how many were left out. Mutable.

    If headings are nested, `are_nested` is true and `found` lacks their texts, which must be read from another tree.
    """

    def __init__(self) -> None:
        self._last: LexborNode | None = None
        self.are_nested = False
        self.found: list[Heading] = []
        self.left_out = 0

    def add(self, node: LexborNode) -> None:
        if len(self.found) >= MAX_HEADINGS:
            self.left_out += 1
            return
        self.are_nested = self.are_nested or _is_inside(node, self._last)
        text = "" if self.are_nested else collapsed(node.text())[: MAX_HEADING_CHARACTERS + 1]
        self.found.append(Heading(_HEADING_LEVEL[node.tag_id], text, heading_anchor(node)))
        self._last = node

    def own_texts(self, html: bytes) -> list[Heading]:
        return [each._replace(text=text) for each, text in zip(self.found, _own_texts(html), strict=True)]


def collapsed(text: str) -> str:
    """Return the text with each run of white space replaced by one space."""
    return " ".join(text.split())


def tokens(attribute: str | None) -> list[str]:
    """Return the tokens of `rel` in lower case, separated by ASCII white space (Infra Standard, 4.7) or by commas.

    Sites write "external,nofollow" because search engines understand it.
    """
    return (attribute or "").lower().translate(_BETWEEN_TOKENS).split(" ")


_BETWEEN_TOKENS: Final = dict.fromkeys(map(ord, "\t\n\f\r,"), " ")


def tag_ids(role: str) -> list[int]:
    """Return Lexbor's numbers of the elements of a role. Comparing numbers is several times faster than names."""
    factory = LexborHTMLParser("")
    return [factory.create_node(name).tag_id for name in ROLES[role]]


_NOT_WALKED_TO: Final = ("picture", "section", "drawing")
_ROLE_OF_TAG: Final = {tag: role for role in ROLES if role not in _NOT_WALKED_TO for tag in tag_ids(role)}
[_DRAWING] = tag_ids("drawing")
_HEADING_LEVEL: Final = {tag: level for level, tag in enumerate(tag_ids("heading"), 1)}


def _named(node: LexborNode) -> tuple[str, dict[str, str]]:
    return node.tag or "", {name: value or "" for name, value in node.attributes.items()}


def _is_in_a_section(node: LexborNode) -> bool:
    return node.parent is not None and node.parent.tag in ROLES["section"]


def _is_drawn(node: LexborNode) -> bool:
    """Return whether the element is inside an SVG drawing, in which hrefs may be XLink's (SVG 2, 16.2)."""
    parent = node.parent
    while parent is not None and parent.tag_id != _DRAWING:
        parent = parent.parent
    return parent is not None


def _anchor_text(node: LexborNode) -> str:
    text = collapsed(node.text())
    if not text and node.first_child is not None:
        for each in node.traverse():
            if each.tag == "img" and (alt := each.attributes.get("alt")):
                text = collapsed(alt)
                break
    return text[: MAX_ANCHOR_CHARACTERS + 1]


def _own_texts(html: bytes) -> list[str]:
    """Return each heading's text without the text of headings inside it, by taking apart a second tree of the page.

    Headings are usually nested because one was not closed. Each text belongs to at most one heading, however deep they
    are nested.
    """
    root = LexborHTMLParser(html, options=DOCUMENT_OPTIONS).root
    assert root is not None  # the first tree had a root
    texts = []
    for node in reversed([node for node in root.traverse() if node.tag_id in _HEADING_LEVEL]):
        texts.append(collapsed(node.text())[: MAX_HEADING_CHARACTERS + 1])
        node.decompose()
    return texts[::-1][:MAX_HEADINGS]


def _is_inside(node: LexborNode, other: LexborNode | None) -> bool:
    if other is None:
        return False
    parent = node.parent
    while parent is not None and parent.mem_id != other.mem_id:
        parent = parent.parent
    return parent is not None


def _visible_text(tree: LexborHTMLParser, title: str) -> tuple[bytes, bytes]:
    """Return the text of the body and which of its blocks are its main content."""
    body = tree.body
    if body is None or body.parent is None:  # a frameset has taken its place
        return b"", b""
    page = text_blocks(body, HIDDEN_TAGS)
    if len(page.blocks) > MAX_BLOCKS:
        return page.text, b""
    model = main_content_model()
    scores = [score(numbers, model) for numbers in block_numbers(page, title.encode())]
    return page.text, main_runs(
        scores, [block.words + 1 for block in page.blocks], [block.kind for block in page.blocks]
    )


HIDDEN_TAGS: Final = frozenset((*ROLES["hidden"], *ROLES["frame"], *ROLES["title"]))
"""Elements whose text does not belong to the text of the page."""
