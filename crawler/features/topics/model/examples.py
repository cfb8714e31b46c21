"""What a classifier is trained on: pages somebody has judged, and pages nobody has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterland.crawler.features.topics.model.page_words import PageWordCounts


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page with somebody's word on whether it is about the topic. host: the scheme and authority of its URL, or a
    name of its own for a file; address: its URL, or the path of the file. is_given: False if it was chosen because it
    answers the words of the topic, which nobody has looked at.
    """

    page: PageWordCounts
    is_about: bool
    host: str
    address: str
    is_given: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Pages drawn by lot from the web that will be crawled, about whatever they are. hosts: parallel to pages."""

    pages: Sequence[PageWordCounts] = field(default_factory=list)
    hosts: Sequence[str] = field(default_factory=list)
