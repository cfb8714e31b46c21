"""Marks the pages and files of a store that a login opened, so that they can be hidden from others."""

from __future__ import annotations

import logging
import re
from typing import Final

from hinterland.crawler.fetching.access.access import CombinedAccess
from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES
from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.verdicts import REDIRECTS
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.opened import Opened, OpenToAll

_LOG = logging.getLogger(__name__)
_LOGIN_PAGE: Final = re.compile(r"(?i)\b(?:log|sign)[-_]?(?:in|on)\b|[/.]sso\b|\bauth(?:orize|enticate|\b)|/anmeld")
"""Matches URLs of login pages."""
_SHOWN_CHARACTERS: Final = 200


class MarksOpened(Feature):
    """Marks every URL that was requested with a login, whether it is a page or another file.

    A mark is submitted as soon as the answer begins, so the store has the mark before anything found in the answer. A
    page is also marked if its scripts made a request with a login, because the page shows what they fetched.
    """

    def __init__(self, provider: CombinedAccess, *, has_marks: bool) -> None:
        """Let `provider`, which chooses the logins of requests, report every request that was sent with a login.

        `has_marks` says whether earlier runs have marked anything.
        """
        self._provider = provider
        self._has_marks = has_marks
        self._taking, self._refusing = set[str](), set[str]()
        self._writer: RecordWriter

    def open(self, workings: Workings) -> None:
        """Begin to mark pages."""
        self._writer = workings.io.writer
        self._provider.on_opened = self._opened

    def _opened(self, url: str, login: str) -> None:
        self._has_marks = True
        self._writer.submit(Opened(url, login))

    def visited(self, ended: Ended) -> None:
        """Mark a page whose scripts used a login, and warn if its host refuses the login."""
        if not self._has_marks:
            return
        if not ended.is_revisit:
            self._mark(ended)
        answer = ended.answer
        if isinstance(answer, Answer) and answer.login:
            self._tell(ended.url, answer)

    def replaced(self, ended: Ended) -> None:
        """Mark a new version of a page, or note that it needs no login any more."""
        if self._has_marks:
            self._mark(ended)

    def _mark(self, ended: Ended) -> None:
        answer, digest = ended.answer, ended.digest
        if not isinstance(answer, Answer) or digest is None or digest.page is None:
            return
        by_scripts = "" if digest.rendered is None else digest.rendered.opened_by
        kinds = dict.fromkeys(filter(None, (*answer.login.split("+"), *by_scripts.split("+"))))
        if by_scripts:
            ended.after.append(Opened(ended.url, "+".join(kinds)))
        elif not kinds:
            ended.after.append(OpenToAll(ended.url))

    def _tell(self, url: str, answer: Answer) -> None:
        """Warn if a host refuses the login, once for each host."""
        host = host_of(url)
        if 200 <= answer.status < 300:
            self._taking.add(host)
        if host in self._refusing:
            return
        if answer.status in (401, 407) or (answer.status == 403 and host not in self._taking):
            self._refusing.add(host)
            _LOG.warning("%s refuses the login by %s: status %d for %s", host, answer.login, answer.status, url)
        elif answer.status in REDIRECTS and answer.location is not None and _LOGIN_PAGE.search(answer.location):
            self._refusing.add(host)
            _LOG.warning(
                "%s may no longer accept the login by %s: %s redirects to %s, which looks like a login page",
                host, answer.login, url,
                HIDDEN_VALUES.hide(answer.location[:_SHOWN_CHARACTERS]),
            )  # fmt: skip
