"""The behaviours of the hostile web that are small and quick enough to be part of any site."""

from __future__ import annotations

from typing import Final

from benchmarks.crawl_fuzzer.site import Odd
from benchmarks.hostile.behaviour import Behaviour, Handler
from benchmarks.hostile.hosts import GROUPS

_LEFT_OUT: Final = frozenset({
    "encodings/gzip-bomb", "encodings/brotli-bomb", "encodings/zstd-bomb", "framing/head-of-10-mb",
    "types/gigabyte", "types/endless-download", "redirects/with-a-megabyte", "html/nested-divs",
    "html/nested-very-deep", "html/nested-headings", "html/nested-anchors", "html/attributes-very-many",
    "html/attributes", "html/long-attribute", "html/long-text", "html/many-breaks", "html/large-anchors",
    "html/many-headings", "html/large-headings", "html/long-description", "html/long-links", "html/broken-links",
    "html/nested-templates", "html/nested-svg", "html/nested-formatting", "html/adoption", "html/foster-parents",
    "html/nested-tables", "html/entities", "html/many-directives", "html/frames-in-frames", "html/long-title",
    "robots/bomb", "robots/three-megabytes", "robots/wildcards", "robots/sitemaps", "robots/dribble",
    "redirects/endless", "redirects/growing", "redirects/forty-hops", "statuses/one-page-503-for-a-day",
})  # fmt: skip
"""Large, slow, or endless: those have their own benchmark."""
_PAGE_GROUPS: Final = ("charsets", "encodings", "framing", "types", "statuses", "redirects", "html")


def _chosen(*groups: str) -> list[Odd]:
    return [
        Odd(group, each.name)
        for group in groups
        for each in GROUPS[group]
        if f"{group}/{each.name}" not in _LEFT_OUT and not each.tls
    ]


ODD_PAGES: Final = _chosen(*_PAGE_GROUPS)
ODD_ROBOTS: Final = _chosen("robots")
SPACES: Final = [each.name for each in GROUPS["traps"]]


def _behaviour(odd: Odd) -> Behaviour:
    return next(each for each in GROUPS[odd.group] if each.name == odd.name)


def handler_of(odd: Odd) -> Handler | None:
    """Return what answers at any path; None if it has no single answer."""
    behaviour = _behaviour(odd)
    if odd.group == "robots":
        return behaviour.robots
    return next(iter(behaviour.odd.values()), None)


def space_of(name: str) -> Handler | None:
    """Return what answers at any path of an endless space."""
    return _behaviour(Odd("traps", name)).any_path
