"""How stored pages are revisited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitSettings(SettingsSection):
    """When stored pages are revisited or count as gone, and what is kept of their earlier versions."""

    name_in_file: ClassVar[str] = "revisits"

    policy: str = setting(
        "harmonic",
        "harmonic, binary, uniform, importance, change, or the name of a plug-in",
        "How the budget of a recrawl is divided among the pages. harmonic misses few changes of pages that matter,"
        " and forgets no page.",
    )
    shortest_hours: float = setting(
        1.0,
        "hours",
        "No page is revisited sooner than this, whatever the budget.",
        minimum=0.001,
        maximum=87_600,
    )
    longest_days: float = setting(
        90.0,
        "days",
        "No page is revisited later than this, if the budget allows; `status` says so if it does not.",
        minimum=0.01,
        maximum=36_500,
    )
    gone_after_looks: int = setting(
        3,
        "visits",
        "A page that answers 404, or another error of its own, counts as gone after this many visits in a row. One"
        " that answers 410 is gone at once; a host that fails says nothing about its pages.",
        minimum=1,
        maximum=1000,
    )
    gone_after_days: float = setting(
        2.0,
        "days",
        "Minimum time between the first and the last of these visits: a site that is being rebuilt answers 404 for a"
        " day.",
        minimum=0,
        maximum=3650,
    )
    soft_404: str = setting(
        "never",
        "never, changed or all",
        "Some servers answer 200 for pages that they do not have. changed: when the content of a page has changed a"
        " lot, its server is asked for a page that cannot exist, at most once a month for each directory; a page that"
        " says the same is a soft_404. all: every page that is read is compared. never: none is.",
        choices=("never", "changed", "all"),
    )
    keep_forbidden: bool = setting(
        False,
        "",
        "Keep what was read of pages that robots.txt has since forbidden. Off: they leave the store's content and the"
        " index, as their owners ask.",
    )
    keep_texts: int = setting(
        3,
        "texts",
        "How many earlier texts of each page to keep, for `diff`. Each is stored as its differences from the next one.",
        minimum=0,
        maximum=10_000,
    )
