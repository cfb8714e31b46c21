"""Links that would end a session or destroy something, which a crawl with a login does not follow. Pure."""

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
    """Return a pattern for URLs of the login's origin that match `never` anywhere; "" means the usual pattern."""
    return rf"^{at.scheme}://{re.escape(at.authority)}(?=/).*?(?:{never or NEVER})"
