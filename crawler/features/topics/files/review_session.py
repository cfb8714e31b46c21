"""Asks a user about pages of a store, and learns from the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.crawler.features.topics.files.stored_pages import StoredPage, background_of
from hinterland.crawler.features.topics.files.topic_files import read_topic, write_topic
from hinterland.crawler.features.topics.model.describing import space_of, with_answers
from hinterland.crawler.features.topics.model.examples import Background
from hinterland.crawler.features.topics.model.reviewing import most_informative
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import Reason, probability
from hinterland.crawler.features.topics.model.training import CannotTrain

POOL: Final = 2_000
"""How many pages to draw at random for a session; it asks about the most informative of them."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a page.

    `chance` is P(topic | page) according to the model. `speaking_for` and `against` are the model's reasons.
    """

    page: StoredPage
    chance: float
    speaking_for: Sequence[Reason]
    against: Sequence[Reason]


@dataclass(frozen=True, slots=True)
class _Before:
    """The state of a session before the user answered about a page or skipped it, so that this can be undone."""

    url: str
    topic: Topic
    skipped: frozenset[str]


class ReviewSession:
    """Asks about pages of a store one by one. Every answer is written to the topic's file before the next question.

    Mutable: the topic, and which pages were asked about. Not thread-safe.
    """

    def __init__(self, path: Path, pages: Sequence[StoredPage]) -> None:
        """Review the topic in the file at `path` by questions about these pages. Raises NoTopic."""
        self._path = path
        self._pages = pages
        self.topic = read_topic(path)
        if not self.topic.background.pages and pages:
            background = background_of(pages)
            self.topic = Topic(
                self.topic.name,
                self.topic.words,
                self.topic.examples,
                Background(background.pages[:1_000], background.hosts[:1_000]),
                self.topic.model,
            )
        self._space = space_of(self.topic)
        self._skipped: set[str] = set()
        self._undoable: list[_Before] = []
        self._asked_again: StoredPage | None = None
        self.answers = 0

    def question(self) -> Question | None:
        """Return the page to ask about next, None if every page has been asked about.

        If an answer was undone, this is its page; otherwise it is the most informative page.
        """
        page = self._asked_again or self._most_informative()
        if page is None:
            return None
        for_it, against = self.topic.model.reasons(page.title, page.headings, page.excerpt)
        return Question(page, probability(self.topic.model.log_odds(page.words)), for_it, against)

    def _most_informative(self) -> StoredPage | None:
        given = [example for example in self.topic.examples if example.is_given]
        places = most_informative(
            self.topic.model,
            [page.words for page in self._pages],
            [page.host for page in self._pages],
            [page.url for page in self._pages],
            asked={*(example.address for example in given), *self._skipped},
            hosts_asked=[example.host for example in given],
        )
        return self._pages[places[0]] if places else None

    def undo(self) -> bool:
        """Undo the last answer or skip, so that its page is asked about again; return False if there is none.

        Raises NoTopic if the file cannot be written.
        """
        if not self._undoable:
            return False
        before = self._undoable.pop()
        self._skipped = set(before.skipped)
        self._asked_again = self.page(before.url)
        if before.topic is not self.topic:
            self.topic = before.topic
            write_topic(self.topic, self._path)
            self.answers -= 1
        return True

    def page(self, url: str) -> StoredPage:
        """Return the page of a URL. Raises KeyError if it is not in this session."""
        page = next((page for page in self._pages if page.url == url), None)
        if page is None:
            raise KeyError(url)
        return page

    def answer(self, url: str, is_about: bool | None) -> str:
        """Record whether a page is about the topic; None skips it. Return a message for the user, or "".

        Raises KeyError for a page that is not in this session, and NoTopic if the file cannot be written.
        """
        page = self.page(url)
        self._asked_again = None
        self._undoable.append(_Before(url, self.topic, frozenset(self._skipped)))
        if is_about is None:
            self._skipped.add(url)
            return ""
        try:
            described = with_answers(self.topic, [page.as_example(is_about=is_about)], self._space)
        except CannotTrain as error:
            self._skipped.add(url)
            return str(error)
        self.topic = described.topic
        write_topic(self.topic, self._path)
        self.answers += 1
        return ""
