"""The links that a crawl with a login does not follow, because they would end its session or destroy data. Pure."""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.fetching.access.target import Target

_LEAVING: Final = "log[-_]?(?:out|off)|sign[-_]?(?:out|off)|end[-_]?session"
_CHANGING: Final = "delete|remove|destroy|purge|trash|unsubscribe|revoke|deactivate|disable"
NEVER: Final = (
    rf"(?i:/(?:(?:{_LEAVING})(?:\.[a-z]+)?|{_CHANGING})(?=$|[/?#;])"
    rf"|[?&;](?:[\w.%\[\]-]*=)?(?:{_LEAVING}|{_CHANGING})(?=$|[&;=#]))"
)
"""The pattern of such URLs, unless the settings name another: a part of the path, or the name or value of a parameter,
that is one of these words. Pages such as /manual/sql-delete.html do not match."""


def pattern_of(at: Target, never: str = "") -> str:
    """Return a regular expression for the URLs of a login's origin in which `never` matches anywhere.

    If `never` is "", the usual words for logging out and deleting are used.
    """
    return rf"^{at.scheme}://{re.escape(at.authority)}(?=/).*?(?:{never or NEVER})"
