"""How robots.txt and the directives of pages are obeyed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsSettings(SettingsSection):
    """How robots.txt (RFC 9309) and the robots directives of pages are obeyed."""

    name_in_file: ClassVar[str] = "robots"

    max_age_seconds: int = setting(
        86_400,
        "seconds",
        "How long a robots.txt is trusted. RFC 9309 section 2.4 allows a day at most.",
        minimum=0,
        maximum=86_400,
    )
    max_memory_mb: int = setting(
        100,
        "MB",
        "Memory for the robots.txt files of all hosts. Those used last stay in memory; the others are read from the"
        " store when their host's turn comes.",
        minimum=1,
        maximum=100_000,
    )
    max_crawl_delay_seconds: float = setting(
        300.0,
        "seconds",
        "A longer Crawl-delay is shortened to this; some robots.txt files ask for a day between two pages.",
        minimum=0,
    )
    retry_seconds: float = setting(
        60.0,
        "seconds",
        "The wait before an unreachable robots.txt is requested again; it doubles each time. Until it can be read,"
        " nothing of its host is fetched.",
        minimum=0.1,
        maximum=86_400,
    )
    obey_nofollow: bool = setting(
        True,
        "",
        'Do not follow links marked rel="nofollow". They are recorded all the same.',
    )
    obey_page_directives: bool = setting(
        True,
        "",
        "Obey <meta name=robots> and X-Robots-Tag. They are recorded all the same.",
    )

    def heeds_nofollow(self, *, of_page: bool) -> bool:
        """Return whether links marked nofollow are left alone.

        `of_page` says that a directive of their page marks all of its links.
        """
        return self.obey_page_directives if of_page else self.obey_nofollow
