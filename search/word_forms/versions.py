"""The two ways in which versions are written: `v2.0-rc1` and `2.0-rc1`. Pure."""

from __future__ import annotations

import re
from string import punctuation
from typing import Final

_VERSION: Final = re.compile(r"[vV]?\d+(?:\.\d+)+\w*(?:[-+~.]\w+)*")


def other_form(text: str) -> str:
    """Return a version without its "v" or, if it has none, with a "v"; "" for anything but versions."""
    version = text.strip(punctuation)
    if not _VERSION.fullmatch(version):
        return ""
    return version[1:] if version[0] in "vV" else f"v{version}"
