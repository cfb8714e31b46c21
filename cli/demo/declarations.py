"""The types that declare the demo web: its hosts, and pages with their links, before they become HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

Place = tuple[str, str]  # (host name, path with query): a URL without scheme and port


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a page: its target and its text."""

    target: Place
    text: str
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class DemoSection:
    """A section of a page: an optional heading, a paragraph, a list of links."""

    heading: str = ""
    sentences: Sequence[str] = ()
    links: Sequence[Link] = ()


@dataclass(frozen=True, slots=True)
class DemoPage:
    """An HTML page. Above its sections is a link to the front page of its host."""

    place: Place
    title: str
    sections: Sequence[DemoSection]
    language: str = "en"
    canonical: Place | None = None
    next: Place | None = None
    refresh: Place | None = None  # where a meta refresh sends its reader
    robots: str = ""  # content of meta robots
    charset: str = "utf-8"
    charset_in_meta: bool = False  # else in the Content-Type header
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Redirect:
    """A URL that redirects to another URL."""

    place: Place
    to: Place
    status: int = 301


@dataclass(frozen=True, slots=True)
class DemoFile:
    """A file that is not HTML."""

    place: Place
    content_type: str
    text: str


Item = DemoPage | Redirect | DemoFile


@dataclass(frozen=True, slots=True)
class DemoHost:
    """A host of the demo web: its title, its pages, and the rules of its robots.txt."""

    title: str
    pages: Callable[[Random], Iterator[Item]]
    forbidden: tuple[str, ...] = ()  # path prefixes
    allowed: tuple[str, ...] = ()  # longer prefixes within forbidden ones
    crawl_delay_seconds: float | None = None
    gzipped: bool = False

    @property
    def robots_txt(self) -> str | None:
        """The robots.txt of the host; None if it has no robots.txt, so that everything is allowed."""
        rules = [f"Disallow: {prefix}" for prefix in self.forbidden]
        rules += [f"Allow: {prefix}" for prefix in self.allowed]
        if self.crawl_delay_seconds is not None:
            rules.append(f"Crawl-delay: {self.crawl_delay_seconds}")
        return "\n".join(["User-agent: *", *rules, ""]) if rules else None

    def forbids(self, path: str) -> bool:
        """Return whether robots.txt forbids a path. The longest prefix that matches decides."""
        lengths = [
            max((len(prefix) for prefix in prefixes if path.startswith(prefix)), default=0)
            for prefixes in (self.forbidden, self.allowed)
        ]
        return lengths[0] > lengths[1]
