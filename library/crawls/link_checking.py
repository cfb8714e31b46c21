"""Plans a crawl that only checks links: it resumes from its store, and checks what pages load and link to.

No page is visited.
"""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.crawler.features.link_checks.feature import ChecksOnly
from hinterland.crawler.settings import EffectiveSettings
from hinterland.library.crawls.plan import CrawlPlan

CHECK_SETTINGS = {"audit.page_facts": True, "link_checks.use": True, "sitemaps.use": "never"}
"""The settings under which links are checked, by name."""


def checking_plan(store: str, settings: EffectiveSettings, command: Sequence[str]) -> CrawlPlan:
    """Return the plan of a crawl that only checks links; `settings` must include CHECK_SETTINGS."""
    return CrawlPlan(settings, [], store, command, resume=True, asked=(ChecksOnly(),))
