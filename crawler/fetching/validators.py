"""What a server said of the version of a page that is stored, and how to ask whether it still stands. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
_UNQUOTED: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x7e]+")
"""Some servers forget the quotation marks, and then compare what they have sent."""
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
        if self.etag is not None and (_ENTITY_TAG.fullmatch(self.etag) or _UNQUOTED.fullmatch(self.etag)):
            plain = _OF_A_CODING.sub("", self.etag)
            return {"If-None-Match": self.etag if plain == self.etag else f"{self.etag}, {plain}"}
        if self.last_modified is not None and _is_date(self.last_modified):
            return {"If-Modified-Since": self.last_modified}
        return {}

    def stand_in(self, etag: str | None) -> bool:
        """Whether an answer with this ETag is of the same version, by the weak comparison (section 8.8.3.2)."""
        if self.etag is None or etag is None:
            return False
        return self.etag.removeprefix("W/") == etag.removeprefix("W/") and _ENTITY_TAG.fullmatch(etag) is not None

    def renewed(self, etag: str | None, last_modified: str | None) -> Validators:
        """After a 304, whose fields take the place of those that were stored (section 15.4.5)."""
        return Validators(self.etag if etag is None else etag, self.last_modified or last_modified)


NO_VALIDATORS: Final = Validators()


def _is_date(text: str) -> bool:
    """Whether a server will understand it; what is sent on is what it has sent itself."""
    try:
        parsedate_to_datetime(text)
    except ValueError:
        return False
    return text.isascii() and text.isprintable()
