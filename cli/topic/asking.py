"""`topic review`: asks in a terminal whether pages are about the topic."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator

from hinterland.cli.output import Output
from hinterland.cli.topic.keys import answers_from
from hinterland.cli.topic.making import store_of
from hinterland.crawler.features.topics.files.review_session import POOL, Question, ReviewSession
from hinterland.crawler.features.topics.files.stored_pages import sampled_pages
from hinterland.crawler.features.topics.files.topic_files import path_of
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, printable
from hinterland.storage.reading.opening import reading

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "s": None, "skip": None, "": None, " ": None}
_UNDO = ("u", "undo", "\x7f", "\b")
_HELP = ("?", "h", "help")
_KEYS = "y: about the topic, n: not, s: skip, u: undo, q: quit, ?: help"
_EXPLAINED = """\
  y  yes, the page is about the topic
  n  no, it is not
  s  skip the page; the space bar and Enter do the same
  u  undo the last answer and return to its page; as often as you like
  q  quit: every answer so far is in the topic's file already
The number is how likely the page is about the topic; "for" and "against" are the words that speak for and against it.
The pages that the topic is least sure of come first. Answer no if a page is mainly about something else."""
_SAID = {True: "yes", False: "no", None: "skipped"}
_EXCERPT = 300


def review(arguments: Namespace) -> None:
    """Ask about pages of a store until the user stops, and write the answers into the topic's file."""
    path = path_of(arguments.name)
    store = store_of(arguments)
    if store is None:
        raise HinterlandError("review asks about the pages of a store: name it with --store FILE")
    with reading(store) as reader:
        session = ReviewSession(path, sampled_pages(reader, POOL))
    output = Output(sys.stdout)
    with answers_from(sys.stdin) as answers:
        ask(session, output.write, answers)
    output.write(f"learnt from {counted(session.answers, 'answer')}, in {path}")


def ask(session: ReviewSession, write: Callable[[str], None], answers: Iterator[str]) -> None:
    """Ask until the answers end, an answer is q, or there is no page left to ask about.

    `answers` are keys or lines.
    """
    question = session.question()
    if question is None:
        write("there is no page to ask about: the store has none with text, or all have been judged")
    while question is not None:
        write("\n".join(_as_text(question)))
        write(_KEYS)
        while True:
            answer = next(answers, "q").strip("\r\n\t").lower()
            answer = answer.strip() or answer[:1]
            if answer in ("q", "quit"):
                return
            if answer in _HELP:
                write(_EXPLAINED)
            elif answer in _UNDO and session.undo():
                write("undone: the last answer was taken back")
                break
            elif answer in _UNDO:
                write("there is no answer to undo")
            elif answer in _ANSWERS:
                write(f"  {_SAID[_ANSWERS[answer]]}")
                if said := session.answer(question.page.url, _ANSWERS[answer]):
                    write(f"not learnt: {printable(said)}")
                break
            else:
                write(f"{printable(answer[:20])!r} is not an answer; {_KEYS}")
        question = session.question()


def _as_text(question: Question) -> Iterator[str]:
    yield ""
    yield f"{question.chance:.2f}  {printable(question.page.title) or '(no title)'}"
    yield f"      {printable(question.page.url)}"
    yield f"      {_cut_between_words(printable(' '.join(question.page.excerpt.split())))}"
    for name, reasons in (("for", question.speaking_for), ("against", question.against)):
        if reasons:
            yield f"      {name}: {printable(', '.join(reason.words for reason in reasons))}"


def _cut_between_words(text: str) -> str:
    if len(text) <= _EXCERPT:
        return text
    kept = text[:_EXCERPT].rpartition(" ")[0] or text[:_EXCERPT]
    return f"{kept.rstrip()} …"
