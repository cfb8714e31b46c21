"""Which URLs have names like feeds. Pure.

A link to a feed says so by its type. The type is not stored: it may be wrong, and the feed itself tells. The name of
its URL avoids requests for all the translations and printable versions that are <link rel=alternate>, too.
"""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.urls.hosts import path_of

_NAME: Final = re.compile(r"(?<![a-z])(feeds?|rss2?|atom)(?![a-z])|/index\.xml$", re.IGNORECASE)


def is_named_as_feed(url: str) -> bool:
    """Return whether a canonical URL has the name of a feed, query included: "/?feed=rss2"."""
    return _NAME.search(path_of(url)) is not None
