"""Compares a page that was fetched again with its stored version. Pure."""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.parsing.changes.differences import Difference, difference
from hinterland.crawler.parsing.changes.regions import RegionWords, region_words
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.messages import Comparison, EarlierPage
from hinterland.crawler.urls.canonical import join
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.storage.values.versions import difference_from

_OF_THE_ANSWER: Final = re.compile(
    r"[?&;/](?:[^=&;/]*(?:sid|session|token|csrf|nonce|utm|click|gclid|fbclid|rand|cachebust|timestamp)[^=&;/]*)[=;]"
    r"|[?&][^=&]*=[0-9a-f]{16,}(?:&|$)",
    re.IGNORECASE,
)
"""Parts of URLs that servers generate for every response."""
_PARTS: Final = re.compile(r"\s+[-\u2012-\u2015|·•»«:]{1,2}\s+")
"""Separators that sites put between a page's title and the site's name."""


def compared(
    earlier: EarlierPage, html: bytes, text: bytes, page: ParsedPage, url: str, resolver: LinkResolver
) -> Comparison:
    """Return how the new version of a page compares with the earlier one.

    `html`, `text` and `page` belong to the new version, in UTF-8 and bounded. Without an earlier text, the whole page
    counts as new.
    """
    regions = region_words(html)
    if not earlier.text:
        return Comparison(share=1.0, links=_content_links(regions, page, url, resolver))
    before = unpacked_bytes(earlier.text)
    found = difference(before.decode("utf-8", "replace").split(), regions)
    if found.is_none:
        found = _of_titles(earlier.title, page.title)
    return Comparison(
        share=found.share,
        links=_content_links(regions, page, url, resolver),
        before=difference_from(before, text) if earlier.keeps_text and before != text else b"",
    )


def _of_titles(before: str, after: str) -> Difference:
    """Return the difference between two titles, ignoring words that contain digits.

    Words with digits are ignored because generators put the version of the whole manual into each title. If the titles
    share a part between dashes or bars, nothing counts as changed: the other parts are the site's name, or the page's
    heading shows the change as well.
    """
    if set(_PARTS.split(before)) & set(_PARTS.split(after)):
        return Difference()
    old, new = ([word for word in title.split() if not any(map(str.isdigit, word))] for title in (before, after))
    return difference(old, RegionWords.of_text(" ".join(new)))


def _content_links(regions: RegionWords, page: ParsedPage, url: str, resolver: LinkResolver) -> list[int]:
    """Return the positions of the links in the content, without links that seem to be made for this response only."""
    base = url if regions.base is None else join(regions.base, url) or url
    resolve = resolver.relative_to(base).resolve
    wanted = {target for href in regions.hrefs if (target := resolve(href)) and not _OF_THE_ANSWER.search(target)}
    return [place for place, target in enumerate(page.link_urls) if target in wanted]
