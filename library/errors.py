"""What the functions of the library raise when they cannot do what they were asked to."""

from __future__ import annotations

from collections.abc import Collection

from hinterland.crawler.loop.decisions.endings import EndReason


class HinterlandError(Exception):
    """The request cannot be carried out. The message says why, and what to do instead.

    exit_code: the one that a command ends with because of it.
    """

    exit_code = 2


class StoreUnusable(HinterlandError):
    """The store, or the index of one, is not what the request needs."""

    exit_code = 3


class NotBegun(HinterlandError):
    """The user stopped a crawl before it began."""

    def __init__(self, reason: EndReason) -> None:
        super().__init__("stopped before the crawl began")
        self.exit_code = reason.exit_code


class UnknownName(HinterlandError):
    """Nothing has the name. complaint: the message without what was probably meant."""

    def __init__(self, noun: str, given: str, known: Collection[str]) -> None:
        from hinterland.crawler.settings.near_names import with_nearest  # only now: brings all settings

        self.complaint = f'there is no {noun} "{given}"'
        super().__init__(with_nearest(self.complaint, given, known) if known else f"{self.complaint}, nor any other")


def require_known(noun: str, given: str, known: Collection[str]) -> None:
    """Raise UnknownName, with what was probably meant, if the name is not among the known ones."""
    if given not in known:
        raise UnknownName(noun, given, known)
