"""Whether what reads the documents that the settings ask for is there."""

from __future__ import annotations

from hinterland.cli.exit_codes import CommandError
from hinterland.crawler.parsing.documents.pdf import MissingReader
from hinterland.crawler.parsing.documents.reading import prepare
from hinterland.crawler.settings import Settings


def require_readers(settings: Settings) -> None:
    """Raises CommandError."""
    try:
        prepare(settings.fetching.documents)
    except MissingReader as error:
        raise CommandError(str(error)) from None
