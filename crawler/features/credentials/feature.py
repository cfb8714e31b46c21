"""The feature of the crawl loop that sends credentials, and records which pages a login showed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from hinterland.crawler.features.credentials.credentials import Credentials
from hinterland.crawler.features.credentials.login_records import LoginRecords
from hinterland.crawler.features.credentials.login_table import TABLE
from hinterland.crawler.features.credentials.reading import read_credentials
from hinterland.crawler.features.credentials.settings import CredentialSettings
from hinterland.crawler.features.sessions.settings import LoginSettings
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureUnusable
from hinterland.crawler.loop.page_records import PageRecords, PageRecordsFactory
from hinterland.crawler.settings import Settings

_LOG = logging.getLogger(__name__)


class CredentialsFactory(PageRecordsFactory):
    """Adds the feature to crawls with credentials."""

    def require(self, settings: Settings) -> None:
        """Check that logins can be kept from others. Raises FeatureUnusable."""
        if _entries(settings) and not settings.fetching.verify_tls:
            raise FeatureUnusable(
                "[[credentials]] are not sent while fetching.verify_tls is false: anybody on the way would get them;"
                " name the certificate authority of your hosts in fetching.ca_file instead"
            )

    def access(self, request: CrawlRequest) -> Credentials | None:
        """Return the credentials. Raises FeatureUnusable if one cannot be read."""
        entries = _entries(request.settings)
        try:
            return Credentials(read_credentials(entries)) if entries else None
        except SecretUnusable as error:
            raise FeatureUnusable(str(error)) from None

    async def make(self, start: CrawlStart) -> PageRecords | None:
        """Return the feature; warn if earlier runs had a login and this one has none."""
        made = self.under(start.settings)
        if made is None and await start.store.ask(lambda stored: TABLE in stored.extractions.rules()):
            _LOG.warning(
                "pages of this store were read with a login, and this crawl has none: stores keep neither"
                " [[credentials]] nor [[logins]], so name their settings file again"
            )
        return made

    def under(self, settings: Settings) -> LoginRecords | None:
        """Return the feature that keeps the records."""
        has_logins = bool(_entries(settings) or settings.of(LoginSettings).entries)
        return LoginRecords() if has_logins else None


def _entries(settings: Settings) -> Sequence[Mapping[str, str]]:
    return settings.of(CredentialSettings).entries
