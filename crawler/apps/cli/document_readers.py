"""Whether what reads the documents that the settings ask for is there."""

from __future__ import annotations

from crawler.apps.cli.exit_codes import CommandError
from crawler.parsing.documents.pdf import MissingReader
from crawler.parsing.documents.reading import prepare
from crawler.settings import Settings


def require_readers(settings: Settings) -> None:
    """Raises CommandError."""
    try:
        prepare(settings.fetching.documents)
    except MissingReader as error:
        raise CommandError(str(error)) from None
