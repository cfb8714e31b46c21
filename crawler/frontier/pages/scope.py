"""Which URLs belong to the local domain. Pure; URLs are canonical."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hinterland.crawler.settings import ScopeSettings
from hinterland.crawler.urls.hosts import authority_of, host_of, site_of
from hinterland.crawler.urls.seeds import parse_seed


@dataclass(frozen=True, slots=True)
class ScopeVerdict:
    """Whether a URL is local, and the rule that decided it, in words."""

    is_local: bool
    rule: str


class Scope:
    """The local domain, as defined by settings and seeds.

    The kind decides which URLs are local. "hosts": URLs with the authority (name and port) of a seed, over http or
    https. "site": URLs with the registrable domain of a seed. "prefix": URLs in the folder of a seed or below it, over
    http or https. "web": all URLs. Extra hosts are local, too. A URL that matches an exclude pattern is never local; if
    there are include patterns, a URL must match at least one of them. The scope grows when a seed is added, for example
    when a seed redirects to the site's new place.
    """

    def __init__(self, settings: ScopeSettings, seeds: Iterable[str] = ()) -> None:
        """Begin with the hosts of the settings and the given seeds."""
        self._settings = settings
        self._include = [re.compile(pattern) for pattern in settings.include]
        self._exclude = [re.compile(pattern) for pattern in settings.exclude]
        self._authorities = {authority_of(parse_seed(host)) for host in settings.hosts}
        self._sites = set[str]()
        self._prefixes = set[str]()
        for seed in seeds:
            self.add_seed(seed)

    def add_seed(self, url: str) -> None:
        """Extend the scope by a seed's host, site or prefix."""
        if self._settings.kind == "hosts":
            self._authorities.add(authority_of(url))
        elif self._settings.kind == "site":
            self._sites.add(site_of(host_of(url)))
        elif self._settings.kind == "prefix":
            self._prefixes.add(_folder_of(url))

    @property
    def decides_by_host(self) -> bool:
        """Whether the host alone decides if a URL is local."""
        return not (self._prefixes or self._include or self._exclude)

    def is_local(self, url: str) -> bool:
        """Return whether a URL belongs to the local domain."""
        return self._matches_domain(url) is not None and self._refusing_pattern(url) is None

    @property
    def has_excluded(self) -> bool:
        """Whether there are exclude patterns."""
        return bool(self._exclude)

    def is_excluded(self, url: str) -> bool:
        """Return whether a URL matches an exclude pattern; if it does, it is never fetched, local or not."""
        return any(pattern.search(url) for pattern in self._exclude)

    def verdict(self, url: str) -> ScopeVerdict:
        """Return whether a URL is local, with the reason."""
        domain = self._matches_domain(url)
        if domain is None:
            return ScopeVerdict(False, self._what_is_local())
        refusal = self._refusing_pattern(url)
        if refusal is not None:
            return ScopeVerdict(False, refusal)
        return ScopeVerdict(True, domain)

    def _matches_domain(self, url: str) -> str | None:
        if self._settings.kind == "web":
            return "the whole web is local"
        authority = authority_of(url)
        if authority in self._authorities:
            return f"host {authority} is local"
        if self._sites and (site := site_of(host_of(url))) in self._sites:
            return f"site {site} is local"
        if self._prefixes:
            rest = _without_scheme(url)
            for prefix in self._prefixes:
                if rest.startswith(prefix):
                    return f"prefix {prefix} is local"
        return None

    def _refusing_pattern(self, url: str) -> str | None:
        for pattern in self._exclude:
            if pattern.search(url):
                return f"exclude pattern {pattern.pattern!r} matches"
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return "no include pattern matches"
        return None

    def _what_is_local(self) -> str:
        parts = [
            f"{name} {', '.join(sorted(values)[:5])}{', ...' if len(values) > 5 else ''}"
            for name, values in (
                ("hosts", self._authorities),
                ("sites", self._sites),
                ("prefixes", self._prefixes),
            )
            if values
        ]
        return f"only {'; '.join(parts)} are local" if parts else "nothing is local without a seed"


def _without_scheme(url: str) -> str:
    return url.partition("://")[2]


def _folder_of(url: str) -> str:
    path = _without_scheme(url).partition("?")[0]
    return path[: path.rindex("/") + 1]
