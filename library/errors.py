"""The exceptions of the library, raised when a request cannot be carried out."""

from __future__ import annotations

from collections.abc import Collection

from hinterland.crawler.loop.decisions.endings import EndReason


class HinterlandError(Exception):
    """The request cannot be carried out. The message says why, and what to do instead.

    `exit_code` is the exit code of a command that ends with this error.
    """

    exit_code = 2


class StoreUnusable(HinterlandError):
    """The store or its index cannot be used for the request."""

    exit_code = 3


class NotBegun(HinterlandError):
    """The user stopped a crawl before it began."""

    def __init__(self, reason: EndReason) -> None:
        """Take the reason why the crawl was stopped, which decides the exit code."""
        super().__init__("stopped before the crawl began")
        self.exit_code = reason.exit_code


class UnknownName(HinterlandError):
    """A name is unknown. `complaint` is the message without its suggestion of a known name."""

    def __init__(self, noun: str, given: str, known: Collection[str]) -> None:
        """Take the kind of thing (`noun`) and the unknown name. The message names the most similar known name."""
        from hinterland.crawler.settings.near_names import with_nearest  # only now: brings all settings

        self.complaint = f'there is no {noun} "{given}"'
        super().__init__(with_nearest(self.complaint, given, known) if known else f"{self.complaint}, nor any other")


def require_known(noun: str, given: str, known: Collection[str]) -> None:
    """Raise UnknownName, with a suggestion, if the name is not among the known names."""
    if given not in known:
        raise UnknownName(noun, given, known)
