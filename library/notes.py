"""The default place of notes and warnings if a program does not ask for them: the logger "hinterland"."""

from __future__ import annotations

import logging
from typing import Final

_LOG: Final = logging.getLogger("hinterland")


def noted(text: str) -> None:
    """Log what is being done."""
    _LOG.info(text)


def warned(text: str) -> None:
    """Log what the user should know or correct."""
    _LOG.warning(text)
