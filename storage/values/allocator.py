"""The functions that allocate large arrays: in memory, or in files of the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Allocator = Callable[[int, type[np.generic]], NDArray[Any]]
"""Returns a zeroed array of the given length and type."""
