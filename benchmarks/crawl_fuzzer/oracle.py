"""What must be true of a crawl of a site, by all that is known of the site and nothing that the crawl says. Pure.

It is careful: of what the hostile web does, and of all that only leads there, it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from benchmarks.crawl_fuzzer.responses import PATIENCE
from benchmarks.crawl_fuzzer.site import (
    LOCAL,
    File,
    Gate,
    Link,
    Listing,
    Odd,
    Page,
    Redirect,
    Refusal,
    Resource,
    Site,
    Trouble,
    Version,
    target_of,
)

FETCHED: Final = frozenset({"fetched"})
REFUSED: Final = frozenset({"robots"})
_LASTING: Final[Mapping[str, frozenset[str]]] = {
    "500": frozenset({"server_error"}),
    "502": frozenset({"unavailable"}),
    "503": frozenset({"unavailable"}),
    "504": frozenset({"unavailable"}),
    "429": frozenset({"throttled"}),
    "reset": frozenset({"disconnected"}),
    "silent": frozenset({"first_byte_timeout"}),
    "truncated": frozenset({"truncated"}),
    "corrupt": frozenset({"corrupt", "truncated"}),
    "nonsense": frozenset({"bad_response"}),
    "half-head": frozenset({"disconnected", "bad_response"}),
}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a crawl must and may find.

    `fates` has the possible outcomes of URLs that are certain to be found. `reachable` has everything that may be
    requested, except on hosts that generate their pages.
    """

    fates: Mapping[str, frozenset[str]]
    reachable: frozenset[str]


def expectation(site: Site, visit: int, before: Expectation | None = None) -> Expectation:
    """After the visit of that number. before: what was expected of the visit before."""
    certain = set() if before is None else set(before.fates)
    found = _closure(site, visit, certain)
    fates = {url: fate for url in found if (fate := _fate(site, url, visit, before)) is not None}
    reachable = _reachable(site, visit) | (frozenset() if before is None else before.reachable)
    return Expectation(fates, reachable)


def may_be_asked(site: Site, expected: Expectation, host: str, target: str) -> bool:
    """Whether a request is one that the crawl may make."""
    of = site.hosts.get(host)
    if of is None or of.side != LOCAL:
        return False
    if target in ("/robots.txt", "/moved-robots.txt", "/real.txt"):
        return True
    if of.robots.is_clear and of.robots.forbids(target):
        return False
    if of.space or target == "/sitemap.xml":
        return True
    url = f"{site.seeds[0].partition('://')[0]}://{host}:{_port(site)}{target}"
    return url in expected.reachable or url not in site.resources


def followed(page: Page) -> Iterator[Link]:
    """Yield the links of a page that a crawl may follow."""
    if page.is_nofollow:
        return
    yield from (link for link in page.links if link.to is not None and not link.nofollow)


def is_certain_host(site: Site, url: str, visit: int) -> bool:
    """Whether all that lies on the host of a URL is certain to be answered as it is drawn."""
    host = site.host_of(url)
    return (
        host is not None
        and host.side == LOCAL
        and not any(number in host.down for number in range(visit + 1))
        and host.robots.is_clear
        and not host.space
    )


def _port(site: Site) -> str:
    return site.seeds[0].rpartition(":")[2].strip("/")


def _closure(site: Site, visit: int, certain: set[str]) -> set[str]:
    waiting = [*certain, *(url for url in site.seeds if is_certain_host(site, url, visit))]
    found: set[str] = set()
    while waiting:
        url = waiting.pop()
        if url in found or url not in site.resources or not is_certain_host(site, url, visit):
            continue
        found.add(url)
        if _is_forbidden(site, url):
            continue
        version = site.resources[url].at(visit)
        if _passes(version.trouble):
            waiting += _leads_to(site, version, url)
    return found


def _leads_to(site: Site, version: Version, url: str) -> Iterator[str]:
    content = version.content
    if isinstance(content, Gate) and passes_gates(site):
        content = content.page
    if isinstance(content, Page):
        yield from (link.to for link in followed(content) if link.to is not None)
    elif isinstance(content, Redirect) and content.to not in (None, url):
        assert content.to is not None
        yield content.to


def _fate(site: Site, url: str, visit: int, before: Expectation | None) -> frozenset[str] | None:
    """Return the possible outcomes of a URL that is found; None if they cannot be predicted."""
    if _is_forbidden(site, url):
        return REFUSED
    version = site.resources[url].at(visit)
    if before is not None and url in before.reachable and not isinstance(version.content, Page):
        return before.fates.get(url) if version == site.resources[url].at(visit - 1) else None
    if not _passes(version.trouble):
        assert version.trouble is not None
        return None if before is not None else _LASTING[version.trouble.kind]
    match version.content:
        case Page():
            return FETCHED
        case Gate():
            return FETCHED if passes_gates(site) else None
        case Redirect(_, _, to):
            return frozenset({"bad_redirect"}) if to == url else frozenset({"redirected", "too_many_redirects"})
        case Refusal():
            return frozenset({"client_error"})
        case File():
            return frozenset({"other_type"})
        case Listing():
            return frozenset({"other_type", "fetched"})
        case Odd():
            return None


def _reachable(site: Site, visit: int) -> frozenset[str]:
    """Return what can be reached by all links of all pages, whatever their outcome, and by sitemaps."""
    waiting = list(site.seeds)
    found: set[str] = set()
    while waiting:
        url = waiting.pop()
        if url in found or url not in site.resources:
            continue
        found.add(url)
        for version in _so_far(site.resources[url], visit):
            content = version.content.page if isinstance(version.content, Gate) else version.content
            if isinstance(content, Page):
                waiting += [link.to for link in followed(content) if link.to is not None]
            elif isinstance(content, Redirect) and content.to is not None:
                waiting.append(content.to)
            elif isinstance(content, Listing):
                waiting += [each for each in site.resources if each in content.text]
    uses = site.settings["sitemaps"]["use"]
    if uses == "always" or (uses == "recrawl" and visit):
        for url, resource in site.resources.items():
            if target_of(url) == "/sitemap.xml":
                texts = [each.content.text for each in resource.versions if isinstance(each.content, Listing)]
                named = {each for each in site.resources if any(escape(each) in text for text in texts)}
                found |= named
                # What they lead to may be asked for as well, and what that leads to.
                found |= set(site.resources) if named else set()
    return frozenset(found)


def _so_far(resource: Resource, visit: int) -> Iterator[Version]:
    yield from (resource.at(number) for number in range(visit + 1))


def _passes(trouble: Trouble | None) -> bool:
    return trouble is None or 0 <= trouble.times <= PATIENCE[trouble.kind]


def passes_gates(site: Site) -> bool:
    """Return whether the crawl of a site passes cookie gates; cookies are kept for these even if not for others."""
    sessions = site.settings.get("sessions", {})
    return bool(site.settings["fetching"].get("cookies") or sessions.get("cookie_loops", True))


def _is_forbidden(site: Site, url: str) -> bool:
    host = site.host_of(url)
    return host is not None and host.robots.is_clear and host.robots.forbids(target_of(url))
