"""`topic judge`: judges the pages of a store by a topic."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

import numpy as np

from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.topic import ROUNDS
from hinterland.cli.topic.making import store_of
from hinterland.cli.topic.sample_questions import answers_about
from hinterland.crawler.features.topics.files.judging import Scores, model_for, scores_of
from hinterland.crawler.features.topics.files.relaxing import WithNeighbours, with_neighbours
from hinterland.crawler.features.topics.files.stored_pages import sampled_pages
from hinterland.crawler.features.topics.files.topic_files import path_of, read_topic
from hinterland.crawler.features.topics.model.answered_bar import AnsweredBar, answered_bar
from hinterland.crawler.features.topics.model.bar import LEAST_PAGES, Bar, bar_at, estimated_share
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.graph_opening import graph_of
from hinterland.library.text.wording import counted, number
from hinterland.library.written_back import written_back
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_files import file_of
from hinterland.storage.values.topics import RELEVANT, JudgementRecord, TopicRecord

_INTERVAL_SECONDS: Final = 1.0


def judge(arguments: Namespace) -> None:
    """Judge all pages of a store, and make this topic the topic of the store.

    All judgements are written at once, so judgements by two topics never mix.
    """
    path = path_of(arguments.name)
    topic, name = read_topic(path), path.stem
    store = store_of(arguments)
    if store is None:
        raise HinterlandError("judge needs the pages of a store: name it with --store FILE")
    output = Output(sys.stdout)
    by_neighbours = None
    with reading(store) as reader:
        opened, before = file_of(store), reader.topics.topic()
        if before is not None and before.targets:
            raise HinterlandError(f"{store} is a crawl for files ({before.name}), whose pages are not judged by words")
        with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
            model = model_for(topic, sampled_pages(reader))
            scores = scores_of(reader, model, lambda done, of: progress.count("pages", done, of))
        if not len(scores.pages):
            raise StoreUnusable(f"{store} holds no fetched page with text, so nothing can be judged")
        bar, told = _bar(arguments, reader, scores, model.prior, output)
        found: Sequence[JudgementRecord] = scores.judgements(bar)
        if arguments.relax:
            by_neighbours = _with_neighbours(reader, topic, found, arguments.rounds or ROUNDS)
            found = by_neighbours.judgements
    model = model if bar is None else bar.on(model)
    complaint = asyncio.run(written_back(store, opened, [TopicRecord(name, model.to_bytes()), *found]))
    if complaint:
        raise StoreUnusable(f"nothing was judged: {complaint}")
    relevant = sum(each.probability >= RELEVANT for each in found)
    output.write(
        f"{counted(len(found), 'page')} judged; {number(relevant)} of them ({relevant / len(found):.1%}) are probably"
        f" about {name}"
    )
    if by_neighbours is not None:
        output.write(_told(by_neighbours))
    output.write(told)
    if before is not None and before.name != name:
        output.write(f"they replace the judgements of {before.name}")
    output.write(f"next   {PROGRAM} index {store} --relevant")


def _bar(
    arguments: Namespace, reader: StoreReader, scores: Scores, prior: float, output: Output
) -> tuple[Bar | None, str]:
    """Return the bar from which on pages are relevant, None to leave it where training put it; and how it was set."""
    pages = len(scores.pages)
    if arguments.share is not None:
        return bar_at(scores.log_odds, arguments.share), f"the share is yours: --share {arguments.share:g}"
    if pages < LEAST_PAGES:
        if arguments.ask:
            raise HinterlandError(f"--ask needs a store of at least {LEAST_PAGES} pages with text, not {pages}")
        return None, f"{counted(pages, 'page')} say too little of how many are meant: this is a guess; --share sets it"
    if arguments.ask:
        order = scores.pages[np.argsort(-scores.log_odds, kind="stable")]
        answers = answers_about(reader, order, arguments.ask, output.write)
        if answers:
            found = answered_bar(scores.log_odds, list(answers), np.array(list(answers.values())))
            return found.bar, _expected(found, len(answers))
    share = estimated_share(scores.log_odds, prior)
    return bar_at(scores.log_odds, share), (
        f"how many are meant ({share:.1%}) is a guess: --ask 20 asks about 20 pages, sets this right, and says how"
        " many of the relevant pages are right and how many are missed"
    )


def _expected(found: AnsweredBar, answers: int) -> str:
    of_each = (
        f"{name} {each.value:.0%} ({each.low:.0%} to {each.high:.0%})"
        for name, each in (("precision", found.precision), ("recall", found.recall))
    )
    return f"by {counted(answers, 'answer')} of yours: {', '.join(of_each)}"


def _with_neighbours(
    reader: StoreReader, topic: Topic, judgements: Sequence[JudgementRecord], rounds: int
) -> WithNeighbours:
    """Correct judgements by those of linked pages; judgements that the user has made are kept."""
    given = ((reader.pages.number_of(each.address), each.is_about) for each in topic.examples if each.is_given)
    known = {number: is_about for number, is_about in given if number is not None}
    return with_neighbours(judgements, graph_of(reader, with_names=False).crawled.links, known, max_rounds=rounds)


def _told(by_neighbours: WithNeighbours) -> str:
    rounds = counted(by_neighbours.rounds, "round")
    return (
        f"corrected by linked pages: {number(by_neighbours.gained)} more are relevant than by their words,"
        f" {number(by_neighbours.lost)} are no longer; "
        + (f"stable after {rounds}" if by_neighbours.is_stable else f"{rounds}, not stable yet")
    )
