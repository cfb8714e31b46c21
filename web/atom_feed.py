"""Atom feeds (RFC 4287), for example of the hits of a query. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from hinterland.search.answers import Hit, SearchAnswer
from hinterland.web.hostile_text import visible, web_href

_ATOM = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed.

    `name` is its permanent URI, and `href` the web page to which it leads. `updated` is in epoch seconds.
    """

    name: str
    title: str
    href: str
    updated: float
    summary: str


def atom_feed(answer: SearchAnswer, address: str, page_of_results: str, now: float) -> bytes:
    """Return a feed of the hits of a query.

    Hits whose URL is not http or https are left out. `feed_of` explains the arguments.
    """
    moments = [_moment(hit) for hit in answer.hits]
    return feed_of(
        [
            Entry(href, hit.title_text or href, href, moment, hit.snippet_text)
            for hit, moment in zip(answer.hits, moments, strict=True)
            if (href := web_href(hit.url)) is not None
        ],
        title=f"{answer.query} · Hinterland",
        address=address,
        page=page_of_results,
        now=max(moments, default=now),
    )


def feed_of(entries: Sequence[Entry], *, title: str, address: str, page: str, now: float) -> bytes:
    """Return a feed as well-formed XML, even if crawled texts are hostile.

    Text is escaped, and characters that XML cannot contain are spelt out. `address` is the URL of the feed, which is
    also its permanent name. `page` is the URL of the web page with the same content. `now` is the time of the feed if
    it has no entries, in epoch seconds.
    """
    register_namespace("", _ATOM)
    feed = Element(_named("feed"))
    _text(feed, "title", title)
    _text(feed, "id", address)
    _text(feed, "updated", _rfc3339(max((each.updated for each in entries), default=now)))
    SubElement(feed, _named("link"), rel="self", type="application/atom+xml", href=address)
    SubElement(feed, _named("link"), rel="alternate", type="text/html", href=page)
    _text(SubElement(feed, _named("author")), "name", "Hinterland")
    for each in entries:
        _add_entry(feed, each)
    xml: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return xml


def _add_entry(feed: Element, told: Entry) -> None:
    entry = SubElement(feed, _named("entry"))
    _text(entry, "title", told.title)
    _text(entry, "id", told.name)
    _text(entry, "updated", _rfc3339(told.updated))
    SubElement(entry, _named("link"), rel="alternate", href=told.href)
    _text(entry, "summary", told.summary)


def _moment(hit: Hit) -> float:
    return hit.fetched_at if hit.dated is None else hit.dated


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, _named(name)).text = visible(text)


def _named(name: str) -> str:
    return f"{{{_ATOM}}}{name}"


def _rfc3339(epoch_seconds: float) -> str:
    """Return a time in RFC 3339 format with milliseconds, so that entries of the same second keep their order."""
    return datetime.fromtimestamp(epoch_seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
