"""Whether sitemaps and feeds are fetched, and IndexNow notices accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapSettings(SettingsSection):
    """Use of sitemaps (sitemaps.org) and feeds, which name pages and say when they changed."""

    name_in_file: ClassVar[str] = "sitemaps"

    use: str = setting(
        "recrawl",
        "never, recrawl or always",
        "When to fetch sitemaps and feeds. recrawl: in a `recrawl`, to learn of new pages of the domain and of"
        " changes to known ones; always: in a crawl as well, which then also finds the pages that sitemaps name and no"
        " link leads to; never: not at all.",
        choices=("never", "recrawl", "always"),
    )
    indexnow: bool = setting(
        False,
        "",
        "Whether `serve` accepts notices of changed pages (IndexNow) at /indexnow, for `recrawl` to act on. They are"
        " kept beside the store, and count once the host is found to have the key that came with them. Off, since"
        " `serve` otherwise only reads.",
    )
    own_folder_only: bool = setting(
        False,
        "",
        "Whether a sitemap may name only URLs in its own folder or below, as sitemaps.org has it, unless robots.txt"
        " names the sitemap. This keeps others who may write to the host from speaking for all of it. Off, since most"
        " sites ignore the rule.",
    )
