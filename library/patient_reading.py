"""Reads a store with a time limit, for servers that must also answer other requests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader

_STEPS: Final = 100_000
"""The time is checked after this many steps of SQLite, which take some milliseconds."""


class TookTooLong(Exception):
    """A query exceeded its time limit."""


@contextmanager
def patient(reading_of: AbstractContextManager[StoreReader], seconds: float) -> Iterator[StoreReader]:
    """Read a store. Queries inside the with block fail once `seconds` have passed.

    Raises TookTooLong, and the errors of `reading_of`.
    """
    deadline = time.monotonic() + seconds
    try:
        with reading_of as store:
            store.connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            yield store
    except NoStore:
        if time.monotonic() > deadline:
            raise TookTooLong(f"the query took longer than {seconds:g} s") from None
        raise


def patient_reading(path: Path, seconds: float) -> AbstractContextManager[StoreReader]:
    """Open a store for reading. Queries inside the with block fail once `seconds` have passed.

    Raises TookTooLong, and NoStore.
    """
    return patient(reading(path), seconds)
