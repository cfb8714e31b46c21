"""The validators (ETag, Last-Modified) of a page's stored version, by which a server tells if it is current. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
_END_OF_MEMBER: Final = re.compile(r"[ \t]*,|$")
_UNQUOTED: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x7e]+")
"""An ETag without quotation marks. Some servers forget these, and compare with exactly what they have sent."""
_OF_NO_VERSION: Final = re.compile(r'(?:W/)?(?:\*|"\*?"|"?-?(?:null|undefined)"?)?', re.IGNORECASE)
"""Tags that are the same for every version. `If-None-Match: *` matches any version (RFC 9110, section 13.1.2), so the
answer would always be 304."""
_OLDEST_YEAR: Final = 1990
"""The web is no older. A file dated 1970 or 1980 has a date that a build process gives to all files."""
_OF_A_CODING: Final = re.compile(r'(?:-|--|;|:)(?:gzip|br|zstd|deflate|df)(?="$)')
"""Suffixes that servers append to the tag of a compressed variant, and often fail to recognise later: httpd's
mod_deflate appends "-gzip", Jetty "--gzip"."""


@dataclass(frozen=True, slots=True)
class Validators:
    """The ETag and Last-Modified of a version, as sent (RFC 9110, section 8.8)."""

    etag: str | None = None
    last_modified: str | None = None

    def fields(self) -> dict[str, str]:
        """Return the header fields that make a request conditional; empty if there is no usable validator.

        Only one of the two fields is sent: If-None-Match takes precedence where it is understood (RFC 9110, section
        13.1.2), and some servers that compare only one of them answer 200 if they receive both.
        """
        tag = _first_tag(self.etag)
        if tag and not _OF_NO_VERSION.fullmatch(tag):
            plain = _OF_A_CODING.sub("", tag)
            has_other = plain != tag and not _OF_NO_VERSION.fullmatch(plain)
            return {"If-None-Match": f"{tag}, {plain}" if has_other else tag}
        if self.last_modified is not None and _is_date(self.last_modified):
            return {"If-Modified-Since": self.last_modified}
        return {}

    def stand_in(self, etag: str | None) -> bool:
        """Return whether an answer with this ETag is of the same version, by the weak comparison (section 8.8.3.2)."""
        if self.etag is None or etag is None or _OF_NO_VERSION.fullmatch(etag):
            return False
        return self.etag.removeprefix("W/") == etag.removeprefix("W/") and _ENTITY_TAG.fullmatch(etag) is not None

    def renewed(self, etag: str | None, last_modified: str | None) -> Validators:
        """Return the validators after a 304, whose fields replace the stored ones (section 15.4.5)."""
        return Validators(self.etag if etag is None else etag, self.last_modified or last_modified)


NO_VALIDATORS: Final = Validators()


def _first_tag(etag: str | None) -> str:
    """Return the tag to send back, or "". If two fields were joined on the way, return the first tag."""
    if etag is None:
        return ""
    if tag := _ENTITY_TAG.match(etag):
        return tag[0] if _END_OF_MEMBER.match(etag, tag.end()) else ""
    return etag if _UNQUOTED.fullmatch(etag) else ""


def _is_date(text: str) -> bool:
    """Return whether a date that a server sent has a form that the server will understand when it is sent back."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return False
    return date.year >= _OLDEST_YEAR and text.isascii() and text.isprintable()
