"""Sites with something left out, all else as it was: what does a finding need, and what lies behind it? Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from benchmarks.crawl_fuzzer.markup import XML_DRESSES
from benchmarks.crawl_fuzzer.site import Content, Gate, Odd, Page, Refusal, Resource, Site, Version

_USUAL_CODINGS: Final = frozenset({"gzip", "br", "zstd", "deflate", "x-gzip", "GZIP"})


def simplified(site: Site, without: Collection[str]) -> Site:
    """Return the site without these features."""
    changes = [FEATURES[name] for name in without]

    def changed(version: Version) -> Version:
        for change in changes:
            version = change(version)
        return version

    resources = {
        url: Resource(url, [changed(version) for version in resource.versions])
        for url, resource in site.resources.items()
    }
    if "changes" in without:
        resources = {url: Resource(url, resource.versions[:1]) for url, resource in resources.items()}
    return replace(site, resources=resources)


def _of_pages(change: Callable[[Page], Page]) -> Callable[[Version], Version]:
    def changed(version: Version) -> Version:
        content: Content = version.content
        if isinstance(content, Page):
            content = change(content)
        elif isinstance(content, Gate):
            content = Gate(change(content.page))
        return replace(version, content=content)

    return changed


def _usual_codings(page: Page) -> Page:
    return page if set(page.codings) <= _USUAL_CODINGS else replace(page, codings=())


def _plain_dress(page: Page) -> Page:
    content_type = "text/html; charset=utf-8" if page.dress in XML_DRESSES else page.content_type
    return replace(page, dress="html", content_type=content_type)


def _plain_answer(page: Page) -> Page:
    return replace(page, codings=(), framing="length", odd_fields=(), validator="")


def _without_gate(version: Version) -> Version:
    return replace(version, content=version.content.page) if isinstance(version.content, Gate) else version


def _without_odd(version: Version) -> Version:
    return replace(version, content=Refusal(404)) if isinstance(version.content, Odd) else version


def _same(version: Version) -> Version:
    return version


FEATURES: Final[Mapping[str, Callable[[Version], Version]]] = {
    "odd-codings": _of_pages(_usual_codings),
    "dresses": _of_pages(_plain_dress),
    "empty-xhtml": _of_pages(lambda page: _plain_dress(page) if page.dress == "xhtml-empty" else page),
    "shadow": _of_pages(lambda page: _plain_dress(page) if page.dress == "shadow" else page),
    "odd-answers": _of_pages(_plain_answer),
    "gates": _without_gate,
    "odd": _without_odd,
    "troubles": lambda version: replace(version, trouble=None),
    "changes": _same,
}
"""What can be left out."""
