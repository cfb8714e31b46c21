"""Settings that were removed, each with what to use instead.

For one version, a removed setting in a settings file or after --set causes a warning, not an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    "urls.max_length": "URLs of more than 2,000 characters are ignored",
    "robots.max_bytes": "the first 524,288 bytes of a robots.txt are read",
    "robots.max_redirects": "five redirects are followed from a robots.txt",
    "politeness.backoff_jitter": "a rest after a failure is longer by up to a fifth, at random",
    "politeness.max_ready_seconds": "a host that has been ready for a minute goes first",
    "fetching.lookup_timeout_seconds": "fetching.connect_timeout_seconds is the time for a lookup, too",
    "fetching.slow_body_bytes_per_second": "a body slower than 500 bytes per second is given up",
    "fetching.slow_body_grace_seconds": "it is 10 seconds, or three quarters of fetching.body_timeout_seconds",
    "fetching.dns_cache_seconds": "an address is kept for its TTL, at most an hour",
    "fetching.dns_cache_size": "the addresses of 100,000 names are kept",
    "rendering.max_memory_mb": "a browser may need 1 GiB",
    "rendering.max_received_mb": "the scripts and data of one page may come to 20 MB",
    "rendering.restart_after_pages": "a browser is replaced after 100 pages",
    "storage.max_batch": "64 records are a transaction",
    "storage.max_queued_mb": "64 MB may wait to be written",
    "revisits.new_pages_share": "half of a budget is for new pages",
    "sitemaps.max_bytes": "10,485,760 bytes of a sitemap are fetched",
    "search.title_boost": "words in titles count 3 times",
    "search.headings_boost": "words in headings count 1.5 times",
    "search.anchors_outside_boost": "words of links from other hosts count 2 times",
    "search.anchors_inside_boost": "words of links from the same host count 1.5 times",
    "search.url_boost": "words in URLs count once",
    "search.description_boost": "words in descriptions count half",
    "search.body_boost": "words in the main content count once",
    "search.rest_boost": "words in the rest of a page count a fifth",
    "search.definitions_boost": "names of code that a page defines count 3 times",
    "search.rank_half": "a page of average PageRank gets half of search.rank_weight",
    "search.rank_exponent": "PageRank counts with the exponent 0.6",
    "search.first_candidates": "200 pages are looked at first",
    "search.most_candidates": "20,000 pages are looked at in all",
    "search.snippet_characters": "snippets have up to 240 characters",
    "search.near_duplicates": "near-duplicates share 0.95 of their shingles",
    "search.canonical_resemblance": "a page resembles its canonical one by 0.3 at least",
}
"""For each removed "section.key", a clause that says what applies instead."""
