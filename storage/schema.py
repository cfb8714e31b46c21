"""SQL fragments shared by several statements. The tables are created by `storage/migrations`."""

from __future__ import annotations

LINK_KINDS = ("a", "area", "frame", "iframe", "canonical", "next", "alternate", "refresh", "redirect")
"""The names of the kinds of links; the index is the number, in the order of the parser's link kinds."""

FAILED = "outcome NOT IN ('fetched', 'other_type', 'redirected')"
"""An SQL condition for visits that failed. SQLite uses the index of failures only for statements with exactly this
text.
"""

COMPARE_RANKS = """
UPDATE rank SET (as_site_sees, moved) = (
    SELECT site.pagerank, max(rank.pagerank / site.pagerank, site.pagerank / rank.pagerank)
    FROM rank AS site JOIN fetch ON fetch.page = site.page
    WHERE site.estimator = 'local' AND site.page = rank.page AND fetch.outcome = 'fetched')
WHERE estimator <> 'local'
"""
"""SQL that compares the ranks of each page. Execute it after ranks were written, including those by "local"."""

LINKING_OUTCOMES = "('fetched', 'redirected', 'too_many_redirects')"
"""The outcomes of visits that make the links of a page known, as an SQL list."""
DEAD = (
    "retry_at IS NULL AND outcome NOT IN"
    " ('fetched', 'other_type', 'redirected', 'too_many_redirects', 'robots', 'forbidden_address')"
)
"""An SQL condition for the last visits of dead pages, which were requested without a result and are not retried."""
