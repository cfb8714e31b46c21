"""Records of the pages that a login showed, so that they can be left out of what others get to see."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from hinterland.crawler.features.credentials.login_table import TABLE
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.page_records import PageRecords
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.extraction import ExtractedRecord, ExtractionTable

_LOG = logging.getLogger(__name__)


class LoginRecords(PageRecords):
    """Stores by what each page was opened, such as "bearer"; pages that anybody gets leave no trace.

    A page is also opened by a login that was sent with a request of its scripts, since the page shows what they fetch.
    """

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The table of logins."""
        return [table_of_feature(TABLE, {"opened_by": "text"})]

    def __init__(self) -> None:
        """Start without any host that refuses a login."""
        self._refusing = set[str]()

    def visited(self, ended: Ended) -> None:
        """Store the record of a page, and say if its host refuses the login."""
        super().visited(ended)
        answer = ended.answer
        if isinstance(answer, Answer) and answer.login and answer.status in (401, 407):
            host = host_of(ended.url)
            if host not in self._refusing:
                self._refusing.add(host)
                _LOG.warning(
                    "%s refuses the login by %s: status %d for %s", host, answer.login, answer.status, ended.url
                )

    def records_of(
        self, page: int, answer: Answer | NoAnswer | None, digest: PageDigest | None, *, is_first: bool
    ) -> Sequence[ExtractedRecord]:
        """Return the record of a page that was read; a later version may need no login any more."""
        if not isinstance(answer, Answer) or digest is None or digest.page is None:
            return ()
        by_scripts = "" if digest.rendered is None else digest.rendered.opened_by
        kinds = dict.fromkeys(filter(None, (*answer.login.split("+"), *by_scripts.split("+"))))
        if not kinds:
            return () if is_first else [ExtractedRecord(page, TABLE, [])]
        return [ExtractedRecord(page, TABLE, [msgspec.json.encode({"opened_by": "+".join(kinds)}).decode()])]
