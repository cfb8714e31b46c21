"""How pages that are stored are looked at again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitSettings(SettingsSection):
    """When a page that is not found any more counts as gone, and what is kept of what it said before."""

    name_in_file: ClassVar[str] = "revisits"

    policy: str = setting(
        "harmonic",
        "harmonic, binary, uniform, importance, change, or the name of a plug-in",
        "How a budget is spent on the pages: harmonic misses few changes of pages that matter, and forgets no page.",
    )
    shortest_hours: float = setting(
        1.0,
        "hours",
        "No page is looked at again sooner, whatever the budget.",
        minimum=0.001,
        maximum=87_600,
    )
    longest_days: float = setting(
        90.0,
        "days",
        "And none later, if the budget can pay that; `status` says so if it cannot.",
        minimum=0.01,
        maximum=36_500,
    )
    gone_after_looks: int = setting(
        3,
        "looks",
        "A page that answers 404, or another error of its own, is gone once so many looks in a row have found it so."
        " One that answers 410 is gone at once; a host that fails says nothing of its pages.",
        minimum=1,
        maximum=1000,
    )
    gone_after_days: float = setting(
        2.0,
        "days",
        "And not before so much time lies between the first of those looks and the last: a site that is being rebuilt"
        " answers 404 for a day.",
        minimum=0,
        maximum=3650,
    )
    soft_404: str = setting(
        "never",
        "never, changed or all",
        "Some servers answer 200 for pages that they do not have. With changed, one is asked for a page that nobody"
        " has, once a directory and month, when a page says quite other things than before; what says the same is"
        " a soft_404. With all, when any page is read.",
        choices=("never", "changed", "all"),
    )
    keep_forbidden: bool = setting(
        False,
        "",
        "Keep what was read of pages that robots.txt has come to forbid. Off: they leave the store's content and the"
        " index, as their owners ask.",
    )
    keep_texts: int = setting(
        3,
        "texts",
        "So many earlier texts of each page are kept, each as what it differs in from the next, for `diff`.",
        minimum=0,
        maximum=10_000,
    )
