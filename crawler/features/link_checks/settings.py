"""Which links are checked, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCheckSettings(SettingsSection):
    """Checks of the files that pages load, and of their links to other hosts, for `audit`.

    Each address is requested once, under the same rules as pages: robots.txt, rests, allowed networks.
    """

    name_in_file: ClassVar[str] = "link_checks"

    use: bool = setting(
        False,
        "",
        "Whether to check images, styles, scripts, fonts and media that pages load, and their links to other hosts. "
        "It needs audit.page_facts.",
        option="--check-links",
        option_help="with --audit, also check once whether each image, style, script and font that pages load, and"
        " each page of other hosts that they link to, exists (default: off)",
        implies={"audit.page_facts": True, "sitemaps.use": "always"},
    )
    max_per_host: int = setting(
        1_000,
        "addresses",
        "Maximum number of addresses that are checked on one host. Further ones are counted as not checked.",
        minimum=1,
        maximum=10_000_000,
    )
    max_age_days: float = setting(
        7.0,
        "days",
        "How long the result of a check is valid. The next crawl or recrawl that checks links requests an address "
        "again if its result is older.",
        minimum=0,
        maximum=3_650,
    )
