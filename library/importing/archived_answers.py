"""Turns an archived response into an Answer, as if the fetcher had returned it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.gates.known_fields import FILTER_FIELDS


class Fields:
    """The header fields of a response."""

    def __init__(self, fields: Iterable[tuple[str, str]]) -> None:
        """Take names and values, in their order."""
        self._fields = [(name.lower(), value) for name, value in fields]

    def raw(self) -> list[tuple[bytes, bytes]]:
        """Return all fields, encoded as a server sends them."""
        return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in self._fields]

    def all(self, name: str) -> list[str]:
        """Return the values of a field, by its name in lower case."""
        return [value for each, value in self._fields if each == name]

    def joined(self, name: str) -> str | None:
        """Return the values of a field joined in one line; None if there is no such field."""
        return ", ".join(self.all(name)) or None

    def first(self, name: str) -> str | None:
        """Return the first non-empty line of a field with a single value (see crawler.fetching.header_fields)."""
        lines = self.all(name)
        return next((line for line in lines if line.strip()), lines[0] if lines else None)


def archived_answer(
    status: int, fields: Fields, body: bytes, *, content_encoding: str, unwanted: bytes, is_page: bool
) -> Answer:
    """Return an Answer as the fetcher would return it.

    `content_encoding` is the coding that the body still has. `unwanted` is explained in `Answer`.
    """
    return Answer(
        status=status,
        body=body,
        seconds=0.0,
        was_skipped=not is_page,
        content_type=fields.joined("content-type"),
        content_encoding=content_encoding,
        location=fields.first("location"),
        retry_after=fields.first("retry-after"),
        etag=fields.first("etag"),
        last_modified=fields.first("last-modified"),
        robots_tags=tuple(fields.all("x-robots-tag")),
        link_fields=tuple(fields.all("link")),
        refresh=fields.first("refresh"),
        unwanted=unwanted,
        filter_fields=tuple((name, line) for name in FILTER_FIELDS for line in fields.all(name)),
        raw_fields=fields.raw(),
    )
