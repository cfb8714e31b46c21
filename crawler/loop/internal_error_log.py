"""Decides which errors end a crawl, and logs errors that spoil only one visit."""

from __future__ import annotations

import errno
import logging
import traceback
from collections.abc import Callable
from typing import Final

from hinterland.crawler.fetching.archiving.recorder import ArchiveBroken, archive_failure
from hinterland.crawler.parsing.pool.parser_process import ParsersUnusable
from hinterland.storage.failures import store_failure
from hinterland.storage.salvage import LostRecord
from hinterland.storage.shard_fence import Fenced
from hinterland.storage.store_connections import StoreError

_LOG = logging.getLogger(__name__)
_TOLD: Final = "internal error, please report it; the crawl goes on without this page"
_OF_THIS_MACHINE: Final = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
)


def ends_crawl(error: Exception) -> bool:
    """Return whether an error concerns more than one visit, which means that the next visits would fail, too."""
    if isinstance(error, OSError):
        return error.errno in _OF_THIS_MACHINE
    if isinstance(error, MemoryError | ParsersUnusable | ArchiveBroken | StoreError | Fenced):
        return True
    return store_failure(error) is not None or archive_failure(error) is not None


def tells_of_lost() -> Callable[[LostRecord, str], None]:
    """Return a function that logs each record that the store could not hold as it was; for writers without a crawl."""
    tell = told_once()
    return lambda lost, where: tell(where, lost.error)


def told_once() -> Callable[[str, Exception], None]:
    """Return a function that logs internal errors, with a traceback for the first at each place in the program."""
    told = set[tuple[str, int | None]]()

    def tell(where: str, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno) if frames else ("", None)
        is_known = place in told
        told.add(place)
        lines = traceback.format_exception_only(error) if is_known else traceback.format_exception(error)
        text = f"{where}: {_TOLD}\n{''.join(lines).rstrip()}"
        _LOG.error("%s", text.encode("utf-8", "backslashreplace").decode())  # an error may quote a lone surrogate

    return tell
