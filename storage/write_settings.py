"""How connections that write to a store are set up."""

from __future__ import annotations

from typing import Final

LOG_BYTES: Final = 64_000_000
"""The write-ahead log is cut to this length when it begins again after a larger transaction."""

WRITE_SETTINGS: Final = ("PRAGMA secure_delete = OFF", f"PRAGMA journal_size_limit = {LOG_BYTES}")
"""Execute these on every connection that writes.

SQLite of Debian and Ubuntu is built to overwrite what is deleted with zeros. So it writes each freed page to the log
and then to the file: 207 MB to drop an index of 13.8 million links, 0.2 MB without.
"""
