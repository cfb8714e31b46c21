"""The feature of the crawl loop that sends requests through proxies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hinterland.crawler.features.proxies.routes import Route, Routes
from hinterland.crawler.features.proxies.settings import DIRECT, ProxySettings
from hinterland.crawler.fetching.access.access import Proxy
from hinterland.crawler.fetching.access.host_patterns import HostPatterns
from hinterland.crawler.fetching.access.proxy_urls import proxy_of
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable, hide, read_secret
from hinterland.crawler.loop.crawl_start import CrawlRequest, FeatureFactory, FeatureUnusable
from hinterland.crawler.settings import Settings
from hinterland.distribution.extras import need


class ProxiesFactory(FeatureFactory):
    """Sends requests through the proxies that the settings name."""

    def require(self, settings: Settings) -> None:
        """Check that the package for SOCKS proxies is installed if there is one. Raises MissingExtra."""
        if any(url.lower().startswith("socks") for url in _urls(settings)):
            need("socks", by="a SOCKS proxy", otherwise="use a proxy with an http:// URL")

    def access(self, request: CrawlRequest) -> Routes | None:
        """Return which hosts are reached through which proxy. Raises FeatureUnusable if a secret cannot be read."""
        entries, everywhere = request.settings.of(ProxySettings).entries, request.settings.fetching.proxy
        if everywhere:
            _hide(proxy_of(everywhere))
        try:
            return Routes([_route(entry) for entry in entries]) if entries else None
        except SecretUnusable as error:
            raise FeatureUnusable(str(error)) from None


def _urls(settings: Settings) -> Iterator[str]:
    yield settings.fetching.proxy
    for entry in settings.of(ProxySettings).entries:
        yield entry["proxy"]


def _route(entry: Mapping[str, str]) -> Route:
    hosts = HostPatterns(entry["hosts"].replace(",", " ").split())
    if entry["proxy"] == DIRECT:
        return Route(hosts, None)
    proxy = proxy_of(entry["proxy"])
    if "login" in entry:
        user, _, password = read_secret(entry["login"], f"the proxy for {entry['hosts']}").partition(":")
        proxy = proxy._replace(user=user, password=password)
        _hide(proxy)
    return Route(hosts, proxy)


def _hide(proxy: Proxy) -> None:
    hide(proxy.password)
    hide(f"{proxy.user}:{proxy.password}")
