"""What the arrays of a search index hold. Its numbers of pages have eight bytes: those of a graph have four."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LongArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
