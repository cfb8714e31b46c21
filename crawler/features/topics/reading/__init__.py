"""What pages and links say about the topic of a crawl, read in the parser processes."""

from __future__ import annotations

from typing import Final

TOPIC_READER: Final = f"{__name__}.topic_reader:topic_reader"
"""Where parser processes find what reads pages for a topic. It imports numpy, so nothing else imports it."""
