"""Whether sitemaps and feeds are asked for, and notices taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapSettings(SettingsSection):
    """Sitemaps (sitemaps.org) and feeds name pages, and say when they changed."""

    name_in_file: ClassVar[str] = "sitemaps"

    use: str = setting(
        "recrawl",
        "never, recrawl or always",
        "By `recrawl` they are asked for news of the domain: pages it has not heard of, and notices that known ones"
        " have changed. A crawl finds what links lead to, and with always what sitemaps name as well.",
        choices=("never", "recrawl", "always"),
    )
    indexnow: bool = setting(
        False,
        "",
        "Whether `serve` takes notices of changes (IndexNow) at /indexnow, for a `recrawl` to take up. They lie beside"
        " the store, and count if the host is found to have the key that came with them. Off, for `serve` only reads"
        " unless it is told otherwise.",
    )
    own_folder_only: bool = setting(
        False,
        "",
        "Whether a sitemap may name only what lies in its folder or below, as sitemaps.org has it, unless robots.txt"
        " names the sitemap: then others who may write to the host cannot speak for all of it. Off, for most sites"
        " ignore that rule.",
    )
