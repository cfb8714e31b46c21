"""What pages and links say of the topic of a crawl, read in the parser processes."""

from __future__ import annotations

from typing import Final

TOPIC_READER: Final = f"{__name__}.topic_reader:topic_reader"
"""Where parser processes find what reads pages for a topic; it brings numpy, so it is imported there alone."""
