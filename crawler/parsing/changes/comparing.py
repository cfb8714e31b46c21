"""How a page that was sent again compares with the version that is stored. Pure."""

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
"""URLs that are made anew for every answer."""
_PARTS: Final = re.compile(r"\s+[-\u2012-\u2015|·•»«:]{1,2}\s+")
"""What sites put between the title of a page and their own."""


def compared(
    earlier: EarlierPage, html: bytes, text: bytes, page: ParsedPage, url: str, resolver: LinkResolver
) -> Comparison:
    """html, text, page: of the new version, in UTF-8; bounded. Without an earlier text all of it counts as new."""
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
    """Words with digits left out: generators put the version of the whole manual into each title. If a part between
    dashes or bars stands, what differs is the name of the site, or the page's heading says it as well.
    """
    if set(_PARTS.split(before)) & set(_PARTS.split(after)):
        return Difference()
    old, new = ([word for word in title.split() if not any(map(str.isdigit, word))] for title in (before, after))
    return difference(old, RegionWords.of_text(" ".join(new)))


def _content_links(regions: RegionWords, page: ParsedPage, url: str, resolver: LinkResolver) -> list[int]:
    """Places of the links that stand in the content and lead to something that lasts."""
    base = url if regions.base is None else join(regions.base, url) or url
    resolve = resolver.relative_to(base).resolve
    wanted = {target for href in regions.hrefs if (target := resolve(href)) and not _OF_THE_ANSWER.search(target)}
    return [place for place, target in enumerate(page.link_urls) if target in wanted]
