"""Why a crawl ended, and the exit code for each reason."""

from __future__ import annotations

from enum import Enum
from typing import Final

IMPORTED = ("imported", "archives were imported")
"""The name in the store, and the sentence, for an import of archives, which is not the end of a crawl."""


class EndReason(Enum):
    """Why a crawl ended: (name in the store, exit code, sentence)."""

    EXHAUSTED = ("exhausted", 0, "every page within reach was visited")
    BUG = ("bug", 1, "a bug in Hinterland; the traceback says where")
    NOTHING_FETCHED = ("nothing-fetched", 4, "not a single page could be fetched")
    MAX_PAGES = ("max-pages", 5, "the page budget is used up")
    STOPPED = ("stopped", 6, "stopped cleanly after finishing the requests in progress")
    ABORTED = ("aborted", 7, "stopped at once")
    HOSTS_GIVEN_UP = ("hosts-given-up", 8, "gave up hosts that kept failing; everything else was visited")
    STORE_FAILED = ("store-failed", 9, "the store could not be written")

    SETTLED = (
        "settled",
        10,
        "the estimate of the domain's global PageRank no longer changes, or is accurate enough",
    )

    NETWORK_DOWN = ("network-down", 12, "no host could be reached any more, so this machine's network seems to be down")
    RETRIES_LEFT = ("retries-left", 13, "all remaining pages wait for a retry much later")
    ARCHIVE_FAILED = ("archive-failed", 11, "the archive could not be written")

    TIME_UP = ("time-up", 15, "the time limit is reached")

    SPACES_LEFT = ("spaces-left", 14, "every page within reach was visited, except URLs of endless spaces")

    SHARD_FAILED = ("shard-failed", 16, "a shard could not continue")

    def __init__(self, label: str, exit_code: int, sentence: str) -> None:
        """Split the value into `label`, `exit_code` and `sentence`."""
        self.label = label
        self.exit_code = exit_code
        self.sentence = sentence


WITHOUT_PAGES: Final = (EndReason.SETTLED, EndReason.HOSTS_GIVEN_UP, EndReason.SPACES_LEFT)
"""Reasons other than exhaustion why no waiting page can be visited. The first one that applies is reported."""
