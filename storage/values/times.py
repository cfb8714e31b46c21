"""Spans of time, in seconds."""

from __future__ import annotations

from typing import Final

DAY: Final = 86_400.0
