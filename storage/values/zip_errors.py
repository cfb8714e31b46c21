"""The exceptions of zipfile for files that it cannot read."""

from __future__ import annotations

import zipfile
import zlib
from typing import Final

ZIP_ERRORS: Final = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""RuntimeError covers encrypted members and, by its subclass NotImplementedError, unknown compression methods."""
