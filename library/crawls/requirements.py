"""Whether everything is there that the settings name: readers of documents, a browser, policies, estimators."""

from __future__ import annotations

from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable, find_chromium
from hinterland.crawler.parsing.documents.pdf import MissingReader
from hinterland.crawler.parsing.documents.reading import prepare
from hinterland.crawler.plugins.kinds import ESTIMATOR, POLICY, REVISIT_POLICY
from hinterland.crawler.settings import Settings
from hinterland.crawler.settings.sections.rendering import NEVER
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import require


def require_all(settings: Settings) -> None:
    """Raise HinterlandError if something is missing that a crawl under these settings needs."""
    require_readers(settings)
    require_browser(settings)
    require(POLICY, settings.policy.name)
    require(REVISIT_POLICY, settings.revisits.policy)
    if settings.hinterland.estimator:
        require(ESTIMATOR, settings.hinterland.estimator)


def require_readers(settings: Settings) -> None:
    """Raise HinterlandError if a reader is missing for the documents that the settings ask for."""
    try:
        prepare(settings.fetching.documents)
    except MissingReader as error:
        raise HinterlandError(str(error)) from None


def require_browser(settings: Settings) -> None:
    """Raise HinterlandError if the settings ask for a browser and there is none."""
    if settings.rendering.pages != NEVER:
        try:
            find_chromium(settings.rendering.browser)
        except BrowserUnusable as error:
            raise HinterlandError(str(error)) from None
