"""What a server said of the version of a page that is stored, and how to ask whether it still stands. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
_END_OF_MEMBER: Final = re.compile(r"[ \t]*,|$")
_UNQUOTED: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x7e]+")
"""Some servers forget the quotation marks, and then compare what they have sent."""
_OF_NO_VERSION: Final = re.compile(r'(?:W/)?(?:\*|"\*?"|"?-?(?:null|undefined)"?)?', re.IGNORECASE)
"""Tags that are the same for every version. `If-None-Match: *` asks for any at all (RFC 9110, section 13.1.2), so the
answer would be 304 for ever."""
_OLDEST_YEAR: Final = 1990
"""The web is no older: a file dated 1970 or 1980 has the date that its builder gives to all files."""
_OF_A_CODING: Final = re.compile(r'(?:-|--|;|:)(?:gzip|br|zstd|deflate|df)(?="$)')
"""What servers append to the tag of a compressed variant, and often do not know again: httpd's mod_deflate says
"…-gzip", Jetty "…--gzip"."""


@dataclass(frozen=True, slots=True)
class Validators:
    """ETag and Last-Modified, as sent (RFC 9110, section 8.8)."""

    etag: str | None = None
    last_modified: str | None = None

    def fields(self) -> dict[str, str]:
        """The header fields that make a request conditional; empty if nothing can be asked.

        Never both: If-None-Match has precedence where it is understood (RFC 9110, section 13.1.2), and some servers
        that compare only one of them answer 200 when they are sent both.
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
        """Whether an answer with this ETag is of the same version, by the weak comparison (section 8.8.3.2)."""
        if self.etag is None or etag is None or _OF_NO_VERSION.fullmatch(etag):
            return False
        return self.etag.removeprefix("W/") == etag.removeprefix("W/") and _ENTITY_TAG.fullmatch(etag) is not None

    def renewed(self, etag: str | None, last_modified: str | None) -> Validators:
        """After a 304, whose fields take the place of those that were stored (section 15.4.5)."""
        return Validators(self.etag if etag is None else etag, self.last_modified or last_modified)


NO_VALIDATORS: Final = Validators()


def _first_tag(etag: str | None) -> str:
    """The tag to send back, "" if there is none; of several, which came in two fields and were joined, the first."""
    if etag is None:
        return ""
    if tag := _ENTITY_TAG.match(etag):
        return tag[0] if _END_OF_MEMBER.match(etag, tag.end()) else ""
    return etag if _UNQUOTED.fullmatch(etag) else ""


def _is_date(text: str) -> bool:
    """Whether a server will understand it; what is sent on is what it has sent itself."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return False
    return date.year >= _OLDEST_YEAR and text.isascii() and text.isprintable()
