"""The feature of the crawl loop that sends credentials, and marks what a login opened."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from hinterland.crawler.features.credentials.credentials import Credentials
from hinterland.crawler.features.credentials.opened_pages import MarksOpened
from hinterland.crawler.features.credentials.reading import read_credentials
from hinterland.crawler.features.credentials.settings import CredentialSettings
from hinterland.crawler.features.sessions.settings import LoginSettings
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory, FeatureUnusable
from hinterland.crawler.settings import Settings
from hinterland.storage.public_copy import has_hidden

_LOG = logging.getLogger(__name__)


class CredentialsFactory(FeatureFactory):
    """Gives credentials to requests. It adds the feature to every crawl, because other features may log in as well."""

    def require(self, settings: Settings) -> None:
        """Check that logins are sent only to hosts with a verified certificate. Raises FeatureUnusable."""
        if _entries(settings) and not settings.fetching.verify_tls:
            raise FeatureUnusable(
                "[[credentials]] are not sent while fetching.verify_tls is false, because another machine could pose as"
                " the host and read them; name the certificate authority of your hosts in fetching.ca_file instead"
            )

    def access(self, request: CrawlRequest) -> Credentials | None:
        """Return the credentials of the crawl. Raises FeatureUnusable if a secret cannot be read."""
        entries = _entries(request.settings)
        try:
            return Credentials(read_credentials(entries)) if entries else None
        except SecretUnusable as error:
            raise FeatureUnusable(str(error)) from None

    async def make(self, start: CrawlStart) -> MarksOpened:
        """Return the feature; warn if earlier runs had a login and this one has none."""
        has_marks = await start.store.ask(lambda stored: has_hidden(stored.connection))
        if has_marks and not _entries(start.settings) and not start.settings.of(LoginSettings).entries:
            _LOG.warning(
                "pages of this store were read with a login, and this crawl has none: stores keep neither"
                " [[credentials]] nor [[logins]], so name their settings file again"
            )
        return MarksOpened(start.provider, has_marks=has_marks)


def _entries(settings: Settings) -> Sequence[Mapping[str, str]]:
    return settings.of(CredentialSettings).entries
