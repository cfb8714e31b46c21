"""SQL fragments shared by several statements. The tables are created by `storage/migrations`."""

from __future__ import annotations

LINK_KINDS = ("a", "area", "frame", "iframe", "canonical", "next", "alternate", "refresh", "redirect")
"""The names of the kinds of links; the index is the number, in the order of the parser's link kinds."""

FAILED = "outcome NOT IN ('fetched', 'other_type', 'redirected')"
"""An SQL condition for visits that led to no page. The index of failures is used only by statements with exactly this
text."""

COMPARE_RANKS = """
UPDATE rank SET (as_site_sees, moved) = (
    SELECT site.pagerank, max(rank.pagerank / site.pagerank, site.pagerank / rank.pagerank)
    FROM rank AS site JOIN fetch ON fetch.page = site.page
    WHERE site.estimator = 'local' AND site.page = rank.page AND fetch.outcome = 'fetched')
WHERE estimator <> 'local'
"""
"""Execute it after ranks were written, with "local" among them."""

LINKING_OUTCOMES = "('fetched', 'redirected', 'too_many_redirects')"
"""The outcomes of visits that make the links of a page known, as an SQL list."""
DEAD = (
    "retry_at IS NULL AND outcome NOT IN"
    " ('fetched', 'other_type', 'redirected', 'too_many_redirects', 'robots', 'forbidden_address')"
)
"""An SQL condition for visits after which links to the page are dead: it was requested without a result."""

CREATE_INLINK_INDEX = "CREATE INDEX IF NOT EXISTS link_target ON link (target)"
DROP_INLINK_INDEX = "DROP INDEX IF EXISTS link_target"
"""The index that answers "who links here". Maintained during a crawl it costs 2 to 5 µs per link, built at its end 0.5
µs: links arrive sorted by source, and each transaction would touch hundreds of pages of the index."""
CREATE_COPY_INDEX = "CREATE INDEX IF NOT EXISTS fetch_body_hash ON fetch (body_hash) WHERE body_hash IS NOT NULL"
DROP_COPY_INDEX = "DROP INDEX IF EXISTS fetch_body_hash"
"""The index that answers "which pages are the same". It is built at the end for the same reason: hashes come in random
order."""
HAS_BOTH_INDEXES = "SELECT count(*) = 2 FROM sqlite_master WHERE name IN ('link_target', 'fetch_body_hash')"
