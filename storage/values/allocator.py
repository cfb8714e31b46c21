"""Where columns of very many rows are read into: in memory, or in files of whoever asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Allocator = Callable[[int, type[np.generic]], NDArray[Any]]
"""Makes room for so many numbers of a kind, all 0."""
