"""Asks the user whether some pages of a store are about a topic, to learn from the answers and check the model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Final

from hinterland.cli.progress_line import ProgressLine
from hinterland.crawler.features.topics.files.judging import Scores, scores_by_words, scores_of, words_of_pages
from hinterland.crawler.features.topics.files.stored_pages import StoredPage, stored_page
from hinterland.crawler.features.topics.model.page_words import PageWordCounts
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.library.text.wording import printable, shortened
from hinterland.storage.reading.reader import StoreReader

_ANSWERS: Final = {"y": True, "yes": True, "n": False, "no": False, "s": None, "skip": None, "": None}
_KEYS: Final = "y: about the topic, n: not, s: skip, q: enough"
_EXCERPT: Final = 300
INTERVAL_SECONDS: Final = 1.0
"""How often progress is shown."""


class SampleQuestions:
    """The pages of a store, and the user who is asked about some of them.

    `questions` is the maximum number of questions. While pages are judged, progress is shown. The words of a sample are
    read once and kept, so that later models judge the sample in a second.
    """

    def __init__(
        self, reader: StoreReader, questions: int, answers: Iterator[str], write: Callable[[str], None]
    ) -> None:
        """Take the reader of the store, the maximum number of questions, and the user's answers: keys or lines.

        `write` shows a text to the user.
        """
        self._reader, self._questions, self._answers, self._write = reader, questions, answers, write
        self._pages: dict[int, StoredPage] = {}
        self._sample: list[tuple[int, PageWordCounts]] = []
        self._asked = 0
        self._has_ended = False

    @property
    def has_ended(self) -> bool:
        """Whether the user will give no more answers."""
        return self._has_ended

    def answer(self, page: int) -> bool | None:
        """Ask whether a page is about the topic. Return None if the user skips the page or ends the questions."""
        stored = stored_page(self._reader, page)
        if stored is None:
            return None
        self._asked += 1
        self._pages[page] = stored
        self._write(_question(stored, self._asked, self._questions))
        while True:
            answer = next(self._answers, "q").strip().lower()
            if answer in ("q", "quit"):
                self._has_ended = True
                return None
            if answer in _ANSWERS:
                return _ANSWERS[answer]
            self._write(f"{printable(answer[:20])!r} is not an answer; {_KEYS}")

    def page(self, page: int) -> StoredPage:
        """Return a page about which the user was asked."""
        return self._pages[page]

    def scores(self, model: TopicModel, most: int | None = None) -> Scores:
        """Return the log-odds of all pages of the store or, with `most`, of a random sample of `most` pages."""
        with ProgressLine(sys.stderr, INTERVAL_SECONDS) as progress:

            def report(done: int, of: int) -> None:
                progress.count("pages", done, of)

            if most is None:
                return scores_of(self._reader, model, report)
            if not self._sample:
                self._sample = list(words_of_pages(self._reader, model, report, most))
        return scores_by_words(self._sample, model)


def _question(page: StoredPage, number: int, questions: int) -> str:
    excerpt = shortened(printable(" ".join(page.excerpt.split())), _EXCERPT)
    title = printable(page.title) or "(no title)"
    return f"\n{number} of {questions}  {title}\n      {printable(page.url)}\n      {excerpt}\n{_KEYS}"
