"""Reviewing a topic in a browser: yes or no questions about the pages from which the topic learns most.

This is the only page by which a browser changes anything.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from dataclasses import dataclass

from aiohttp import web

from hinterland.crawler.features.topics.files.review_session import Question, ReviewSession
from hinterland.crawler.features.topics.files.topic_files import NoTopic
from hinterland.web.parameters import BadParameter
from hinterland.web.site import SITE

PATH = "/review"
_ANSWERS = {"yes": True, "no": False, "skip": None}


@dataclass(frozen=True, slots=True)
class Answered:
    """The last answer of the user; `said` is why the topic did not learn from it, "" if it did."""

    url: str
    title: str
    is_about: bool | None
    said: str


class Review:
    """A review session, which may be open in several tabs. Mutable: the session, its question and the last answer.

    An answer counts even if its page is no longer the current question. The form contains `token`, so that no other web
    page can send answers in the visitor's name.
    """

    def __init__(self, session: ReviewSession, *, body_seconds: float = 30.0) -> None:
        """Start with a session; forms must arrive within `body_seconds`."""
        self._session = session
        self.body_seconds = body_seconds
        self._one_at_a_time = asyncio.Lock()
        self._question: Question | None = None
        self._is_asked = False
        self.last: Answered | None = None
        self.token = secrets.token_urlsafe()

    @property
    def topic(self) -> str:
        """The name of the topic."""
        return self._session.topic.name

    @property
    def answers(self) -> int:
        """The number of answers so far."""
        return self._session.answers

    async def question(self) -> Question | None:
        """Return the current question; None if no page is left to ask about."""
        async with self._one_at_a_time:
            if not self._is_asked:
                self._question = await asyncio.to_thread(self._session.question)
                self._is_asked = True
            return self._question

    async def answer(self, url: str, is_about: bool | None) -> None:
        """Record an answer.

        Raises KeyError if the page does not belong to this session, and NoTopic if the answer cannot be stored.
        """
        async with self._one_at_a_time:
            page = self._session.page(url)
            said = await asyncio.to_thread(self._session.answer, url, is_about)
            self.last = Answered(url, page.title, is_about, said)
            self._is_asked = False


REVIEW = web.AppKey("review", Review)


async def show_review(request: web.Request) -> web.Response:
    """Show the current question."""
    review = _review(request)
    question = await review.question()
    return request.app[SITE].page(
        "review.html",
        topic=review.topic,
        question=question,
        answers=review.answers,
        last=review.last,
        token=review.token,
    )


async def take_answer(request: web.Request) -> web.Response:
    """Take an answer from the form."""
    review = _review(request)
    try:
        async with asyncio.timeout(review.body_seconds):
            form = {name: str(value) for name, value in (await request.post()).items()}
    except TimeoutError:
        raise web.HTTPRequestTimeout(text=f"The form did not arrive within {review.body_seconds:g} s.") from None
    if not hmac.compare_digest(form.get("token", "").encode(), review.token.encode()):
        raise web.HTTPForbidden(text="This form is from an earlier start of the server: reload the page.")
    if form.get("answer") not in _ANSWERS:
        raise BadParameter("answer has to be yes, no or skip")
    try:
        await review.answer(form.get("url", ""), _ANSWERS[form["answer"]])
    except KeyError:
        raise BadParameter("this page was not among the questions") from None
    except NoTopic as error:
        raise web.HTTPServiceUnavailable(text=f"The answer could not be stored: {error}") from error
    raise web.HTTPSeeOther(f"{request.app[SITE].root}{PATH}")


def _review(request: web.Request) -> Review:
    if REVIEW not in request.app:
        raise web.HTTPNotFound(text="Reviewing is off: start the server with --topic NAME.")
    return request.app[REVIEW]
