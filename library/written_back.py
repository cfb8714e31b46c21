"""Writes results that a command has computed from a store into the same store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreInUse
from hinterland.storage.store_connections import StoreError
from hinterland.storage.store_files import require_same
from hinterland.storage.values.records import Record


async def written_back(path: Path, opened: os.stat_result | None, records: Sequence[Record]) -> str:
    """Write records into the store from which they were computed, in one transaction.

    Return "", or the reason why they could not be written.
    """
    try:
        require_same(path, opened, "read")
        async with LinkStore(path) as store:
            await store.write(records)
    except (StoreInUse, StoreError, OSError) as error:
        return str(error)
    except Exception as error:
        failure = store_failure(error)
        if failure is None:
            raise
        return str(failure)
    return ""
