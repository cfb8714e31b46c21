"""Why a crawl ended, and the exit code that says so."""

from __future__ import annotations

from enum import Enum
from typing import Final

IMPORTED = ("imported", "archives were taken in")
"""(name in the store, sentence) where no crawl ended, but an import."""


class EndReason(Enum):
    """(name in the store, exit code, sentence)."""

    EXHAUSTED = ("exhausted", 0, "every page within reach was visited")
    BUG = ("bug", 1, "Hinterland made a mistake; the traceback says where")
    NOTHING_FETCHED = ("nothing-fetched", 4, "not a single page could be fetched")
    MAX_PAGES = ("max-pages", 5, "the page budget is used up")
    STOPPED = ("stopped", 6, "it was asked to stop, and finished what was under way")
    ABORTED = ("aborted", 7, "it was told to stop at once")
    HOSTS_GIVEN_UP = ("hosts-given-up", 8, "hosts that kept failing were given up; all else was visited")
    STORE_FAILED = ("store-failed", 9, "the store could not be written")

    SETTLED = (
        "settled",
        10,
        "the estimate of the domain's global PageRank no longer changes, or is near enough to the truth",
    )

    NETWORK_DOWN = ("network-down", 12, "no host could be reached any more, so the network here must be down")
    RETRIES_LEFT = ("retries-left", 13, "only pages are left that are to be tried again much later")
    ARCHIVE_FAILED = ("archive-failed", 11, "the archive could not be written")

    TIME_UP = ("time-up", 15, "the time it was given is over")

    SPACES_LEFT = ("spaces-left", 14, "every page within reach was visited, but for URLs that go on without end")

    SHARD_FAILED = ("shard-failed", 16, "a part of it could not go on")

    def __init__(self, label: str, exit_code: int, sentence: str) -> None:
        self.label = label
        self.exit_code = exit_code
        self.sentence = sentence


WITHOUT_PAGES: Final = (EndReason.SETTLED, EndReason.HOSTS_GIVEN_UP, EndReason.SPACES_LEFT)
"""Why nothing waits that can be visited, beside that all was; the first that holds is told."""
