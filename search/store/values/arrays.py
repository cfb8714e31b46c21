"""Array types of the search index.

Page numbers have eight bytes here; the page numbers of a graph have four.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LongArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
