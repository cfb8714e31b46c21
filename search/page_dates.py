"""Reads the date that a page states: the date of its last change or, without one, of its publication. Pure.

The first of these sources that has a date decides: metadata for machines (the item of JSON-LD or microdata that
describes the page, then Open Graph, Dublin Core and other <meta>), sentences for people ("Last updated on Jul 04,
2025."), <time datetime>, and a date in the canonical URL. Within a source, a date of change takes precedence over a
date of publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from hinterland.crawler.parsing.extraction.structured_data import Item, StructuredData
from hinterland.crawler.parsing.extraction.tree import Element, PageTree, text_of

_HEAD: Final = 20_000
_FOOT: Final = 20_000
"""Characters of the visible text in which sentences are read, at its beginning and its end."""
_LONGEST_DATE: Final = 60
_MOST_ELEMENTS: Final = 200
"""How many elements of a kind are read; the relevant date is among the first."""
_KEYS: Final = ("itemprop", "name", "property", "http-equiv")
"""Attributes that say what the content of a <meta> is."""
_EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC).timestamp()
_TOLERANCE: Final = 2 * 86_400.0
"""How far a date may be after the visit, in seconds: clocks are wrong, and time zones differ."""

_CHANGED_NAMES: Final = (
    r"article:modified_time|og:updated_time|og:article:modified_time|(?:dc|dcterms)\.(?:date\.)?modified|datemodified"
    r"|last-modified|lastmod|revised|date\.modified|last_modified|modified"
)
_PUBLISHED_NAMES: Final = (
    r"article:published_time|og:article:published_time|(?:dc|dcterms)\.(?:date\.)?(?:created|issued)|dcterms\.date"
    r"|dc\.date|datepublished|citation_(?:publication_|online_)?date|date\.created|pubdate|publishdate|parsely-pub-date"
    r"|sailthru\.date|date|created"
)
_CHANGED: Final = re.compile(_CHANGED_NAMES, re.IGNORECASE)
_PUBLISHED: Final = re.compile(_PUBLISHED_NAMES, re.IGNORECASE)
_SAID: Final = re.compile(
    r"\b(?:last|page|was)?\s*(?:updated|modified|revised|changed|generated|built|edited)\s*(?:on|at|:|=)?\s*:?\s*"
    r"((?:[A-Za-z]{3,9},?\s+)?[A-Za-z0-9][A-Za-z0-9 ,:+./-]{5,45})",
    re.IGNORECASE,
)
_SAID_WORDS: Final = ("updated", "modified", "revised", "changed", "generated", "built", "edited")
_SAID_NEAR_YEAR: Final = re.compile(rf"(?:{'|'.join(_SAID_WORDS)})(?=.{{0,{_LONGEST_DATE + 10}}}?(?:19|20)\d\d)")
_IN_URL: Final = re.compile(r".*?/((?:19|20)\d\d)[/-](0[1-9]|1[0-2])[/-](0[1-9]|[12]\d|3[01])(?:[/-]|$)")
_NOT_SAID: Final = "script, style, textarea, noscript, template, iframe, select, del"
"""Elements whose text is invisible, or is typed by the reader."""

_WORK: Final = re.compile(r".*(?:Article|Posting|Report|Recipe|HowTo|Course|Book|Dataset|Review|Document|APIReference)")
_PAGE: Final = re.compile(r".*Page")
_NOT_THE_PAGE: Final = re.compile(
    r"Comment|Answer|UserReview|Rating|Person|.*Organization|.*Object|Offer|WebSite|ListItem|.*Event|Clip|Claim"
)
_PARTS: Final = frozenset(
    {
        *("comment", "comments", "review", "reviews", "ispartof", "haspart", "itemlistelement", "mentions", "citation"),
        *("about", "author", "publisher", "image", "video", "audio", "suggestedanswer", "acceptedanswer", "blogpost"),
        "isrelatedto",
    }
)
"""Names of properties whose items are about something other than the page."""

_ISO: Final = re.compile(
    r"((?:19|20)\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])"
    r"(?:[T ]([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d))?(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)
_SLASHED: Final = re.compile(r"((?:19|20)\d\d)[/.](0?[1-9]|1[0-2])[/.](0?[1-9]|[12]\d|3[01])\b")
_MONTHS: Final = {name: number for number, name in enumerate(
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)}  # fmt: skip
_MONTH: Final = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_MONTH: Final = re.compile(rf"\b(\d\d?)(?:st|nd|rd|th)?[ .-]+{_MONTH}[ ,.-]+((?:19|20)\d\d)\b", re.IGNORECASE)
_MONTH_DAY: Final = re.compile(
    rf"\b{_MONTH} +(\d\d?)(?:st|nd|rd|th)?(?:,? +[\d:]{{5,8}})?(?: [A-Z]{{3,4}})?,? +((?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def page_date(html: str) -> float | None:
    """Return the date of a page in epoch seconds; None if it states none.

    A date without a time of day stands for the beginning of the day in UTC.
    """
    tree = PageTree(html.encode("utf-8", "replace"))
    source_text = html.lower()
    for source, needed in _SOURCES:
        if needed and not any(part in source_text for part in needed):
            continue
        published = None
        for is_change, text in source(tree):
            moment = moment_of(text[:_LONGEST_DATE])
            if moment is None or moment < _EARLIEST:
                continue
            if is_change:
                return moment
            published = moment if published is None else published
        if published is not None:
            return published
    return None


def last_modified(field: str) -> float | None:
    """Return the time of a Last-Modified header field (RFC 9110, section 8.8.2) in epoch seconds.

    Returns None if it is not a date.
    """
    if not field:
        return None
    try:
        return parsedate_to_datetime(field).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None


def believable(dated: float | None, fetched_at: float) -> float | None:
    """Return the date if it is plausible, else None.

    A plausible date is not after the visit, and is not a default value that software writes, such as 1970.
    """
    return dated if dated is not None and _EARLIEST <= dated <= fetched_at + _TOLERANCE else None


def moment_of(text: str) -> float | None:
    """Return the first date in a text as epoch seconds, None if there is none."""
    try:
        if found := _ISO.search(text):
            year, month, day, hour, minute, second, zone = found.groups()
            moment = datetime(
                int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
            )
            return moment.timestamp() - _offset(zone)
        if found := _SLASHED.search(text):
            return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC).timestamp()
        if found := _DAY_MONTH.search(text):
            return datetime(int(found[3]), _MONTHS[found[2].lower()], int(found[1]), tzinfo=UTC).timestamp()
        if found := _MONTH_DAY.search(text):
            return datetime(int(found[3]), _MONTHS[found[1].lower()], int(found[2]), tzinfo=UTC).timestamp()
    except ValueError:  # the 31st of February
        return None
    return None


# Each source yields (whether it is the date of a change, text of the date).


def _items_dates(tree: PageTree) -> Iterator[tuple[bool, str]]:
    """Yield the dates of the item that describes the page, in JSON-LD or else in microdata."""
    data = StructuredData(tree, "")
    for kind in ("jsonld", "microdata"):
        item = _page_item(data.items(kind), _canonical(tree))
        for name, is_change in (("dateModified", True), ("datePublished", False), ("dateCreated", False)):
            yield from ((is_change, str(value)) for value in item.get(name, ()))


def _page_item(items: Sequence[Item], canonical: str) -> Item:
    """Return the dated item that describes the page; an empty item if there is none.

    An item of a work, such as an article, comes before an item of a page. If there are several works, the work that
    names the page's canonical URL is chosen. If no work names it, the page is taken for a list of works, and the item
    of the page is chosen.
    """
    parts = {id(part) for item in items for name in item if name.lower() in _PARTS for part in item[name]}
    own = [item for item in items if id(item) not in parts and _is_dated(item) and not _has_type(item, _NOT_THE_PAGE)]
    works = [item for item in own if _has_type(item, _WORK)]
    pages = [item for item in own if _has_type(item, _PAGE)]
    if len(works) > 1:
        named = [item for item in works if canonical and canonical in _addresses(item)]
        works, pages = (named, pages) if named else ([], pages or works)
    return next(iter(works or pages or own), {})


def _is_dated(item: Item) -> bool:
    return any(name in item for name in ("dateModified", "datePublished", "dateCreated"))


def _has_type(item: Item, types: re.Pattern[str]) -> bool:
    return any(types.fullmatch(str(name)) for name in item.get("@type", ()))


def _addresses(item: Item) -> set[str]:
    """Return the URLs that an item gives for itself or for its page."""
    named = [value for name in ("url", "@id", "mainEntityOfPage") for value in item.get(name, ())]
    inner = [value for page in named if isinstance(page, Mapping) for value in page.get("@id", ())]
    return {each for each in (*named, *inner) if isinstance(each, str)}


def _meta_dates(tree: PageTree) -> Iterator[tuple[bool, str]]:
    for meta in tree.all("meta[content]")[:_MOST_ELEMENTS]:
        attributes = meta.attributes
        for key in _KEYS if "itemprop" not in attributes or not _is_in_an_item(meta) else _KEYS[1:]:
            name = (attributes.get(key) or "").strip()
            if _CHANGED.fullmatch(name):
                yield True, attributes.get("content") or ""
            elif _PUBLISHED.fullmatch(name):
                yield False, attributes.get("content") or ""


def _is_in_an_item(element: Element) -> bool:
    """Return whether the element is part of microdata, which `_items_dates` reads."""
    around = element.parent
    while around is not None and "itemscope" not in around.attributes:
        around = around.parent
    return around is not None


def _said_dates(tree: PageTree) -> Iterator[tuple[bool, str]]:
    """Yield the dates in sentences such as "Last updated on", beginning at the end of the text. Destroys the tree."""
    if not _may_say_a_date(tree):
        return
    for element in reversed(tree.all(_NOT_SAID)):
        element.decompose()
    text = "" if tree.root is None else text_of(tree.root)
    for part in (text[-_FOOT:], text[:-_FOOT][:_HEAD]):
        yield from ((True, said) for said in _SAID.findall(part))


def _may_say_a_date(tree: PageTree) -> bool:
    """Return whether the page may have a sentence such as "Last updated on", because one of its words precedes a year.

    This is a fast check that misses no sentence. It may return True without one, since it also reads invisible text and
    does not separate elements. Joining the visible text would take ten times as long, and most pages have no such
    sentence.
    """
    text = "" if tree.root is None else tree.root.text().lower()
    if not any(word in text for word in _SAID_WORDS):
        return False
    return _SAID_NEAR_YEAR.search(" ".join(text.split())) is not None


def _time_dates(tree: PageTree) -> Iterator[tuple[bool, str]]:
    for time in tree.all("time[datetime], relative-time[datetime]")[:_MOST_ELEMENTS]:
        named = (time.attributes.get("itemprop") or "").lower()
        yield named == "datemodified", time.attributes.get("datetime") or ""


def _url_dates(tree: PageTree) -> Iterator[tuple[bool, str]]:
    if found := _IN_URL.match(_canonical(tree)):
        yield False, "-".join(found.groups())


def _canonical(tree: PageTree) -> str:
    return next((link.attributes.get("href") or "" for link in tree.all('link[rel~="canonical" i][href]')), "")[:2000]


_SOURCES: Final = (
    (_items_dates, ("ld+json", "itemscope")),
    (_meta_dates, ()),
    (_said_dates, ()),
    (_time_dates, ("datetime",)),
    (_url_dates, ("canonical",)),
)
"""The sources of dates in their order; a page without any of the parts, in lower case, has no date there."""


def _offset(zone: str | None) -> float:
    """Return the offset of a time zone such as "+02:00" in seconds."""
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return 0.0
    digits = zone[1:].replace(":", "")
    seconds = 3600.0 * int(digits[:2]) + 60.0 * int(digits[2:])
    return seconds if zone[0] == "+" else -seconds
