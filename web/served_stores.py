"""Stores that are searched together; each has its own pages at a path of the server. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class ServedStore:
    """A store, and the place of its pages on the server.

    `store` is its file as the user named it. `path` is where its pages are, "" at the top, without a final slash.
    """

    store: str
    path: str

    @property
    def name(self) -> str:
        """The name by which the store is shown."""
        return PurePath(self.store).stem


def served_stores(store: str, also: Sequence[str]) -> list[ServedStore]:
    """Return the store at the top, followed by the stores below it; nothing if `also` is empty."""
    others = [ServedStore(other, f"/also/{number}") for number, other in enumerate(also, 1)]
    return [ServedStore(store, ""), *others] if others else []
