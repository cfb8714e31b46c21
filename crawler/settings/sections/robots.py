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
        "How long a robots.txt is used before it is fetched again. RFC 9309 section 2.4 allows at most a day.",
        minimum=0,
        maximum=86_400,
    )
    max_memory_mb: int = setting(
        100,
        "MB",
        "Memory for the robots.txt files of all hosts. The most recently used files stay in memory; the others are "
        "read from the store when needed.",
        minimum=1,
        maximum=100_000,
    )
    max_crawl_delay_seconds: float = setting(
        300.0,
        "seconds",
        "Maximum Crawl-delay. Longer ones are shortened to this, since some robots.txt files ask for a day between "
        "two pages.",
        minimum=0,
    )
    retry_seconds: float = setting(
        60.0,
        "seconds",
        "Wait before an unreachable robots.txt is requested again; the wait doubles each time. Until the file can be "
        "read, nothing is fetched from its host.",
        minimum=0.1,
        maximum=86_400,
    )
    obey_nofollow: bool = setting(
        True,
        "",
        'Whether to leave links marked rel="nofollow" unvisited. They are recorded in any case.',
    )
    obey_page_directives: bool = setting(
        True,
        "",
        "Whether to obey <meta name=robots> and X-Robots-Tag. They are recorded in any case.",
    )

    def heeds_nofollow(self, *, of_page: bool) -> bool:
        """Return whether links marked nofollow are left unvisited.

        `of_page` is true if the mark is a directive of the page, which applies to all of its links, and false if it is
        the `rel` attribute of a single link.
        """
        return self.obey_page_directives if of_page else self.obey_nofollow
