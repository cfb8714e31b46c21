"""Which URLs go by the names of feeds. Pure.

A link to a feed says so by its type, which is not stored, since it may be wrong, and the feed itself tells. The name of
its URL spares asking for all the translations and printable versions that are <link rel=alternate>, too.
"""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.urls.hosts import path_of

_NAME: Final = re.compile(r"(?<![a-z])(feeds?|rss2?|atom)(?![a-z])|/index\.xml$", re.IGNORECASE)


def is_named_as_feed(url: str) -> bool:
    """url: canonical. Its query counts, too: "/?feed=rss2"."""
    return _NAME.search(path_of(url)) is not None
