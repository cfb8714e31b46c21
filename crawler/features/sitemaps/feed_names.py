"""Recognises feeds by their URLs. Pure.

The type of a <link rel=alternate> would say whether the link leads to a feed. It is not stored, since it may be wrong,
and a feed shows by its content that it is one. But translations and printable versions of pages are also linked as
alternates, and checking the name in the URL avoids requests for them.
"""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.urls.hosts import path_of

_NAME: Final = re.compile(r"(?<![a-z])(feeds?|rss2?|atom)(?![a-z])|/index\.xml$", re.IGNORECASE)


def is_named_as_feed(url: str) -> bool:
    """Return whether the path or query of a canonical URL names a feed, such as "/?feed=rss2"."""
    return _NAME.search(path_of(url)) is not None
