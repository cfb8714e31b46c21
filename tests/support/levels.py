"""Two levels of a test: few rounds in regular runs, many in `python3 -m tests --thorough`.

What only many rounds find is rare. Every behaviour has a test in regular runs; tests marked `thorough` try it with more
pages, in other orders, or under other names.
"""

from __future__ import annotations

import os
from typing import Final

NAME: Final = "HINTERLAND_THOROUGH"
IS_THOROUGH: Final = os.environ.get(NAME) == "1"


def rounds(regular: int, thorough: int) -> int:
    """How often a test repeats what it does, or how many examples it draws."""
    return thorough if IS_THOROUGH else regular
