"""Asks whether some pages of a store are about a topic, to check its judgements; nothing is learnt from the answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.cli.topic.keys import answers_from
from hinterland.crawler.features.topics.files.stored_pages import StoredPage, stored_page
from hinterland.crawler.features.topics.model.answered_bar import places_to_ask
from hinterland.library.text.wording import printable, shortened
from hinterland.storage.reading.reader import StoreReader

_ANSWERS: Final = {"y": True, "yes": True, "n": False, "no": False, "s": None, "skip": None, "": None}
_KEYS: Final = "y: about the topic, n: not, s: skip, q: enough"
_EXCERPT: Final = 300


def answers_about(
    reader: StoreReader, order: IntArray, questions: int, write: Callable[[str], None]
) -> dict[int, bool]:
    """Ask about pages of a store; return the answers by index in `order`, which has the likeliest page first.

    The questions come in random order, so that nobody can guess the expected answer. They end at q, or at the end of
    the input.
    """
    rng = np.random.default_rng(0)
    places = rng.permutation(places_to_ask(len(order), questions, rng)).tolist()
    found: dict[int, bool] = {}
    with answers_from(sys.stdin) as answers:
        for number, place in enumerate(places, 1):
            page = stored_page(reader, int(order[place]))
            if page is None:
                continue
            write(_question(page, number, len(places)))
            while True:
                answer = next(answers, "q").strip().lower()
                if answer in ("q", "quit"):
                    return found
                if answer in _ANSWERS:
                    break
                write(f"{printable(answer[:20])!r} is not an answer; {_KEYS}")
            is_about = _ANSWERS[answer]
            if is_about is not None:
                found[place] = is_about
    return found


def _question(page: StoredPage, number: int, questions: int) -> str:
    excerpt = shortened(printable(" ".join(page.excerpt.split())), _EXCERPT)
    title = printable(page.title) or "(no title)"
    return f"\n{number} of {questions}  {title}\n      {printable(page.url)}\n      {excerpt}\n{_KEYS}"
