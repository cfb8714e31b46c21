"""Which links are checked, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCheckSettings(SettingsSection):
    """Checks of what the pages of a site load and of their links to other hosts, for `audit`.

    Each address is requested once, under the same rules as pages: robots.txt, rests, allowed networks.
    """

    name_in_file: ClassVar[str] = "link_checks"

    use: bool = setting(
        False,
        "",
        "Whether to check images, styles, scripts, fonts and media that pages load, and their links to other hosts. "
        "It needs audit.page_facts.",
        option="--check-links",
        option_help="with --audit, also ask once for each image, style, script and font, and for each page of other"
        " hosts to which pages link (default: off)",
        implies={"audit.page_facts": True, "sitemaps.use": "always"},
    )
    max_per_host: int = setting(
        1_000,
        "addresses",
        "Maximum number of addresses that are checked on one host. What is beyond is counted as not looked at.",
        minimum=1,
        maximum=10_000_000,
    )
    max_age_days: float = setting(
        7.0,
        "days",
        "How long the result of a check holds. An older one is asked for again by the next crawl or recrawl that "
        "checks links.",
        minimum=0,
        maximum=3_650,
    )
