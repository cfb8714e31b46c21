"""Reads text and links from the bytes of an HTML page, by the tree that a browser would build."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from hinterland.crawler.parsing.html.directives import page_directives
from hinterland.crawler.parsing.html.headings import Heading
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.inner_documents import with_inner_documents
from hinterland.crawler.parsing.html.link_header import header_links
from hinterland.crawler.parsing.html.meta_refresh import field_refresh, refresh_target
from hinterland.crawler.parsing.html.packed_urls import PackedUrls
from hinterland.crawler.parsing.html.page_bounds import (
    ANCHORS_PER_LINK,
    MAX_CHARACTERS_OF_HEADINGS,
    MAX_DESCRIPTION_CHARACTERS,
    MAX_HEADING_ANCHOR_CHARACTERS,
    MAX_HEADING_CHARACTERS,
    MAX_LANGUAGE_CHARACTERS,
    MAX_LINKS,
    MAX_TEXT_BYTES,
    MAX_TITLE_CHARACTERS,
    Truncations,
)
from hinterland.crawler.parsing.html.page_elements import ElementsReader, PageElements, collapsed, read_elements, tokens
from hinterland.crawler.parsing.html.page_links import PageLinks
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage, VisibleText
from hinterland.crawler.parsing.html.shadow_roots import shown_shadow_roots
from hinterland.crawler.urls.canonical import NOT_FOR_THE_WEB, join
from hinterland.crawler.urls.resolving import LinkResolver


def parse_page(
    source: HtmlSource,
    *,
    url: str,
    resolver: LinkResolver,
    agent: str,
    max_links: int = MAX_LINKS,
    max_text_bytes: int = MAX_TEXT_BYTES,
    robots_header: Sequence[str] = (),
    link_header: Sequence[str] = (),
    refresh_header: str | None = None,
    with_text: bool = True,
    with_paths: bool = False,
    with_parts: bool = False,
    read: ElementsReader = read_elements,
) -> tuple[ParsedPage, VisibleText]:
    """Return the content and the visible text of the page at the canonical `url`.

    `agent` is the product token by which robots directives may address this crawler. `robots_header`, `link_header` and
    `refresh_header` are the values of the X-Robots-Tag, Link and Refresh fields. The size of everything that is kept is
    bounded (see page_bounds), and the part of the page beyond the tree limit is not read. Without `with_text` the text
    is empty, without `with_paths` there are no link paths, and without `with_parts` no parts.

    Tens of thousands of nested elements or attributes take Lexbor quadratic time, so untrusted pages must be parsed in
    a process that can be killed.
    """
    cuts = Truncations()
    max_anchors = ANCHORS_PER_LINK * max_links
    reading = partial(read, max_anchors=max_anchors, with_text=with_text, with_paths=with_paths, with_parts=with_parts)
    elements = reading(source.bounded(source.html, cuts))
    if any(tag == "template" for tag, _ in elements.named):  # only now: searching all pages for it would take longer
        cuts.counts.clear()
        elements = reading(source.bounded(shown_shadow_roots(source.html), cuts))
    metadata = _metadata(elements.named, agent)
    directives = page_directives([*robots_header, *metadata.robots], agent)

    own, base = elements.named, _base_url(elements.named, url, resolver)
    elements = with_inner_documents(
        elements, read, base, cuts, max_anchors=max_anchors, with_text=with_text, with_paths=with_paths
    )
    links = PageLinks(url, base, source.charset, resolver, nofollow=directives.nofollow, max_links=max_links)
    links.add_anchors(elements)
    canonical = _add_other_links(links, elements.named, link_header, url)
    refresh = field_refresh(refresh_header, url) or metadata.refresh
    if refresh is not None:
        links.add(LinkKind.REFRESH, refresh[1])

    anchors = links.bounded_anchors(cuts)
    cuts.note("links", elements.anchors_left_out + links.left_out)
    headings = _bounded_headings(elements, cuts)
    text = cuts.utf8("text", elements.text, max_text_bytes)
    page = ParsedPage(
        charset=source.charset,
        title=cuts.text("title", elements.title, MAX_TITLE_CHARACTERS),
        description=cuts.text("description", metadata.description, MAX_DESCRIPTION_CHARACTERS),
        language=cuts.text("language", metadata.language, MAX_LANGUAGE_CHARACTERS),
        canonical=canonical,
        link_urls=PackedUrls.of(links.urls),
        link_kinds=bytes(links.kinds),
        link_nofollow=bytes(links.nofollow),
        link_anchors=anchors,
        bad_links=links.bad,
        nofollow=directives.nofollow,
        noindex=directives.noindex,
        refresh_seconds=None if refresh is None else refresh[0],
        cut=cuts.counts,
    )
    paths = links.paths(elements) if with_paths else []
    shown = VisibleText(
        text, headings, paths, main=elements.main, metadata=metadata.named, elements=own, parts=elements.parts
    )
    return page, shown


def _bounded_headings(elements: PageElements, cuts: Truncations) -> list[Heading]:
    cuts.note("headings", elements.headings_left_out)
    texts = [each.text for each in elements.headings]
    kept = cuts.texts("headings", texts, MAX_HEADING_CHARACTERS, MAX_CHARACTERS_OF_HEADINGS)
    return [
        each
        if text is each.text and (not each.anchor or _can_be_linked_to(each.anchor))
        else Heading(each.level, text, each.anchor if _can_be_linked_to(each.anchor) else "")
        for each, text in zip(elements.headings, kept, strict=True)
    ]


def _can_be_linked_to(anchor: str) -> bool:
    """Return whether links can lead to an id: it has no white space (HTML Standard, 3.2.6), and is not too long."""
    return len(anchor) <= MAX_HEADING_ANCHOR_CHARACTERS and len(anchor.split()) == 1


# --- what a page says about itself -----------------------------------------------------------------

_Named = Sequence[tuple[str, Mapping[str, str]]]


@dataclass(slots=True)
class _Metadata:
    """What the <html> and <meta> elements of a page say."""

    description: str = ""
    language: str = ""
    robots: list[str] = field(default_factory=list)
    refresh: tuple[int, str] | None = None
    named: list[tuple[str, str]] = field(default_factory=list)


def _metadata(named: _Named, agent: str) -> _Metadata:
    found = _Metadata()
    for tag, attributes in named:
        if tag == "html":
            found.language = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
        if tag != "meta" or not (content := attributes.get("content")):
            continue
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        pragma = attributes.get("http-equiv", "").lower()
        if name in ("robots", agent.lower()):
            found.robots.append(content)
        elif name == "description" or (name == "og:description" and not found.description):
            found.description = collapsed(content)
        if name:
            found.named.append((name, content))
        if pragma == "refresh" and found.refresh is None:
            found.refresh = refresh_target(content)
        elif pragma == "content-language" and "," not in content:
            found.language = found.language or content.strip()
    return found


# --- links other than <a> -----------------------------------------------------------------------


def _base_url(named: _Named, url: str, resolver: LinkResolver) -> str:
    """Return the URL against which hrefs resolve: the first <base> with an href, or else the page (HTML 4.2.3).

    The URL is canonical unless its scheme is not http or https. A base that is too long is ignored.
    """
    for tag, attributes in named:
        if tag == "base" and "href" in attributes:
            base = join(attributes["href"], url)
            if base is None or base.startswith(("data:", "javascript:")):
                return url
            canonical = resolver.canonicaliser.canonical_or_reason(base)
            return base if canonical == NOT_FOR_THE_WEB else canonical or url
    return url


def _add_other_links(links: PageLinks, named: _Named, link_header: Sequence[str], url: str) -> str | None:
    """Add all links except <a> and refresh; return the canonical URL, if the page names one."""
    related: list[tuple[str, Container[str]]] = []
    for tag, attributes in named:
        if tag == "area" and "href" in attributes:
            links.add(
                LinkKind.AREA,
                attributes["href"],
                nofollow="nofollow" in tokens(attributes.get("rel")),
                anchor=collapsed(attributes.get("alt", "")),
            )
        elif tag in _FRAMES and (source := attributes.get(_FRAMES[tag][1])):
            if tag not in _MEDIA_TOO or _may_be_page(source, attributes.get("type", "")):
                links.add(_FRAMES[tag][0], source)
        elif tag == "link" and (href := attributes.get("href")):
            related.append((href, tokens(attributes.get("rel"))))
    canonical = None
    related += [(join(href, url) or href, relations) for href, relations in header_links(link_header)]
    for href, relations in related:
        if "canonical" in relations:
            target = links.add(LinkKind.CANONICAL, href)
            canonical = canonical or target
        if "next" in relations:
            links.add(LinkKind.NEXT, href)
        if "alternate" in relations and "stylesheet" not in relations:
            links.add(LinkKind.ALTERNATE, href)
    return canonical


_FRAMES: Final = {
    "frame": (LinkKind.FRAME, "src"),
    "iframe": (LinkKind.IFRAME, "src"),
    "object": (LinkKind.IFRAME, "data"),
    "embed": (LinkKind.IFRAME, "src"),
}
"""Elements that show another page inside this one, each with the kind of link and the attribute that holds it."""
_MEDIA_TOO: Final = ("object", "embed")
_MEDIA_TYPE: Final = re.compile(
    r"\s*(?:image|audio|video|font|model)/|.*(?:shockwave|flash|java|silverlight|director|x-mplayer)", re.IGNORECASE
)
_MEDIA_SUFFIX: Final = re.compile(
    r"[^?#]*\.(?:svgz?|png|jpe?g|gif|webp|avif|bmp|ico|swf|flv|mp[34g]|m4[av]|og[gv]|web[ma]|wav|mov|avi|wm[av]|class|jar"
    r"|dcr|midi?|xap)(?:[?#].*)?\s*",
    re.IGNORECASE | re.DOTALL,
)


def _may_be_page(source: str, content_type: str) -> bool:
    """Return whether an object or embed element may show a page, and not a picture, sound or program."""
    if content_type.strip():
        return _MEDIA_TYPE.match(content_type) is None
    return _MEDIA_SUFFIX.fullmatch(source) is None
