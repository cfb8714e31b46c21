"""What features are given to work with once a crawl is put together, and what they give back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hinterland.crawler.fetching.answers import BodyLimits
from hinterland.crawler.loop.commits import Commits
from hinterland.crawler.loop.decisions.blame import Blame
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.ledger import Ledger
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.loop.shell import Schedule, Shell
from hinterland.crawler.loop.visits import Visits
from hinterland.crawler.settings import Settings


@dataclass(frozen=True, slots=True)
class Workings:
    """The crawl from the inside. preparation: of what is computed with; limits: of the bodies of pages."""

    settings: Settings
    parts: Parts
    shell: Shell
    ledger: Ledger
    dispatch: Dispatch
    blame: Blame
    visits: Visits
    preparation: Preparation
    limits: BodyLimits
    commits: Commits
    schedule: Schedule


@runtime_checkable
class UsesWorkings(Protocol):
    """A feature that is given the workings before anything begins."""

    def open(self, workings: Workings) -> None: ...
