"""How servers respond to requests for missing pages, as the store keeps it: plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbedDirectory:
    """How a server responds to a request for a missing page in a directory.

    `directory` is a URL up to its last slash, `url` that of the missing page, and `asked_at` is in epoch seconds.
    `text` is what the server sent with status 200, as a zstd frame; None if it reported the error honestly, or sent
    nothing of use.
    """

    directory: str
    url: str
    asked_at: float
    status: int | None
    title: str = ""
    text: bytes | None = None
