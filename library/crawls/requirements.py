"""Checks that everything that the settings name is available: packages, a browser, policies, estimators."""

from __future__ import annotations

from hinterland.crawler.features.outside.budget import HinterlandBudget
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.features.recrawl.settings import RevisitSettings
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable, find_chromium
from hinterland.crawler.features.rendering.settings import NEVER, RenderingSettings
from hinterland.crawler.parsing.documents.reading import prepare
from hinterland.crawler.plugins.kinds import ESTIMATOR, POLICY, REVISIT_POLICY
from hinterland.crawler.policies import POLICIES, is_compiled
from hinterland.crawler.settings import Settings
from hinterland.distribution.extras import need
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import require


def require_all(settings: Settings) -> None:
    """Raise HinterlandError or MissingExtra if something is missing that a crawl under these settings needs."""
    need_packages(settings)
    require_browser(settings)
    require(POLICY, settings.policy.name)
    require(REVISIT_POLICY, settings.of(RevisitSettings).policy)
    if settings.of(HinterlandSettings).estimator:
        require(ESTIMATOR, settings.of(HinterlandSettings).estimator)


def need_packages(settings: Settings) -> None:
    """Raise MissingExtra if a package is missing that is needed because of these settings.

    Call it before the crawl has begun.
    """
    if not HinterlandBudget.parse(settings.of(HinterlandSettings).budget).is_none:
        need("rank", by="a crawl of the hinterland")
    name = settings.policy.name
    if name in POLICIES and is_compiled(name):
        need("rank", by=f"the policy {name}", otherwise="choose a policy that ranks no links, such as bfs")
    if settings.of(RenderingSettings).pages != NEVER:
        need("render", by="rendering pages", otherwise="do without --render")
    prepare(settings.fetching.documents)


def require_browser(settings: Settings) -> None:
    """Raise HinterlandError, or MissingExtra for its driver, if the settings ask for a browser and there is none."""
    if settings.of(RenderingSettings).pages != NEVER:
        try:
            find_chromium(settings.of(RenderingSettings).browser)
        except BrowserUnusable as error:
            raise HinterlandError(str(error)) from None
