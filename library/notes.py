"""Logs notes and warnings to the logger "hinterland", unless a program passes functions of its own."""

from __future__ import annotations

import logging
from typing import Final

_LOG: Final = logging.getLogger("hinterland")


def noted(text: str) -> None:
    """Log a note that says what is being done."""
    _LOG.info(text)


def warned(text: str) -> None:
    """Log a warning that the user should know or act on."""
    _LOG.warning(text)
