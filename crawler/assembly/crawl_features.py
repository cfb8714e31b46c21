"""The table of features. Only this file knows all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hinterland.crawler.features.cookie_gates.feature import CookieGatesFactory
from hinterland.crawler.features.credentials.feature import CredentialsFactory
from hinterland.crawler.features.exchange.feature import ShardExchangeFactory
from hinterland.crawler.features.extraction.feature import ExtractionFactory
from hinterland.crawler.features.kept_headers.feature import KeptHeadersFactory
from hinterland.crawler.features.link_checks.feature import LinkChecksFactory
from hinterland.crawler.features.llms_txt.feature import LlmsTxtFactory
from hinterland.crawler.features.outside.feature import OutsideSamplingFactory
from hinterland.crawler.features.page_facts.feature import KeepsPageFactsFactory
from hinterland.crawler.features.proxies.feature import ProxiesFactory
from hinterland.crawler.features.recrawl.feature import RecrawlFactory
from hinterland.crawler.features.rendering.feature import RenderingFactory
from hinterland.crawler.features.requisites.feature import RequisitesFactory
from hinterland.crawler.features.sessions.feature import SessionsFactory
from hinterland.crawler.features.sitemaps.feature import SitemapsFactory
from hinterland.crawler.features.soft_404.sibling_probes import Soft404Factory
from hinterland.crawler.features.tdm_files.feature import TdmFilesFactory
from hinterland.crawler.features.topics.feature import FocusedCrawlFactory
from hinterland.crawler.features.traps.feature import TrapsFactory
from hinterland.crawler.features.usage.feature import KeepsUsageFactory
from hinterland.crawler.features.web_bot_auth.feature import WebBotAuthFactory
from hinterland.crawler.fetching.access.access import CombinedAccess
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.loop.files.feature_with_files import FilesFactory
from hinterland.crawler.loop.page_records import PageRecordsFactory
from hinterland.crawler.loop.restorable import Restorable
from hinterland.crawler.plugins.kinds import FEATURE
from hinterland.crawler.plugins.loading import installed_names, installed_plugin, plugins_of

FEATURES: Final[Sequence[FeatureFactory]] = (
    ShardExchangeFactory(),
    OutsideSamplingFactory(),
    FocusedCrawlFactory(),
    TrapsFactory(),
    CredentialsFactory(),
    SessionsFactory(),
    WebBotAuthFactory(),
    ProxiesFactory(),
    CookieGatesFactory(),
    RecrawlFactory(),
    SitemapsFactory(),
    LlmsTxtFactory(),
    Soft404Factory(),
    RenderingFactory(),
    RequisitesFactory(),
    LinkChecksFactory(),
    TdmFilesFactory(),
    ExtractionFactory(),
    KeepsUsageFactory(),
    KeptHeadersFactory(),
    KeepsPageFactsFactory(),
)
"""All features, in the order in which they are called.

Pages of other shards are removed from the discoveries before any other feature learns of them. The sampling of outside
pages writes its records before the record of a visit. Recrawl comes before sitemaps, which give signals to it.
"""

STATISTICS_OF_FEATURES: Final = tuple(name for factory in FEATURES for name in factory.counters)
"""The names of the features' counters, which appear in every progress report."""


FEATURES_WITH_FILES: Final = tuple(factory for factory in FEATURES if isinstance(factory, FilesFactory))
"""The factories of features that request files to which pages lead, such as style sheets."""

PAGE_RECORDS: Final = tuple(factory for factory in FEATURES if isinstance(factory, PageRecordsFactory))
"""The factories of features whose records imports write, too."""


def factories_of(request: CrawlRequest) -> Sequence[FeatureFactory]:
    """Return the factories of the crawl's features; the `chooser` of the request, if it has one, comes first."""
    return FEATURES if request.chooser is None else (request.chooser, *FEATURES)


def access_of(request: CrawlRequest, factories: Sequence[FeatureFactory] = FEATURES) -> CombinedAccess:
    """Return what features add to single requests of a crawl, such as logins. Raises FeatureUnusable."""
    return CombinedAccess(given for factory in factories if (given := factory.access(request)) is not None)


async def features_of(
    factories: Sequence[FeatureFactory], restorable: Mapping[FeatureFactory, Restorable], start: CrawlStart
) -> Features:
    """Return the features of a crawl.

    `restorable` holds the features that were made before the store was restored; the others are made now. The features
    of plug-ins come last.
    """
    features = start.features
    for factory in factories:
        if (made := restorable.get(factory) or await factory.make(start)) is not None:
            features.append(made)
    features += plugged_in(start.request.plugins)
    if tables := [table for feature in features for table in feature.tables]:
        await start.store.set_extraction(tables)
    return Features(features, STATISTICS_OF_FEATURES)


def plugged_in(files: Sequence[str]) -> list[Feature]:
    """Return the features from plug-in files and installed packages. Raises PluginError."""
    plugins = plugins_of(files, [FEATURE])
    installed = [installed_plugin(FEATURE, name) for name in installed_names(FEATURE)]
    return [plugin.what() for plugin in (*plugins, *installed) if plugin is not None]
