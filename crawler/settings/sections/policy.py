"""The order in which waiting pages are fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings(SettingsSection):
    """The order in which waiting pages are fetched."""

    name_in_file: ClassVar[str] = "policy"
    is_kept: ClassVar[bool] = True

    name: str = setting(
        "bfs",
        "name of a policy",
        "The crawl policy. By default breadth-first: pages nearest to the seeds come first. It needs no ranking, and "
        "finds important pages early.",
        option="--policy",
    )
    seed: int = setting(
        0,
        "any whole number",
        "Seed of the random numbers: with the same seed, the policy `random` gives the same order. The policy "
        "`return-flow` draws its sample without a seed.",
    )
    refresh_pages: int = setting(
        1000,
        "pages fetched",
        "Number of pages fetched between two rankings, for a policy that ranks the whole graph. If refresh_seconds "
        "pass first, such a policy ranks earlier.",
        minimum=1,
    )
    refresh_seconds: float = setting(
        30.0,
        "seconds",
        "Maximum time between two rankings; see refresh_pages. Pages are fetched while the graph is ranked.",
        minimum=0.1,
    )
