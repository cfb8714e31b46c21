"""The name of the table of pages that a login showed, for those who read it without a crawl."""

from __future__ import annotations

from typing import Final

TABLE: Final = "login"
