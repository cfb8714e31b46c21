"""Reads, in the parser processes, what pages and links say about the topic of a crawl."""

from __future__ import annotations

from typing import Final

TOPIC_READER: Final = f"{__name__}.topic_reader:topic_reader"
"""The "module:function" by which parser processes find the page reader. The module imports numpy, so nothing else
imports it.
"""
