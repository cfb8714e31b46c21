"""An Atom feed (RFC 4287) of the hits of a query. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from crawler.apps.search.answers import Fragment, Hit, SearchAnswer
from crawler.apps.serving.hostile_text import visible, web_href

_ATOM = "http://www.w3.org/2005/Atom"


def atom_feed(answer: SearchAnswer, address: str, page_of_results: str, now: float) -> bytes:
    """XML that is well-formed whatever was crawled: it is escaped, and what XML cannot hold is spelt out.

    address: of the feed itself, which also names it for ever; page_of_results: the same for people; both whole URLs.
    now: epoch seconds, for a feed without entries. A hit whose URL is none of the web has no entry.
    """
    register_namespace("", _ATOM)
    feed = Element(_named("feed"))
    moments = [_moment(hit) for hit in answer.hits]
    _text(feed, "title", f"{answer.query} · Hinterland")
    _text(feed, "id", address)
    _text(feed, "updated", _rfc3339(max(moments, default=now)))
    SubElement(feed, _named("link"), rel="self", type="application/atom+xml", href=address)
    SubElement(feed, _named("link"), rel="alternate", type="text/html", href=page_of_results)
    _text(SubElement(feed, _named("author")), "name", "Hinterland")
    for hit, moment in zip(answer.hits, moments, strict=True):
        if (href := web_href(hit.url)) is not None:
            _add_entry(feed, hit, href, moment)
    xml: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return xml


def _add_entry(feed: Element, hit: Hit, href: str, moment: float) -> None:
    entry = SubElement(feed, _named("entry"))
    _text(entry, "title", _plain(hit.title) or href)
    _text(entry, "id", href)
    _text(entry, "updated", _rfc3339(moment))
    SubElement(entry, _named("link"), rel="alternate", href=href)
    _text(entry, "summary", _plain(hit.snippet))


def _moment(hit: Hit) -> float:
    return hit.fetched_at if hit.dated is None else hit.dated


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, _named(name)).text = visible(text)


def _plain(fragments: Sequence[Fragment]) -> str:
    return "".join(each.text for each in fragments)


def _named(name: str) -> str:
    return f"{{{_ATOM}}}{name}"


def _rfc3339(epoch_seconds: float) -> str:
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
