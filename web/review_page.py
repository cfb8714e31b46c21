"""Yes and no to pages about which a topic knows least, in a browser: the one page that changes something."""

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
    """said: why it was not learnt from, or ""."""

    url: str
    title: str
    is_about: bool | None
    said: str


class Review:
    """A session that many tabs may have open: an answer to a page that is not asked about any more counts as well.

    Mutable: the session, what it asks now, what was answered last. token: stands in the form, so that no page of the
    web can answer in a visitor's name. body_seconds: how long an answer is waited for whose request has begun.
    """

    def __init__(self, session: ReviewSession, *, body_seconds: float = 30.0) -> None:
        self._session = session
        self.body_seconds = body_seconds
        self._one_at_a_time = asyncio.Lock()
        self._question: Question | None = None
        self._is_asked = False
        self.last: Answered | None = None
        self.token = secrets.token_urlsafe()

    @property
    def topic(self) -> str:
        return self._session.topic.name

    @property
    def answers(self) -> int:
        return self._session.answers

    async def question(self) -> Question | None:
        """None if every page has been asked about."""
        async with self._one_at_a_time:
            if not self._is_asked:
                self._question = await asyncio.to_thread(self._session.question)
                self._is_asked = True
            return self._question

    async def answer(self, url: str, is_about: bool | None) -> None:
        """Raises KeyError for a page not of this session, NoTopic if the answer cannot be kept."""
        async with self._one_at_a_time:
            page = self._session.page(url)
            said = await asyncio.to_thread(self._session.answer, url, is_about)
            self.last = Answered(url, page.title, is_about, said)
            self._is_asked = False


REVIEW = web.AppKey("review", Review)


async def show_review(request: web.Request) -> web.Response:
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
    review = _review(request)
    try:
        async with asyncio.timeout(review.body_seconds):
            form = {name: str(value) for name, value in (await request.post()).items()}
    except TimeoutError:
        raise web.HTTPRequestTimeout(text=f"The form did not come within {review.body_seconds:g} s.") from None
    if not hmac.compare_digest(form.get("token", "").encode(), review.token.encode()):
        raise web.HTTPForbidden(text="This form is of another run of the server: load the page again.")
    if form.get("answer") not in _ANSWERS:
        raise BadParameter("an answer is yes, no or skip")
    try:
        await review.answer(form.get("url", ""), _ANSWERS[form["answer"]])
    except KeyError:
        raise BadParameter("this page is not one that was asked about") from None
    except NoTopic as error:
        raise web.HTTPServiceUnavailable(text=f"The answer could not be kept: {error}") from error
    raise web.HTTPSeeOther(f"{request.app[SITE].root}{PATH}")


def _review(request: web.Request) -> Review:
    if REVIEW not in request.app:
        raise web.HTTPNotFound(text="No topic is reviewed here: start the server with --topic NAME.")
    return request.app[REVIEW]
