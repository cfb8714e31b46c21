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
        "Local is what shares a seed's host (name and port), its site (registrable domain) or the folder of"
        " its URL (prefix), over http or https. With web everything is, as a topic wants it. By default the host: a"
        " first crawl should not run away.",
        choices=("hosts", "site", "prefix", "web"),
        option="--scope",
    )
    hosts: tuple[str, ...] = setting(
        (),
        "names, with the port if it is not the usual one",
        'Hosts that are local too, such as "docs.example.org" or "docs.example.org:8443".',
        check=texts.check_host,
    )
    include: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "If any are given, a local URL must match one, anywhere in its canonical form.",
        check=texts.check_pattern,
    )
    exclude: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "A local URL must match none of these; they win over include.",
        check=texts.check_pattern,
    )
    max_depth: int = setting(
        -1,
        "links",
        "The number of links followed from a seed. The scope bounds a crawl better, so there is no limit.",
        minimum=-1,
        special="-1: no limit",
        option="--max-depth",
    )
    max_urls_per_host: int = setting(
        500_000,
        "URLs",
        "Links to more new URLs of a host than this are counted, not kept, until it has answered a thousandth as many"
        " pages as there would then be. Real hosts have a few dozen URLs a page; a flood of made-up ones ends here.",
        minimum=-1,
        special="-1: no limit",
    )
    max_pages_per_host: int = setting(
        -1,
        "pages",
        "A guard against endless hosts that section traps does not notice; every answer counts, redirects and errors,"
        " too. No limit, so that no page goes missing unasked.",
        minimum=-1,
        special="-1: no limit",
    )

    @property
    def depth_limit(self) -> int | None:
        return _limit(self.max_depth)

    @property
    def urls_per_host_limit(self) -> int | None:
        return _limit(self.max_urls_per_host)

    @property
    def pages_per_host_limit(self) -> int | None:
        return _limit(self.max_pages_per_host)


def _limit(setting: int) -> int | None:
    """None where there is none, which the file writes as -1."""
    return None if setting < 0 else setting
