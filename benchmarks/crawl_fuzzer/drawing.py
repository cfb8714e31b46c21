"""Draws a site from its seed: hosts, resources, links, and how both change between visits. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Final

from benchmarks.crawl_fuzzer.drawn_hosts import drawn_hosts
from benchmarks.crawl_fuzzer.drawn_pages import drawn_content, drawn_page, drawn_trouble
from benchmarks.crawl_fuzzer.hrefs import FAR, JUNK, Hrefs, hard_path
from benchmarks.crawl_fuzzer.site import (
    LOCAL,
    PORT,
    Content,
    Gate,
    Link,
    Listing,
    Page,
    Redirect,
    Refusal,
    Resource,
    Site,
    SiteHost,
    Trouble,
    Version,
    target_of,
)
from hinterland.crawler.settings import UrlSettings
from hinterland.crawler.urls.canonical import Canonicaliser

VISITS: Final = 3
"""The numbers of visits at which a site differs: the crawl and two recrawls."""
_CANONICALISER: Final = Canonicaliser.under(UrlSettings())
_KINDS: Final = ("a", "a", "a", "a", "a", "area", "iframe", "canonical", "next", "alternate", "refresh", "field")


@dataclass(slots=True)
class _Draft:
    """A resource that is being drawn. links: of its page, by visit, if it is one."""

    url: str
    content: Content
    trouble: Trouble | None = None
    links: list[Link] = field(default_factory=list)


def drawn_site(seed: int) -> Site:
    """Return the site of a seed."""
    draw = random.Random(f"site {seed}")
    hosts = drawn_hosts(draw)
    drafts = _drafts(draw, hosts)
    hrefs = Hrefs(_CANONICALISER, draw)
    _link(draw, drafts, hosts, hrefs)
    resources = {each.url: Resource(each.url, _versions(draw, each, drafts, hrefs)) for each in drafts}
    locals_ = [host for host in hosts.values() if host.side == LOCAL]
    for host in locals_:
        if draw.random() < 0.3:
            listing = _sitemap(draw, host, list(resources))
            resources.setdefault(listing.url, listing)
    seeds = [f"http://{host.name}:{PORT}/" for host in locals_]
    return Site(
        seed,
        hosts,
        resources,
        seeds,
        delay=draw.choice((0.0, 0.0, 0.01, 0.03)) if len(drafts) < 60 else 0.0,
        settings=_settings(draw, any(host.space for host in locals_)),
        options=("--policy", draw.choice(("bfs", "bfs", "dfs", "random"))),
    )


def _drafts(draw: random.Random, hosts: Mapping[str, SiteHost]) -> list[_Draft]:
    """Draw the resources without links. The first of each host is its root, a page without any trouble."""
    names = list(hosts)
    drafts: dict[str, _Draft] = {}
    for name in names:
        root = f"http://{name}:{PORT}/"
        drafts[root] = _Draft(root, replace(drawn_page(draw, is_plain=True), title=f"root of {name}"))
    count = draw.choices((draw.randint(3, 15), draw.randint(15, 50), draw.randint(100, 250)), weights=(60, 34, 6))[0]
    paths: dict[str, list[str]] = {name: ["/"] for name in names}
    oddness = draw.choice((0.0, 0.1, 0.3))
    for number in range(count):
        name = draw.choice(names)
        path = hard_path(draw, draw.choice(paths[name])) if draw.random() < 0.4 else f"/p{number}"
        url = _CANONICALISER.canonical(f"http://{name}:{PORT}{path}")
        if url is None or url in drafts or not url.startswith(f"http://{name}:{PORT}/"):
            continue
        if target_of(url) in ("/robots.txt", "/moved-robots.txt"):
            continue
        paths[name].append(target_of(url))
        content = drawn_content(draw, oddness)
        trouble = drawn_trouble(draw) if draw.random() < oddness else None
        drafts[url] = _Draft(url, content, trouble)
    return list(drafts.values())


def _link(draw: random.Random, drafts: Sequence[_Draft], hosts: Mapping[str, SiteHost], hrefs: Hrefs) -> None:
    """Give every resource a link from an earlier page that is certainly read, and some of them more.

    Redirects get their targets.
    """
    parents: list[_Draft] = []
    for draft in drafts:
        if parents:
            near = parents[-12:]
            for parent in draw.sample(near, k=min(len(near), draw.choice((1, 1, 1, 2)))):
                parent.links.append(_drawn_link(draw, parent, draft.url, hrefs))
        if isinstance(draft.content, Page | Gate):
            if _is_read(draft, hosts):
                parents.append(draft)
            while draw.random() < 0.5:
                draft.links.append(_drawn_link(draw, draft, draw.choice(drafts).url, hrefs))
            if draw.random() < 0.3:
                draft.links.append(Link(draw.choice(JUNK), None))
            if draw.random() < 0.1:
                draft.links.append(Link(draw.choice(FAR), None))
        elif isinstance(draft.content, Redirect):
            to = draw.choice(drafts).url
            location = hrefs.written(to, draft.url, ascii_only=draw.random() < 0.7).strip()
            draft.content = Redirect(draft.content.status, "".join(location.splitlines()), to)


def _is_read(draft: _Draft, hosts: Mapping[str, SiteHost]) -> bool:
    """Whether it is a page whose links a crawl follows."""
    host = hosts[draft.url.partition("://")[2].partition(":")[0]]
    is_good_host = host.side == LOCAL and host.robots.is_clear and not host.down and not host.space
    is_open = isinstance(draft.content, Page) and not draft.content.is_nofollow and draft.trouble is None
    return is_good_host and is_open and not host.robots.forbids(target_of(draft.url))


def _drawn_link(draw: random.Random, source: _Draft, to: str, hrefs: Hrefs) -> Link:
    page = source.content.page if isinstance(source.content, Gate) else source.content
    assert isinstance(page, Page)
    kind = draw.choice(_KINDS) if draw.random() < 0.5 else "a"
    ascii_only = page.charset != "utf-8" or kind in ("field", "refresh")
    base = source.url if kind == "field" else _base_of(page, source.url)
    href = hrefs.written(to, base, ascii_only=ascii_only)
    if kind in ("field", "refresh"):
        href = to  # other ways to write it are not for a header field, nor for what stands after "url="
    return Link(href, to, kind, nofollow=kind == "a" and draw.random() < 0.06)


def _base_of(page: Page, url: str) -> str:
    return _CANONICALISER.canonical(page.base, url) or url if page.base else url


def _versions(draw: random.Random, draft: _Draft, drafts: Sequence[_Draft], hrefs: Hrefs) -> list[Version]:
    """Draw the versions at the crawl, and at each later visit."""
    content = draft.content
    if isinstance(content, Page):
        content = _with_links(content, draft)
    elif isinstance(content, Gate):
        content = Gate(_with_links(content.page, draft))
    versions = [Version(content, draft.trouble)]
    is_root = target_of(draft.url) == "/"
    for _ in range(1, VISITS):
        before = versions[-1]
        if draw.random() < (0.1 if is_root else 0.35):
            versions.append(_changed(draw, draft, before, drafts, hrefs, is_root=is_root))
        else:
            versions.append(replace(before, trouble=None) if draw.random() < 0.5 else before)
    return versions


def _with_links(page: Page, draft: _Draft) -> Page:
    """Return the page with its links; it has at most one refresh, since only the first counts."""
    links, is_refreshed = [], False
    for link in draft.links:
        if link.kind == "refresh" and is_refreshed:
            link = replace(link, kind="a", href=link.to or "")
        is_refreshed |= link.kind == "refresh"
        links.append(link)
    return replace(page, links=links)


def _changed(
    draw: random.Random, draft: _Draft, before: Version, drafts: Sequence[_Draft], hrefs: Hrefs, *, is_root: bool
) -> Version:
    kind = draw.choice(("words", "words", "link", "gone", "missing", "trouble", "redirect", "other"))
    if isinstance(before.content, Page) and (kind in ("words", "link") or is_root):
        other = drawn_page(draw, is_plain=True)
        page = replace(before.content, words=other.words)
        if kind == "link" and page.dress != "shadow":
            to = draw.choice(drafts).url
            page = replace(page, links=[*page.links, Link(to, to)])
        return Version(page)
    match kind:
        case "gone":
            return Version(Refusal(410))
        case "missing":
            return Version(Refusal(404))
        case "trouble":
            return Version(before.content, drawn_trouble(draw))
        case "redirect":
            to = draw.choice(drafts).url
            return Version(Redirect(draw.choice((301, 302, 307, 308)), to, to))
        case "other":
            content = drawn_content(draw, 0.2)
            if isinstance(content, Redirect):
                content = Refusal(403)
            return Version(content)
    return before


def _sitemap(draw: random.Random, host: SiteHost, urls: Sequence[str]) -> Resource:
    own = [url for url in urls if url.startswith(f"http://{host.name}:{PORT}/")]
    versions = []
    for visit in range(VISITS):
        chosen = draw.sample(own, k=min(len(own), draw.randint(1, 6)))
        entries = "".join(
            f"<url><loc>{escape(url)}</loc><lastmod>2026-0{1 + visit}-01</lastmod></url>" for url in chosen
        )
        text = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        text = draw.choice((text, text, text, text[: len(text) // 2], "\n".join(chosen), "<html><p>no sitemap"))
        versions.append(Version(Listing(draw.choice(("application/xml", "text/xml", "text/plain")), text)))
    return Resource(f"http://{host.name}:{PORT}/sitemap.xml", versions)


def _settings(draw: random.Random, has_space: bool) -> dict[str, dict[str, object]]:
    settings: dict[str, dict[str, object]] = {
        "fetching": {"cookies": draw.random() < 0.3, "max_in_flight": draw.choice((1, 4, 16, 64))},
        "storage": {"keep_bodies": True, "commit_seconds": draw.choice((0.0, 0.05, 0.2))},
        "sitemaps": {"use": draw.choice(("never", "recrawl", "recrawl", "always"))},
        "traps": {"patience": 20 if has_space else 500},
        "parsing": {"compiled": draw.random() < 0.7},
    }
    if draw.random() < 0.2:
        settings["fetching"]["documents"] = ["text", "markdown"]
    if draw.random() < 0.2:
        settings["revisits"] = {"soft_404": draw.choice(("changed", "all"))}
    return settings
