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
    is_kept: ClassVar[bool] = True

    kind: str = setting(
        "hosts",
        "",
        "What a page must share with a seed to be local. hosts: its host (name and port); site: its site (registrable "
        "domain); prefix: the folder of its URL, over http or https. With web every page is local, as a crawl for a "
        "topic needs. By default hosts, which keeps a first crawl small.",
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
        "Regular expressions for local URLs. If any are given, a local URL must match at least one of them, anywhere "
        "in its canonical form.",
        check=texts.check_pattern,
    )
    exclude: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "Regular expressions that no local URL may match. They take precedence over include.",
        check=texts.check_pattern,
    )
    max_depth: int = setting(
        -1,
        "links",
        "Maximum number of links to follow from a seed. No limit by default, since the scope bounds a crawl better.",
        minimum=-1,
        special="-1: no limit",
        option="--max-depth",
    )
    max_urls_per_host: int = setting(
        500_000,
        "URLs",
        "Maximum number of URLs kept for a host that answers with few pages. Beyond this number, links to new URLs "
        "are counted but not kept, until the host has answered with one page for every thousand URLs. Real hosts have "
        "a few dozen URLs for each page; the limit stops a flood of generated ones.",
        minimum=-1,
        special="-1: no limit",
    )
    max_pages_per_host: int = setting(
        -1,
        "pages",
        "Maximum number of pages fetched from a host, as a guard against endless hosts that escape the section "
        "[traps]. Every answer counts, including redirects and errors. By default there is no limit, so that no page "
        "is lost unless the user asks for a limit.",
        minimum=-1,
        special="-1: no limit",
    )

    @property
    def depth_limit(self) -> int | None:
        """The maximum number of links to follow from a seed; None for no limit."""
        return _limit(self.max_depth)

    @property
    def urls_per_host_limit(self) -> int | None:
        """The maximum number of URLs kept for each host; None for no limit."""
        return _limit(self.max_urls_per_host)

    @property
    def pages_per_host_limit(self) -> int | None:
        """The maximum number of answers taken from each host; None for no limit."""
        return _limit(self.max_pages_per_host)


def _limit(setting: int) -> int | None:
    """Return the limit; None for a negative number, which means no limit in settings.toml."""
    return None if setting < 0 else setting
