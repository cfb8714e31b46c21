"""What a polite crawl of the demo web must find, computed only from the declarations of the web."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterland.cli.demo.archipelago import HOSTS
from hinterland.cli.demo.declarations import DemoFile, DemoPage, Item, Link, Place, Redirect
from hinterland.cli.demo.pages import declared, demo_seeds, home


@dataclass(frozen=True, slots=True)
class DemoTruth:
    """What a crawl of the demo web must find if it begins at `seeds` and its scope is the hosts of the seeds.

    Each known URL is in exactly one of the sets; robots.txt files are not counted. `links` are the links of all fetched
    pages, including nofollow links, without duplicates and without links of a page to itself.
    """

    seeds: tuple[Place, ...]
    pages: frozenset[Place]  # HTML pages fetched with status 200
    redirects: frozenset[Place]
    missing: frozenset[Place]  # answered with 404
    unsuitable: frozenset[Place]  # fetched, but no HTML
    forbidden: frozenset[Place]  # by robots.txt, so never requested
    unfollowed: frozenset[Place]  # known by nofollow links only, so never requested
    outside: frozenset[Place]  # on hosts of no seed, so never requested
    links: frozenset[tuple[Place, Place]] = field(repr=False)

    @property
    def known(self) -> frozenset[Place]:
        """Every URL that a link, a redirect or a seed names."""
        asked_for = self.pages | self.redirects | self.missing | self.unsuitable
        return asked_for | self.forbidden | self.unfollowed | self.outside


def demo_truth(seeds: Sequence[Place] | None = None) -> DemoTruth:
    """Follow the declared links breadth first. The bytes that are served are not read."""
    start = demo_seeds() if seeds is None else tuple(seeds)
    scope = {host for host, _ in start}
    kind_of: dict[Place, str] = {}
    links: set[tuple[Place, Place]] = set()
    waiting = deque(start)
    while waiting:
        place = waiting.popleft()
        if place in kind_of:
            continue
        item = declared().get(place)
        kind_of[place] = _kind(place, item, scope)
        if kind_of[place] == "redirects" and isinstance(item, Redirect):
            waiting.append(item.to)
        if kind_of[place] == "pages" and isinstance(item, DemoPage):
            links |= {(place, link.target) for link in _anchors(item) if link.target != place}
            waiting += _followed(item)
    for _, place in links:  # what is still unknown is linked to by nofollow links only
        kind_of.setdefault(place, "unfollowed" if place[0] in scope else "outside")
    sets = {name: frozenset(place for place, kind in kind_of.items() if kind == name) for name in _KINDS}
    return DemoTruth(start, links=frozenset(links), **sets)


_KINDS = ("pages", "redirects", "missing", "unsuitable", "forbidden", "unfollowed", "outside")


def _kind(place: Place, item: Item | None, hosts: set[str]) -> str:
    if place[0] not in hosts:
        return "outside"
    if HOSTS[place[0]].forbids(place[1]):
        return "forbidden"
    match item:
        case DemoPage():
            return "pages"
        case Redirect():
            return "redirects"
        case DemoFile():
            return "unsuitable"
        case None:
            return "missing"


def _anchors(page: DemoPage) -> list[Link]:
    return [home(page), *(link for section in page.sections for link in section.links)]


def _followed(page: DemoPage) -> list[Place]:
    """Return the URLs on a page that a polite crawler visits."""
    if "nofollow" in page.robots:
        return []
    relations = [place for place in (page.canonical, page.next, page.refresh) if place is not None]
    return [link.target for link in _anchors(page) if not link.nofollow] + relations
