"""Makes the requests of logins, each as a task of its host that takes turns with the host's pages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

from hinterland.crawler.features.sessions.login import Login, LoginAnswer, LoginState
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content
from hinterland.crawler.fetching.verdicts import REDIRECTS, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of

_LOG = logging.getLogger(__name__)
MOST_BYTES: Final = 1_000_000
"""How much of a page is read to find a form or a text in it, decompressed."""
_LIMITS: Final = BodyLimits(None, MOST_BYTES, cut=True)


class LoginVisits:
    """Makes the requests of logins, one at a time."""

    def __init__(self, logins: Mapping[str, Login], workings: Workings, ended: Callable[[str], None]) -> None:
        """Make the requests of `logins`, which maps hosts, such as "https://a.example", to their logins.

        `ended` is called with the host after each request.
        """
        self._logins = logins
        self._workings = workings
        self._ended = ended
        self._canonicaliser = workings.components.canonicaliser

    async def carry_out(self, visit: Visit) -> None:
        """Make the next request of the login at a host."""
        workings, now = self._workings, self._workings.io.now
        assert visit.host_task is not None
        host = host_of(visit.host_task.url)
        login = self._logins[host]
        request = login.request()
        try:
            answer = await workings.visits.fetched(visit, request.url, _LIMITS, form=request.form)
        finally:
            self._ended(host)
        if answer is None:  # the connection had been closed; the task is sent once more
            workings.schedule()
            return
        verdict = judge(answer, request.url, self._canonicaliser)
        records = workings.attribution.probe_answered(visit, verdict, answer, now())
        if isinstance(answer, Answer):
            login.answered(login_answer(answer, request.url, self._canonicaliser))
        else:
            login.failed()
        self._tell(login)
        self._ended(host)
        workings.schedule()
        await workings.io.writer.submit(*records)

    def give_up(self, visit: Visit, now: float) -> None:
        """Give up a request after an unexpected error."""
        if self._workings.components.frontier.is_under_way(visit):
            self._workings.components.frontier.broken_off(visit, now)
        assert visit.host_task is not None
        host = host_of(visit.host_task.url)
        self._logins[host].failed()
        self._ended(host)

    def _tell(self, login: Login) -> None:
        if login.state is LoginState.GIVEN_UP:
            _LOG.warning("the login at %s failed: %s; the crawl goes on without it", login.of.page, login.problem)
        elif login.state is LoginState.IN:
            _LOG.info("logged in at %s", login.of.page)


def login_answer(answer: Answer | NoAnswer, url: str, canonicaliser: Canonicaliser) -> LoginAnswer:
    """Convert an answer into the form that `Login` takes. The status is 0 if there was no answer."""
    if isinstance(answer, NoAnswer):
        return LoginAnswer(0)
    target = None
    if answer.status in REDIRECTS and answer.location is not None:
        target = canonicaliser.canonical(answer.location, url)
    return LoginAnswer(answer.status, target, _text_of(answer))


def _text_of(answer: Answer) -> str:
    body = answer.body or answer.unwanted
    try:
        body = decode_content(body, answer.content_encoding, MOST_BYTES)
    except ContentDecodingError:
        return ""
    return body[:MOST_BYTES].decode("utf-8", "replace")
