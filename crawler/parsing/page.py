"""From the bytes of an HTML page to its text and links, as the tree that a browser builds has them.

The whole tree is walked once, in document order. That walk and the links are where the time goes; everything
else a page has but a few of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.parsing.directives import page_directives
from crawler.parsing.encoding import decode, sniff_encoding
from crawler.parsing.link_header import header_links
from crawler.parsing.meta_refresh import refresh_target
from crawler.parsing.page_links import PageLinks
from crawler.parsing.parsed_page import LinkKind, ParsedPage
from crawler.urls import NOT_FOR_THE_WEB, LinkResolver, join

__all__ = ["LinkKind", "ParsedPage", "parse_page"]


def parse_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    resolver: LinkResolver,
    agent: str,
    robots_header: Sequence[str] = (),
    link_header: Sequence[str] = (),
    with_text: bool = True,
) -> ParsedPage:
    """Parse the content-decoded body of the page at the canonical `url`. No bytes make it raise.

    `agent` is the product token by which robots directives may name us; `robots_header` and `link_header` are
    the values of the X-Robots-Tag and Link fields. The text takes a third of the time: without `with_text` it
    is left empty. Nesting and attributes in the tens of thousands take Lexbor quadratic time: whoever parses
    pages of strangers does so in a process that can be killed.
    """
    charset = sniff_encoding(body, content_type).name
    tree = LexborHTMLParser(_as_utf8(body, charset))
    noted = _noted(tree.root)
    metadata = _metadata(noted["meta"], agent)
    directives = page_directives([*robots_header, *metadata.robots], agent)

    base = _base_url(noted["base"], url, resolver)
    links = PageLinks(url, base, charset, resolver, nofollow=directives.nofollow)
    links.add_anchors(noted["a"])
    canonical = _add_other_links(links, noted, link_header, url)
    if metadata.refresh is not None:
        links.add(LinkKind.REFRESH, metadata.refresh[1])

    title = _title(noted["hidden"])
    language = _language(tree.root) or metadata.language
    headings = [(_HEADING_LEVEL[node.tag_id], _collapsed(node.text())) for node in noted["heading"]]
    text = _visible_text(tree, noted) if with_text else ""  # last, because it takes the tree apart

    return ParsedPage(
        charset=charset,
        title=title,
        description=metadata.description,
        language=language,
        text=text,
        headings=headings,
        canonical=canonical,
        link_urls=links.urls,
        link_kinds=bytes(links.kinds),
        link_nofollow=bytes(links.nofollow),
        link_anchors=links.anchors,
        bad_links=links.bad,
        nofollow=directives.nofollow,
        noindex=directives.noindex,
        refresh_seconds=None if metadata.refresh is None else metadata.refresh[0],
    )


def _as_utf8(body: bytes, charset: str) -> bytes:
    if charset == "utf-8":
        return body.removeprefix(b"\xef\xbb\xbf")
    if charset not in _NOT_LIKE_ASCII and body.isascii():
        return body
    return decode(body, charset).encode("utf-8", "replace")


_NOT_LIKE_ASCII: Final = frozenset({"utf-16le", "utf-16be", "iso-2022-jp", "replacement"})


# --- the walk -----------------------------------------------------------------------------------


def _tag_ids(names: str) -> dict[int, str]:
    """Lexbor's numbers for elements: comparing them is several times faster than comparing names."""
    factory = LexborHTMLParser("")
    return {factory.create_node(name).tag_id: name for name in names.split()}


_HEADING_LEVEL: Final = {tag: int(name[1]) for tag, name in _tag_ids("h1 h2 h3 h4 h5 h6").items()}
# What is inside is not shown, or only where something fails or is switched off.
_HIDDEN: Final = _tag_ids("title iframe script style noscript noembed noframes audio video canvas datalist")
_NOTED: Final[dict[int, str]] = {
    **dict.fromkeys(_HIDDEN, "hidden"),
    **_tag_ids("a base meta link area frame"),
    **dict.fromkeys(_HEADING_LEVEL, "heading"),
}


_FRAME_KIND: Final = {"frame": LinkKind.FRAME, "iframe": LinkKind.IFRAME}


