"""What servers say of pages that they do not have, as the store keeps it: plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbedDirectory:
    """directory: a URL up to its last slash. url: of the page that nobody has. asked_at: epoch seconds. text: what its
    server said with status 200, a zstd frame; None if it said honestly that there is none, nothing that counts, or
    nothing at all.
    """

    directory: str
    url: str
    asked_at: float
    status: int | None
    title: str = ""
    text: bytes | None = None
