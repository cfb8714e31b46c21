"""Reads `<meta http-equiv=refresh>` and the equivalent Refresh header field, as browsers do."""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.urls.canonical import join

_SPACE: Final = r"[\t\n\f\r ]*"
_TIME: Final = re.compile(rf"{_SPACE}([0-9]+|(?=\.))[0-9.]*(?:{_SPACE}[;,]{_SPACE}|[\t\n\f\r ]{_SPACE}|$)")
_URL: Final = re.compile(rf"url{_SPACE}={_SPACE}", re.IGNORECASE)
_MAX_DIGITS: Final = 9


def refresh_target(content: str) -> tuple[int, str] | None:
    """Return the delay in whole seconds and the href, "" for the page itself; None if browsers would ignore `content`.

    See HTML Standard 4.2.5.3, "shared declarative refresh steps". A delay is cut to its first nine digits.
    """
    time = _TIME.match(content)
    if time is None:
        return None
    seconds = int(time[1][:_MAX_DIGITS] or 0)
    href = content[time.end() :]
    if name := _URL.match(href):
        href = href[name.end() :]
    elif href[:1] not in ("'", '"'):
        return seconds, href
    if href[:1] in ("'", '"'):
        href = href[1:].partition(href[0])[0]
    return seconds, href


def field_refresh(field: str | None, url: str) -> tuple[int, str] | None:
    """Return the delay in whole seconds and the target in the Refresh field of the page at `url`; None without one.

    The target is resolved against the page, since no <base> has been read yet. The field takes precedence over the
    page's own refresh (HTML Standard 7.5.1, "create and initialize a Document object").
    """
    said = None if field is None else refresh_target(field)
    return said and (said[0], join(said[1], url) or said[1])
