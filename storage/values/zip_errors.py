"""The exceptions of zipfile for files that it cannot read."""

from __future__ import annotations

import zipfile
import zlib
from typing import Final

ZIP_ERRORS: Final = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""RuntimeError stands for encrypted members and, since NotImplementedError is one, for unknown compressions."""
