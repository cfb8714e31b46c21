"""`topic review`: yes or no to pages, in a terminal."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator

from crawler.apps.cli.exit_codes import CommandError
from crawler.apps.cli.output import Output
from crawler.apps.cli.topic.making import store_of
from crawler.apps.text.wording import counted, printable, shortened
from crawler.apps.topics.review_session import POOL, Question, ReviewSession
from crawler.apps.topics.stored_pages import drawn_by_lot
from crawler.apps.topics.topic_files import path_of
from storage.reading.opening import reading

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "s": None, "skip": None, "": None}
_EXCERPT = 300


def review(arguments: Namespace) -> None:
    path = path_of(arguments.name)
    store = store_of(arguments)
    if store is None:
        raise CommandError("review asks about the pages of a store: name it with --store FILE")
    with reading(store) as reader:
        session = ReviewSession(path, drawn_by_lot(reader, POOL))
    output = Output(sys.stdout)
    ask(session, output.write, sys.stdin)
    output.write(f"{counted(session.answers, 'answer')} learnt from, in {path}")


def ask(session: ReviewSession, write: Callable[[str], None], lines: Iterator[str]) -> None:
    """Until the lines end, one says q, or every page was asked about."""
    question = session.question()
    if question is None:
        write("there is no page to ask about: the store has none with text, or all have been judged")
    while question is not None:
        write("\n".join(_as_text(question)))
        write("y: about the topic, n: not, s: skip, q: enough")
        answer = next(lines, "q").strip().lower()
        if answer in ("q", "quit"):
            return
        if answer not in _ANSWERS:
            write(f"{printable(answer[:20])!r} is no answer")
            continue
        if said := session.answer(question.page.url, _ANSWERS[answer]):
            write(f"not learnt: {printable(said)}")
        question = session.question()


def _as_text(question: Question) -> Iterator[str]:
    yield ""
    yield f"{question.chance:.2f}  {printable(question.page.title) or '(no title)'}"
    yield f"      {printable(question.page.url)}"
    yield f"      {shortened(printable(' '.join(question.page.excerpt.split())), _EXCERPT)}"
    for name, reasons in (("for", question.speaking_for), ("against", question.against)):
        if reasons:
            yield f"      {name}: {printable(', '.join(reason.words for reason in reasons))}"
