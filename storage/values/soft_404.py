"""How servers respond to requests for missing pages: plain values that the store keeps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbedDirectory:
    """How a server responds to a request for a missing page in a directory.

    `directory` is a URL up to its last slash, `url` is the URL of the missing page, and `asked_at` is in epoch seconds.
    `text` is what the server sent with status 200, as a zstd frame. It is None if the server reported the error by its
    status, or sent nothing usable.
    """

    directory: str
    url: str
    asked_at: float
    status: int | None
    title: str = ""
    text: bytes | None = None
