"""What a random site is made of; values only.

A site is a pure function of its seed. Its answers depend on the number of the visit, and on how often the path was
requested during that visit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

PORT: Final = 8088
"""The port of all hosts, fixed so that the URLs of a site are the same in every run."""
LOCAL, OUTSIDE = "local", "outside"


@dataclass(frozen=True, slots=True)
class Link:
    """A link.

    `href` is written as on the page, before HTML's own escapes. `to` is the canonical URL that it leads to, None if it
    leads nowhere on the web. `kind` is a, area, frame, iframe, canonical, next, alternate, refresh, or field for a Link
    field.
    """

    href: str
    to: str | None
    kind: str = "a"
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """An HTML page.

    `dress` says how its markup is written. `codings` are those of its body, the innermost first. `framing` is length,
    chunked or close. `validator` allows conditional requests. `odd_fields` are raw lines of its header.
    """

    title: str
    words: str
    language: str = "en"
    links: Sequence[Link] = ()
    base: str = ""
    dress: str = "html"
    directives: str = ""
    directives_field: str = ""
    content_type: str | None = "text/html; charset=utf-8"
    charset: str = "utf-8"
    codings: Sequence[str] = ()
    framing: str = "length"
    validator: str = ""
    odd_fields: Sequence[bytes] = ()

    @property
    def is_nofollow(self) -> bool:
        """Whether the page forbids following its links."""
        return any("nofollow" in said or "none" in said for said in (self.directives, self.directives_field))


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect to `to`, None if its location leads nowhere."""

    status: int
    location: str
    to: str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no page: 404, 410, 403, ..."""

    status: int


@dataclass(frozen=True, slots=True)
class File:
    """Something that is not read."""

    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Listing:
    """A sitemap, a feed, or any other text that names URLs."""

    content_type: str
    text: str
    codings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """Redirects to itself until the request has the cookie that it sets; then it is the page."""

    page: Page


@dataclass(frozen=True, slots=True)
class Odd:
    """A behaviour of the hostile web, by the name of its group and its own."""

    group: str
    name: str


Content = Page | Redirect | Refusal | File | Listing | Gate | Odd


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer that a path gives before its content, a number of times at each visit; -1: always."""

    kind: str
    times: int


@dataclass(frozen=True, slots=True)
class Version:
    """What a path is at one visit."""

    content: Content
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource; its versions are by the number of the visit, and the last one holds for all later visits."""

    url: str
    versions: Sequence[Version]

    def at(self, visit: int) -> Version:
        """Return the version at a visit; the last one stays."""
        return self.versions[min(visit, len(self.versions) - 1)]


@dataclass(frozen=True, slots=True)
class RobotsText:
    """The robots.txt of a host.

    `disallowed` and `allowed` are the prefixes of its rules for all agents. `is_clear` says whether it is certain to be
    read as intended. `odd` is a behaviour of the hostile web that replaces it.
    """

    text: bytes | None = None
    disallowed: Sequence[str] = ()
    allowed: Sequence[str] = ()
    crawl_delay: float = 0.0
    failures: int = 0
    moved: bool = False
    is_clear: bool = True
    odd: Odd | None = None

    def forbids(self, target: str) -> bool:
        """Return whether the longest matching rule forbids; of equal ones, the allowing rule counts (RFC 9309)."""
        longest = max((len(each) for each in self.disallowed if target.startswith(each)), default=-1)
        return longest > max((len(each) for each in self.allowed if target.startswith(each)), default=-1)


@dataclass(frozen=True, slots=True)
class SiteHost:
    """A host.

    `down` lists the visits at which every connection is reset. `space` is a behaviour of the hostile web that generates
    pages for all paths of the host without a page.
    """

    name: str
    address: int
    side: str = LOCAL
    robots: RobotsText = field(default_factory=RobotsText)
    down: Sequence[int] = ()
    space: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    """A site; `delay` is that of a host in seconds, `settings` and `options` are those of the crawl."""

    seed: int
    hosts: Mapping[str, SiteHost]
    resources: Mapping[str, Resource]
    seeds: Sequence[str]
    delay: float
    settings: Mapping[str, Mapping[str, object]]
    options: Sequence[str] = ()

    def host_of(self, url: str) -> SiteHost | None:
        """Return the host of a URL, or None."""
        return self.hosts.get(url.partition("://")[2].partition("/")[0].rpartition(":")[0])


def target_of(url: str) -> str:
    """Path and query: what a request asks for."""
    return "/" + url.partition("://")[2].partition("/")[2]
