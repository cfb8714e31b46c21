"""The hits of a search as text for other programs. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from hinterland.library.text.csv_text import csv_text
from hinterland.library.text.wording import printable
from hinterland.search.answers import Hit, SearchAnswer


def _fields(place: int, hit: Hit) -> dict[str, Any]:
    return {
        "place": place,
        "url": hit.url,
        "title": hit.title_text,
        "snippet": hit.snippet_text,
        "dated": _utc(hit.dated),
        "fetched": _utc(hit.fetched_at),
        "language": hit.language,
        "score": round(hit.score, 4),
        "store": hit.store,
        "section": hit.section,
        "section_url": hit.section_url,
    }


def _rows(answer: SearchAnswer) -> list[dict[str, Any]]:
    return [_fields(place, hit) for place, hit in enumerate(answer.hits, answer.offset + 1)]


def as_jsonl(answer: SearchAnswer) -> str:
    """Return JSON Lines, one object for each hit."""
    return "\n".join(json.dumps(row) for row in _rows(answer))


def as_csv(answer: SearchAnswer) -> str:
    """Return the hits as CSV, with the names of the columns in the first line."""
    rows = _rows(answer)
    names = list(rows[0]) if rows else ["place", "url", "title", "snippet"]
    return csv_text([names, *(list(row.values()) for row in rows)]).removesuffix("\r\n")


def as_markdown(answer: SearchAnswer) -> str:
    """Return a numbered list of the hits with links. Markup in texts of pages has no effect."""
    return "\n".join(
        f"{place}. [{_inert(_name(hit))}](<{_href(hit.section_url)}>)\n   {_inert(hit.snippet_text)}".rstrip()
        for place, hit in enumerate(answer.hits, answer.offset + 1)
    )


def _name(hit: Hit) -> str:
    title = hit.title_text or hit.url
    return f"{title} › {hit.section}" if hit.section else title


FORMATS: Final[Mapping[str, Callable[[SearchAnswer], str]]] = {
    "jsonl": as_jsonl,
    "csv": as_csv,
    "markdown": as_markdown,
}
"""The formats besides plain text and one JSON object."""

_MARKUP: Final = str.maketrans({each: f"\\{each}" for each in "\\`*_{}[]<>()#+-.!|~&"})


def _inert(text: str) -> str:
    """Return a text of a page on one line, with escapes wherever Markdown might see markup."""
    return " ".join(printable(text).split()).translate(_MARKUP)


def _href(url: str) -> str:
    return printable(url).replace("<", "%3C").replace(">", "%3E")


def _utc(epoch_seconds: float | None) -> str | None:
    if epoch_seconds is None:
        return None
    return datetime.fromtimestamp(epoch_seconds, UTC).isoformat(timespec="seconds")
