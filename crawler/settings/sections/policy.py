"""In which order waiting pages are fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings(SettingsSection):
    """In which order waiting pages are fetched."""

    name_in_file: ClassVar[str] = "policy"

    name: str = setting(
        "bfs",
        "name of a policy",
        "Breadth first: nearest to the seeds first, needs no ranking, and finds important pages early.",
        option="--policy",
    )
    seed: int = setting(
        0,
        "any whole number",
        "The same seed draws the same order by `random`; the sample of `return-flow` needs none.",
    )
    refresh_pages: int = setting(
        1000,
        "pages fetched",
        "A policy that ranks the whole graph is asked to do so again after this many pages,",
        minimum=1,
    )
    refresh_seconds: float = setting(
        30.0,
        "seconds",
        "or after this time, whichever comes first. It works beside the fetching.",
        minimum=0.1,
    )
