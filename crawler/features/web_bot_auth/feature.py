"""The feature of the crawl loop that signs requests, and repeats a refused request if its host wants it signed."""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from hinterland.crawler.features.web_bot_auth.settings import WebBotAuthSettings
from hinterland.crawler.features.web_bot_auth.signature import SigningKey
from hinterland.crawler.features.web_bot_auth.signer import Signer
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable
from hinterland.crawler.fetching.access.target import target_of
from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory, FeatureUnusable
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import ReadPage
from hinterland.crawler.settings import Settings
from hinterland.distribution.extras import need

_LOG = logging.getLogger(__name__)
_MOST_PAGES: Final = 100_000
_NONCE_BYTES: Final = 48


class SignsRequests(Feature):
    """Requests pages again, signed, if they were refused because the request was not signed."""

    def __init__(self, signer: Signer) -> None:
        """Ask `signer`, which remembers what hosts want signed, whether a request is worth repeating."""
        self._signer = signer
        self._asked_again = set[int]()
        self._told = set[str]()

    async def asks_again(self, read: ReadPage) -> bool:
        """Return whether to request a page again, signed this time; True at most once for each page."""
        target, page = target_of(read.url), read.visit.page
        if target is None or read.verdict.kind is not OutcomeKind.CLIENT_ERROR:
            return False
        if not isinstance(read.answer, Answer) or read.answer.header("Accept-Signature") is None:
            return False
        self._tell(target.origin)
        if page in self._asked_again or not self._signer.is_asked_by(target.origin):
            return False
        if len(self._asked_again) >= _MOST_PAGES:
            return False
        self._asked_again.add(page)
        return True

    def statistics(self, now: float, waiting: int) -> Mapping[str, Any]:
        """Return how many signatures were made, how many hosts asked for signatures, and how many refuse them."""
        signer = self._signer
        counts = {"made": signer.made, "asked": signer.challenges, "refused": len(signer.refused)}
        return {"signatures": counts}

    def _tell(self, origin: str) -> None:
        if (reason := self._signer.refused.get(origin)) is not None and origin not in self._told:
            self._told.add(origin)
            _LOG.warning("%s refuses signed requests: %s", origin, reason)


class WebBotAuthFactory(FeatureFactory):
    """Adds signatures to crawls with a signing key."""

    counters = ("signatures",)

    def require(self, settings: Settings) -> None:
        """Check that requests can be signed. Raises MissingExtra."""
        if settings.of(WebBotAuthSettings).key:
            need("identity", by="signing requests", otherwise="do without signatures.key")

    def access(self, request: CrawlRequest) -> Signer | None:
        """Return the signer. Raises FeatureUnusable if the key cannot be read."""
        chosen = request.settings.of(WebBotAuthSettings)
        if not chosen.key:
            return None
        from hinterland.crawler.features.web_bot_auth.keys import read_key  # brings a package that few crawls need

        try:
            key = read_key(chosen.key)
        except SecretUnusable as error:
            raise FeatureUnusable(str(error)) from None
        return Signer(
            partial(_loaded, read_key, chosen.key, [key]),
            chosen.agent.rstrip("/"),
            hosts=chosen.hosts,
            challenged=chosen.challenged,
            nonce=_nonce,
        )

    async def make(self, start: CrawlStart) -> SignsRequests | None:
        """Return the feature."""
        signer = start.provider.find(Signer)
        return None if signer is None else SignsRequests(signer)


def _loaded(read: Callable[[str], SigningKey], path: str, last: list[SigningKey]) -> SigningKey:
    """Return the key in a file, or the last key if the file is just being replaced or has become unusable."""
    try:
        last[0] = read(path)
    except SecretUnusable as error:
        _LOG.warning(
            "requests are still signed with the former key %s, because the key file cannot be used: %s",
            last[0].keyid,
            error,
        )
    return last[0]


def _nonce() -> str:
    return base64.b64encode(os.urandom(_NONCE_BYTES)).decode()
