"""Whether sitemaps and feeds are fetched, and whether IndexNow notices are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapSettings(SettingsSection):
    """Use of sitemaps (sitemaps.org) and feeds. They list pages and say when these have changed."""

    name_in_file: ClassVar[str] = "sitemaps"

    use: str = setting(
        "recrawl",
        "never, recrawl or always",
        "When to fetch sitemaps and feeds. recrawl: in a `recrawl`, to learn of new pages of the domain and of "
        "changes to known pages; always: in a crawl as well, which then also finds pages that a sitemap lists but no "
        "page links to; never: not at all.",
        choices=("never", "recrawl", "always"),
    )
    indexnow: bool = setting(
        False,
        "",
        "Whether `serve` accepts notices of changed pages (IndexNow) at /indexnow, for a later `recrawl` to use. They "
        "are stored in a file beside the store. They count only if the crawl finds on the host the key that was sent "
        "with them. Off by default, because `serve` is read-only otherwise.",
    )
    own_folder_only: bool = setting(
        False,
        "",
        "Whether a sitemap may list only URLs in its own folder or below, as sitemaps.org requires. A sitemap that "
        "robots.txt names may list all URLs of its host. The rule keeps people who can write to one folder of a host "
        "from listing pages of the whole host. Off by default, since most sites ignore the rule.",
    )
