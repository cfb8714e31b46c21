"""The date that a page states: that of its last change, or else of its publication. Pure.

Sources in this order: what publishers write for machines (schema.org in JSON-LD and microdata, Open Graph, Dublin Core
and other <meta>), what their tools write for people ("Last updated on Jul 04, 2025."), <time datetime>, and a date in
the canonical URL. A date of change takes precedence over a date of publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_HEAD: Final = 60_000
_FOOT: Final = 20_000
"""Characters read at the beginning and at the end of a page."""
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
_META: Final = re.compile(r"<meta\b[^<>]{1,600}>", re.IGNORECASE)
_NAME: Final = re.compile(r"""\b(?:name|property|itemprop|http-equiv)\s*=\s*["']?([^"'\s>]{3,60})""", re.IGNORECASE)
_CONTENT: Final = re.compile(r"""\bcontent\s*=\s*(?:"([^"]{4,60})"|'([^']{4,60})')""", re.IGNORECASE)
_CHANGED: Final = re.compile(_CHANGED_NAMES, re.IGNORECASE)
_PUBLISHED: Final = re.compile(_PUBLISHED_NAMES, re.IGNORECASE)
_JSON: Final = re.compile(r'"(dateModified|datePublished|dateCreated)"\s*:\s*"([^"]{4,60})"')
_SAID: Final = re.compile(
    r"\b(?:last|page|was)?\s*(?:updated|modified|revised|changed|generated|built|edited)\s*(?:on|at|:|=)?\s*:?\s*"
    r"(?:<[^<>]{1,200}>\s*){0,3}((?:[A-Za-z]{3,9},?\s+)?[A-Za-z0-9][A-Za-z0-9 ,:+./-]{5,45})",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"""<(?:time|relative-time)\b[^<>]{0,300}?\bdatetime\s*=\s*["']([^"']{4,60})""", re.IGNORECASE
)
_ITEMPROP_TIME: Final = re.compile(r"\bitemprop\s*=\s*[\"']?date(Modified|Published)", re.IGNORECASE)
_URL: Final = re.compile(
    r"""<link\b[^<>]{0,200}?\brel\s*=\s*["']?canonical[^<>]{0,40}?href\s*=\s*["'][^"'<>]{8,200}?"""
    r"""/((?:19|20)\d\d)[/-](0[1-9]|1[0-2])[/-](0[1-9]|[12]\d|3[01])[/-]""",
    re.IGNORECASE,
)

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
    """Return the page's date in epoch seconds, None if it has none.

    A day stands for its beginning in UTC.
    """
    head, foot = html[:_HEAD], html[-_FOOT:] if len(html) > _HEAD else ""
    published = None
    for is_change, text in _told(head, foot):
        moment = moment_of(text)
        if moment is None or moment < _EARLIEST:
            continue
        if is_change:
            return moment
        published = moment if published is None else published
    return published


def last_modified(field: str) -> float | None:
    """Return the time of a Last-Modified field (RFC 9110, section 8.8.2) in epoch seconds.

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

    It must not be after the visit, and must not be a default value of software, such as 1970.
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


def _told(head: str, foot: str) -> Iterator[tuple[bool, str]]:
    """Yield (whether it is the date of a change, text of the date), the most trusted first."""
    for kind, text in _JSON.findall(head) or _JSON.findall(foot):
        yield kind == "dateModified", text
    for tag in _META.findall(head):
        name, content = _NAME.search(tag), _CONTENT.search(tag)
        if name is not None and content is not None:
            text = content[1] or content[2]
            if _CHANGED.fullmatch(name[1]):
                yield True, text
            elif _PUBLISHED.fullmatch(name[1]):
                yield False, text
    for said in _SAID.findall(foot or head):
        yield True, said
    for found in _TIME.finditer(head):
        name = _ITEMPROP_TIME.search(found[0])
        yield name is not None and name[1].lower() == "modified", found[1]
    if in_url := _URL.search(head):
        yield False, "-".join(in_url.groups())


def _offset(zone: str | None) -> float:
    """Return the offset of a time zone such as "+02:00" in seconds."""
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return 0.0
    digits = zone[1:].replace(":", "")
    seconds = 3600.0 * int(digits[:2]) + 60.0 * int(digits[2:])
    return seconds if zone[0] == "+" else -seconds