def _noted(root: LexborNode | None) -> defaultdict[str, list[LexborNode]]:
    """The elements of interest in document order, by name or as "heading" or "hidden".

    One walk: a CSS query for the same elements tests every element against every selector.
    """
    noted: defaultdict[str, list[LexborNode]] = defaultdict(list)
    if root is not None:
        name_of = _NOTED.get
        for node in root.traverse():
            name = name_of(node.tag_id)
            if name is not None:
                noted[name].append(node)
    return noted


def _visible_text(tree: LexborHTMLParser, noted: dict[str, list[LexborNode]]) -> str:
    """The text of the body as it stands in the source, with a space wherever an element begins or ends.

    White space stays as it is, and a word that changes its style in the middle falls in two: to do better
    in Python took 0.6 ms a page of 64 KB. Takes what is hidden out of the tree for good, the innermost
    first; no node may be used afterwards.
    """
    for node in reversed(noted["hidden"]):
        node.decompose()
    return "" if tree.body is None else tree.body.text(separator=" ", skip_empty=True).strip()


def _collapsed(text: str) -> str:
    return " ".join(text.split())


# --- what a page says of itself -----------------------------------------------------------------


@dataclass(slots=True)
class _Metadata:
    """The <meta> elements that matter to us."""

    description: str = ""
    language: str = ""
    robots: list[str] = field(default_factory=list)
    refresh: tuple[int, str] | None = None


def _metadata(nodes: Iterable[LexborNode], agent: str) -> _Metadata:
    found = _Metadata()
    for node in nodes:
        attributes = node.attributes
        content = attributes.get("content")
        if not content:
            continue
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        pragma = (attributes.get("http-equiv") or "").lower()
        if name in ("robots", agent.lower()):
            found.robots.append(content)
        elif name == "description" or (name == "og:description" and not found.description):
            found.description = _collapsed(content)
        if pragma == "refresh" and found.refresh is None:
            found.refresh = refresh_target(content)
        elif pragma == "content-language" and "," not in content:
            found.language = found.language or content.strip()
    return found


def _title(nodes: Iterable[LexborNode]) -> str:
    for node in nodes:
        # Not that of a drawing.
        if node.tag == "title" and node.parent is not None and node.parent.tag in ("head", "body"):
            return _collapsed(node.text())
    return ""


def _language(root: LexborNode | None) -> str:
    if root is None:
        return ""
    attributes = root.attributes
    return (attributes.get("lang") or attributes.get("xml:lang") or "").strip()


# --- links other than <a> -----------------------------------------------------------------------


def _base_url(nodes: Iterable[LexborNode], url: str, resolver: LinkResolver) -> str:
    """What hrefs are relative to: the first <base> with an href, or the page (HTML Standard 4.2.3).

    Canonical, unless it is of a scheme that is not for the web. A base too long to be canonical is ignored.
    """
    for node in nodes:
        attributes = node.attributes
        if "href" in attributes:
            base = join(attributes["href"] or "", url)
            if base is None or base.startswith(("data:", "javascript:")):
                return url
            canonical = resolver.canonicaliser.canonical_or_reason(base)
            return base if canonical == NOT_FOR_THE_WEB else canonical or url
    return url


def _add_other_links(
    links: PageLinks, noted: dict[str, list[LexborNode]], link_header: Sequence[str], url: str
) -> str | None:
    """Add everything but <a> and refresh; the canonical URL, if the page names one."""
    for node in noted["area"]:
        attributes = node.attributes
        if "href" in attributes:
            alt = _collapsed(attributes.get("alt") or "")
            links.add(LinkKind.AREA, attributes["href"] or "", rel=attributes.get("rel"), anchor=alt)
    for node in (*noted["frame"], *noted["hidden"]):
        kind = _FRAME_KIND.get(node.tag or "")
        if kind is not None and (source := node.attributes.get("src")):
            links.add(kind, source)
    related = [
        (attributes["href"] or "", frozenset((attributes.get("rel") or "").lower().split()))
        for node in noted["link"]
        if (attributes := node.attributes).get("href")
    ]
    canonical = None
    stated = [(join(href, url) or href, relations) for href, relations in header_links(link_header)]
    for href, relations in related + stated:
        if "canonical" in relations:
            target = links.add(LinkKind.CANONICAL, href)
            canonical = canonical or target
        if "next" in relations:
            links.add(LinkKind.NEXT, href)
        if "alternate" in relations and "stylesheet" not in relations:
            links.add(LinkKind.ALTERNATE, href)
    return canonical
