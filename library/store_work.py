"""Opens a store for a piece of work, and turns failures into errors that say what is wrong with the store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from hinterland.library.errors import StoreUnusable
from hinterland.library.event_loops import run_to_end
from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreInUse
from hinterland.storage.store_connections import StoreError
from hinterland.storage.store_files import StoreGone

T = TypeVar("T")


def in_store(path: Path, work: Callable[[LinkStore], Awaitable[T]], *, if_gone: str = "") -> T:
    """Open the store, do the work, close the store. Raises StoreUnusable if it is in use or cannot be written.

    `if_gone` is added to the error if the store was deleted or moved meanwhile and its content was saved elsewhere.
    """

    async def done() -> T:
        async with LinkStore(path) as store:
            return await work(store)

    try:
        return run_to_end(done)
    except (StoreInUse, StoreError) as error:
        raise StoreUnusable(str(error)) from None
    except Exception as error:
        failure = store_failure(error)
        if failure is None:
            raise
        if isinstance(failure, StoreGone) and if_gone:
            raise StoreUnusable(f"{failure}{if_gone if failure.now_at else ''}") from error
        raise StoreUnusable(f"{path} cannot be written: {failure}") from error
