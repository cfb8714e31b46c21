"""How settings say where a secret is. Pure."""

from __future__ import annotations

from typing import Final

from hinterland.crawler.settings.rules import Complaint

SOURCES: Final = ("env:NAME", "file:PATH", "command:PROGRAM ARGUMENTS")
KINDS: Final = tuple(source.partition(":")[0] for source in SOURCES)


def check_source(text: str) -> None:
    """Check that a text says where a secret is. Raises Complaint, which does not quote the text: it may be the secret.

    Settings never hold a secret itself, so they can be printed, kept under version control and passed on.
    """
    kind, colon, rest = text.partition(":")
    if not colon or kind not in KINDS or not rest.strip():
        raise Complaint(f"a secret is not written here; write where it is: {', '.join(SOURCES)}")
