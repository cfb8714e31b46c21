"""Detects whether an answer shows a gate instead of the requested page. Pure.

If a page is mistaken for a gate, the other pages of its site must wait; if a gate is mistaken for a page, the store has
one page of nonsense. So in doubt an answer counts as a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from hinterland.crawler.fetching.gates.gate import Gate
from hinterland.crawler.fetching.gates.known_fields import KNOWN_FIELDS
from hinterland.crawler.fetching.gates.known_pages import KNOWN_PAGES, KnownPage
from hinterland.crawler.fetching.gates.known_targets import KNOWN_TARGETS

MAX_PAGE_BYTES: Final = 24_576
"""Maximum size of a gate's page. Larger ones exist, but reveal themselves by a header field."""
_MOST_LINKS: Final = 12
"""Maximum number of links on a gate's page, including links to style sheets and icons."""
_SIGNS: Final = (b"_", b".", b"-")
"""Bytes that are rare in most pages. Nearly every key contains one of them."""
_TAG: Final = re.compile(rb"<[^<>]*>")
_COMMENTS: Final = ((b"<!--", b"-->"),)
_UNSEEN: Final = ((b"<script", b"</script"), (b"<style", b"</style"), (b"<title", b"</title"), (b"<svg", b"</svg"))


def gate_in_fields(status: int, fields: Iterable[tuple[str, str]]) -> Gate | None:
    """Return the gate that header fields reveal, or None.

    `fields` are the answer's fields among FILTER_FIELDS, with names in lower case.
    """
    for name, value in fields:
        for known in KNOWN_FIELDS:
            if (
                known.name == name
                and (known.values is None or not known.values.isdisjoint(_members(value)))
                and (known.statuses is None or status in known.statuses)
            ):
                return Gate(known.kind, known.owner, f"{name}: {value.strip()[:40]}")
    return None


def gate_at(location: str) -> Gate | None:
    """Return the gate that a redirect to this location leads to, or None."""
    wanted = location.strip().lower()
    for known in KNOWN_TARGETS:
        if known.pattern.match(wanted):
            return Gate(known.kind, known.owner, f"leads to {location.strip()[:100]}")
    return None


def gate_in_page(status: int, page: bytes) -> Gate | None:
    """Return the gate that shows this page, or None. `page` holds the bytes of the page after content decoding."""
    if len(page) > MAX_PAGE_BYTES:
        return None
    if page.count(b"href=") > _MOST_LINKS:  # most ordinary pages end here
        return None
    lowered = page.lower()
    patterns, keys = _searches(status)
    if not any(pattern.search(lowered) for pattern in patterns) and not any(key in lowered for key in keys):
        return None
    known_pages = [known for known in KNOWN_PAGES if known.comes_with(status) and known.key in lowered]
    shown, _ = _parted(lowered, _COMMENTS)
    title = _title(shown)
    shown, unseen = _parted(shown, _UNSEEN)
    markup = b"\n".join([*unseen, *_TAG.findall(shown)])
    text = b" ".join(_TAG.sub(b" ", shown).split())
    for known in known_pages:
        if _is_like(known, title, markup, text):
            return Gate(known.kind, known.owner, known.sign)
    return None


@lru_cache(maxsize=64)
def _searches(status: int) -> tuple[list[re.Pattern[bytes]], list[bytes]]:
    """Return patterns and keys; every page that a gate may send with this status contains at least one of them.

    Each pattern finds the keys that contain one of _SIGNS; keys that contain none are returned as they are, to be
    searched for one by one. On most pages this takes a third of the time of a search for each key, because a single
    byte is found much faster.
    """
    keys = dict.fromkeys(known.key for known in KNOWN_PAGES if known.comes_with(status))
    after_sign: dict[bytes, list[bytes]] = {sign: [] for sign in _SIGNS}
    unsigned = []
    for key in keys:
        sign = next((sign for sign in _SIGNS if sign in key), None)
        if sign is None:
            unsigned.append(key)
            continue
        rest = key.partition(sign)[2]
        after_sign[sign].append(b"%s(?<=%s)" % (re.escape(rest), re.escape(key)))
    patterns = [re.compile(re.escape(sign) + b"(?:" + b"|".join(rests) + b")") for sign, rests in after_sign.items()]
    return patterns, unsigned


def _members(value: str) -> list[str]:
    """Return the members of a list field, which may have been joined from several lines."""
    return [member.strip().lower() for member in value.split(",")]


def _is_like(known: KnownPage, title: bytes, markup: bytes, text: bytes) -> bool:
    return (
        len(text) <= known.most_text
        and (known.title is None or known.title.fullmatch(title) is not None)
        and all(mark.search(markup) for mark in known.marks)
        and all(words.search(text) for words in known.says)
        and (known.without is None or known.without.search(markup) is None)
    )


def _parted(page: bytes, pairs: Iterable[tuple[bytes, bytes]]) -> tuple[bytes, list[bytes]]:
    """Return the page without the parts enclosed by these pairs of bytes, and these parts.

    A part that is not closed extends to the end of the page.
    """
    parts = []
    for opens, closes in pairs:
        kept, start = [], 0
        while (begin := page.find(opens, start)) >= 0:
            kept.append(page[start:begin])
            end = page.find(closes, begin + len(opens))
            end = page.find(b">", end) + 1 if end >= 0 else 0
            start = end or len(page)
            parts.append(page[begin:start])
        page = b" ".join([*kept, page[start:]])
    return page, parts


def _title(markup: bytes) -> bytes:
    begin = markup.find(b"<title")
    start = markup.find(b">", begin) + 1
    if begin < 0 or not start:
        return b""
    end = markup.find(b"<", start)
    return b" ".join(markup[start : end if end >= 0 else len(markup)].split())
