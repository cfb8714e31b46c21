"""Which pages are local."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings(SettingsSection):
    """Which pages belong to the local domain. Links that leave it are recorded, not followed."""

    name_in_file: ClassVar[str] = "scope"

    kind: str = setting(
        "hosts",
        "",
        "A page is local if it shares a seed's host (hosts: name and port), its site (site: registrable domain) or"
        " the folder of its URL (prefix), over http or https. With web every page is local, as a crawl for a topic"
        " needs. By default hosts: a first crawl should not run away.",
        choices=("hosts", "site", "prefix", "web"),
        option="--scope",
    )
    hosts: tuple[str, ...] = setting(
        (),
        "names, with the port if it is not the usual one",
        'Further local hosts, such as "docs.example.org" or "docs.example.org:8443".',
        check=texts.check_host,
    )
    include: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "If any are given, a local URL must match at least one of them, anywhere in its canonical form.",
        check=texts.check_pattern,
    )
    exclude: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "A local URL must match none of these. They take precedence over include.",
        check=texts.check_pattern,
    )
    max_depth: int = setting(
        -1,
        "links",
        "How many links to follow from a seed. No limit by default, since the scope bounds a crawl better.",
        minimum=-1,
        special="-1: no limit",
        option="--max-depth",
    )
    max_urls_per_host: int = setting(
        500_000,
        "URLs",
        "Beyond this many URLs of a host, links to new ones are counted but not kept, until the host has answered one"
        " page for every thousand URLs. Real hosts have a few dozen URLs for each page; a flood of made-up ones ends"
        " here.",
        minimum=-1,
        special="-1: no limit",
    )
    max_pages_per_host: int = setting(
        -1,
        "pages",
        "A guard against endless hosts that section traps does not notice. Every answer counts, redirects and errors"
        " included. No limit by default, so that no page goes missing unasked.",
        minimum=-1,
        special="-1: no limit",
    )

    @property
    def depth_limit(self) -> int | None:
        """The number of links followed from a seed; None for no limit."""
        return _limit(self.max_depth)

    @property
    def urls_per_host_limit(self) -> int | None:
        """The number of URLs kept for each host; None for no limit."""
        return _limit(self.max_urls_per_host)

    @property
    def pages_per_host_limit(self) -> int | None:
        """The number of answers taken from each host; None for no limit."""
        return _limit(self.max_pages_per_host)


def _limit(setting: int) -> int | None:
    """Return the limit, or None for the negative number that means no limit in settings.toml."""
    return None if setting < 0 else setting
