"""HTTP Archives (HAR): what a browser fetched, as its network panel or Playwright saves it.

A HAR file is one JSON object, so it is read as a whole. It contains the text of pages, already decoded, so this text is
read as UTF-8.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.fetching.gated_answers import REFUSING
from hinterland.crawler.fetching.gates.recognition import MAX_PAGE_BYTES
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.library.importing.archived_answers import Fields, archived_answer
from hinterland.library.importing.format import Limits
from hinterland.library.importing.items import IMPORTED_LOGIN, ArchivedLogin, ArchivedResponse, ArchiveItem, Skipped
from hinterland.library.importing.link_data import LinkDataReader, archive_time

_MOST_BYTES: Final = 1 << 30
_KIND: Final = "entry"
_REDIRECTS: Final = range(300, 400)


def items(path: Path, _reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the responses of a file. Raises OSError."""
    if path.stat().st_size > _MOST_BYTES:
        yield Skipped("file", f"more than {_MOST_BYTES >> 20:,} MB, which are too many to be read at once")
        return
    try:
        log = _mapping(_mapping(msgspec.json.decode(path.read_bytes())).get("log"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        log = {}
    entries = log.get("entries")
    if not isinstance(entries, list):
        yield Skipped("file", "it is no HTTP Archive: a JSON object with log.entries")
        return
    for entry in map(_mapping, entries):
        item = item_of(entry, limits)
        if isinstance(item, ArchivedResponse) and _has_login(entry):
            yield ArchivedLogin(item.url, IMPORTED_LOGIN)
        yield item


def item_of(entry: Mapping[str, Any], limits: Limits) -> ArchiveItem:
    """Return the response of an entry."""
    request, response = _mapping(entry.get("request")), _mapping(entry.get("response"))
    url, at, status = request.get("url"), _moment(entry.get("startedDateTime")), response.get("status")
    if str(request.get("method")).upper() != "GET":
        return Skipped(_KIND, "not fetched by GET")
    if not isinstance(url, str) or not url.lower().startswith(("http:", "https:")):
        return Skipped(_KIND, "not a web URL")
    if at is None:
        return Skipped(_KIND, "no usable date")
    if not isinstance(status, int) or not 100 <= status < 600:
        return Skipped(_KIND, "no HTTP response in it")
    if status == 304:
        return Skipped(_KIND, "status 304, which says nothing about the page")
    address = entry.get("serverIPAddress")
    answer = _answer(url, status, response, limits)
    if answer is None:
        return Skipped(_KIND, "saved without its content")
    return ArchivedResponse(_text(url), at, answer, address if isinstance(address, str) and address else None)


def _has_login(entry: Mapping[str, Any]) -> bool:
    fields = map(_mapping, _list(_mapping(entry.get("request")).get("headers")))
    return any(_text(field.get("name")).lower() == "authorization" for field in fields)


def _answer(url: str, status: int, response: Mapping[str, Any], limits: Limits) -> Answer | NoAnswer | None:
    """Return an entry's answer in the form in which the fetcher would have returned it.

    None means that the content of a page was not saved.
    """
    content = _mapping(response.get("content"))
    fields = dict[str, list[str]]()
    for field in _list(response.get("headers")):
        name, value = _mapping(field).get("name"), _mapping(field).get("value")
        if isinstance(name, str) and isinstance(value, str):
            fields.setdefault(_text(name).lower(), []).append(_text(value))
    body = _body(content)
    is_text = content.get("encoding") != "base64"
    content_type = _text(content.get("mimeType")) or ", ".join(fields.get("content-type", ()))
    essence = essence_of(content_type)
    fields["content-type"] = [f"{essence}; charset=utf-8" if is_text and essence else content_type]
    if status in _REDIRECTS and not fields.get("location") and _text(response.get("redirectURL")):
        fields["location"] = [_text(response["redirectURL"])]
    is_page = 200 <= status < 300 and essence in limits.content_types
    is_wanted = is_page or (url.endswith("/robots.txt") and 200 <= status < 300)
    if is_wanted and body is None:
        return None
    if is_wanted and len(body or b"") > limits.max_body_bytes:
        return NoAnswer(OutcomeKind.TOO_LARGE, f"more than {limits.max_body_bytes} bytes", 0.0, status)
    return archived_answer(
        status,
        Fields((name, value) for name, values in fields.items() for value in values),
        (body or b"") if is_wanted else b"",
        content_encoding="",
        unwanted=(body or b"")[:MAX_PAGE_BYTES] if status in REFUSING else b"",
        is_page=is_page,
    )


def _body(content: Mapping[str, Any]) -> bytes | None:
    """Return the decoded body; None if it was not saved."""
    text = content.get("text")
    if not isinstance(text, str):
        return b"" if content.get("size") == 0 else None
    if content.get("encoding") != "base64":
        return text.encode("utf-8", "replace")
    with suppress(binascii.Error, ValueError):
        return b64decode(text)
    return None


def _moment(value: object) -> float | None:
    return archive_time(value) if isinstance(value, str) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: object) -> str:
    """Return a string that can be stored: lone halves of surrogate pairs are removed."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
