"""Checks how settings name the place of a secret. Pure."""

from __future__ import annotations

from typing import Final

from hinterland.crawler.settings.rules import Complaint

SOURCES: Final = ("env:NAME", "file:PATH", "command:PROGRAM ARGUMENTS")
KINDS: Final = tuple(source.partition(":")[0] for source in SOURCES)


def check_source(text: str) -> None:
    """Check that a text names the place of a secret: a file, an environment variable or a command. Raises Complaint.

    The complaint does not quote the text, which may be the secret itself. Settings never hold a secret, so they can be
    printed, kept under version control and passed on.
    """
    kind, colon, rest = text.partition(":")
    if not colon or kind not in KINDS or not rest.strip():
        raise Complaint(f"do not write the secret itself here, but where it is: {', '.join(SOURCES)}")
