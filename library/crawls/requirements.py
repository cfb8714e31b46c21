"""Checks that everything that the settings name is available: packages, a browser, policies, estimators."""

from __future__ import annotations

from hinterland.crawler.assembly.crawl_features import FEATURES, access_of
from hinterland.crawler.fetching.access.access import AccessProvider
from hinterland.crawler.loop.crawl_start import CrawlRequest, FeatureUnusable
from hinterland.crawler.parsing.documents.reading import prepare
from hinterland.crawler.plugins.kinds import POLICY
from hinterland.crawler.policies import POLICIES, is_compiled
from hinterland.crawler.settings import Settings
from hinterland.distribution.extras import need
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import require


def require_all(settings: Settings) -> None:
    """Raise HinterlandError or MissingExtra if something is missing that a crawl with these settings needs."""
    require_installed(settings)
    for kind, name in ((POLICY, settings.policy.name), *(each for one in FEATURES for each in one.plugins(settings))):
        require(kind, name)


def require_installed(settings: Settings) -> None:
    """Raise MissingExtra or HinterlandError if a package or program is missing that these settings need.

    Call this before the crawl begins.
    """
    name = settings.policy.name
    if name in POLICIES and is_compiled(name):
        need("rank", by=f"the policy {name}", otherwise="choose a policy that ranks no links, such as bfs")
    prepare(settings.fetching.documents)
    try:
        for factory in FEATURES:
            factory.require(settings)
    except FeatureUnusable as error:
        raise HinterlandError(str(error)) from None


def provider_under(settings: Settings) -> AccessProvider:
    """Return the provider that adds data such as credentials to single requests, as the settings say.

    Raises HinterlandError if a secret cannot be read.
    """
    try:
        return access_of(CrawlRequest(settings, [], []))
    except FeatureUnusable as error:
        raise HinterlandError(str(error)) from None
