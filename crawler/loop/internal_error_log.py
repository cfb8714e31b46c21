"""Which errors end a crawl, and how those are told that cost it one visit."""

from __future__ import annotations

import errno
import logging
import traceback
from collections.abc import Callable
from typing import Final

from hinterland.crawler.fetching.archiving.recorder import ArchiveBroken, archive_failure
from hinterland.crawler.parsing.pool.parser_process import ParsersUnusable
from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import Fenced, StoreError
from hinterland.storage.salvage import LostRecord

_LOG = logging.getLogger(__name__)
_TOLD: Final = "an error of this program, please report it; all else goes on without that page"
_OF_THIS_MACHINE: Final = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
)


def ends_crawl(error: Exception) -> bool:
    """Whether an error that has come up in a visit is none of that visit alone: the next ones would have it, too."""
    if isinstance(error, OSError):
        return error.errno in _OF_THIS_MACHINE
    if isinstance(error, MemoryError | ParsersUnusable | ArchiveBroken | StoreError | Fenced):
        return True
    return store_failure(error) is not None or archive_failure(error) is not None


def tells_of_lost() -> Callable[[LostRecord, str], None]:
    """What logs records that a store could not hold as they were; for those that write without a crawl."""
    tell = told_once()
    return lambda lost, where: tell(where, lost.error)


def told_once() -> Callable[[str, Exception], None]:
    """What logs errors that cost one visit: at each place in the program the first with its traceback."""
    told = set[tuple[str, int | None]]()

    def tell(where: str, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno) if frames else ("", None)
        is_known = place in told
        told.add(place)
        lines = traceback.format_exception_only(error) if is_known else traceback.format_exception(error)
        text = f"{where}: {_TOLD}\n{''.join(lines).rstrip()}"
        _LOG.error("%s", text.encode("utf-8", "backslashreplace").decode())  # an error may quote half a character

    return tell
