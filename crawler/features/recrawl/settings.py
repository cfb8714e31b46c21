"""How stored pages are revisited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitSettings(SettingsSection):
    """Revisits: when they are due, when a missing page counts as gone, and what is kept of earlier versions."""

    name_in_file: ClassVar[str] = "revisits"

    policy: str = setting(
        "harmonic",
        "harmonic, binary, uniform, importance, change, or the name of a plug-in",
        "How the budget of a recrawl is divided among the pages. harmonic misses few changes of important pages, and "
        "revisits every page sooner or later.",
    )
    shortest_hours: float = setting(
        1.0,
        "hours",
        "Minimum time between two visits to a page, whatever the budget.",
        minimum=0.001,
        maximum=87_600,
    )
    longest_days: float = setting(
        90.0,
        "days",
        "Maximum time between two visits to a page, if the budget allows it. If it does not, `status` says so.",
        minimum=0.01,
        maximum=36_500,
    )
    gone_after_looks: int = setting(
        3,
        "visits",
        "Number of visits in a row that must end in 404, or another error of the page itself, before the page counts "
        "as gone. A page that answers 410 is gone immediately. Failures of the host do not count.",
        minimum=1,
        maximum=1000,
    )
    gone_after_days: float = setting(
        2.0,
        "days",
        "Minimum time between the first and the last of the failed visits (see gone_after_looks): a site that is "
        "being rebuilt may answer 404 for a day.",
        minimum=0,
        maximum=3650,
    )
    soft_404: str = setting(
        "never",
        "never, changed or all",
        "Which pages to check for soft 404s, since some servers answer 200 for pages that do not exist. The crawl "
        "requests a URL that cannot exist, at most once a month for each directory. Pages with the same content are "
        "soft_404. changed: pages whose content has changed a lot; all: every page that is read; never: no page.",
        choices=("never", "changed", "all"),
    )
    keep_forbidden: bool = setting(
        False,
        "",
        "Whether to keep the content of pages that robots.txt has forbidden since they were fetched. If false, the "
        "content is removed from the store and the index, as the owners ask.",
    )
    keep_texts: int = setting(
        3,
        "texts",
        "How many earlier texts of each page to keep, for `diff`. Each is stored as its differences from the text "
        "that replaced it.",
        minimum=0,
        maximum=10_000,
    )
