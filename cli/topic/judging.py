"""`topic judge`: judges the pages of a store by a topic."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.topic import ROUNDS
from hinterland.cli.topic.making import store_of
from hinterland.cli.topic.sample_questions import answers_about
from hinterland.crawler.features.topics.files.judging import Scores, learnt_again, scores_of
from hinterland.crawler.features.topics.files.relaxing import WithNeighbours, with_neighbours
from hinterland.crawler.features.topics.files.stored_pages import StoredPage, sampled_pages, stored_page
from hinterland.crawler.features.topics.files.topic_files import path_of, read_topic
from hinterland.crawler.features.topics.model.answered_bar import AnsweredBar, answered_bar, places_of
from hinterland.crawler.features.topics.model.bar import LEAST_PAGES, Bar, bar_at, estimated_share
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training import CannotTrain
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.graph_opening import graph_of
from hinterland.library.text.wording import counted, number
from hinterland.library.written_back import written_back
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_files import file_of
from hinterland.storage.values.records import IntArray
from hinterland.storage.values.topics import RELEVANT, JudgementRecord, TopicRecord

_INTERVAL_SECONDS: Final = 1.0


def judge(arguments: Namespace) -> None:
    """Judge all pages of a store, and make this topic the topic of the store.

    All judgements are written in one transaction, so judgements by two topics never mix.
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
            drawn = sampled_pages(reader)
            trained = learnt_again(topic, drawn)
            model = topic.model if trained is None else trained.model
            scores = scores_of(reader, model, lambda done, of: progress.count("pages", done, of))
        if not len(scores.pages):
            raise StoreUnusable(f"{store} holds no fetched page with text, so nothing can be judged")
        judged = _judged(arguments, reader, Judging(topic, drawn, model, scores), output)
        found: Sequence[JudgementRecord] = judged.scores.judgements(judged.bar)
        if arguments.relax:
            by_neighbours = _with_neighbours(reader, topic, found, arguments.rounds or ROUNDS)
            found = by_neighbours.judgements
    model = judged.model if judged.bar is None else judged.bar.on(judged.model)
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
    output.write(judged.told)
    if before is not None and before.name != name:
        output.write(f"they replace the judgements of {before.name}")
    output.write(f"next   {PROGRAM} index {store} --relevant")


@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """What is needed to judge the pages of a store: a topic, a random sample of pages, a model, and its results.

    `bar` is the threshold of relevance; without it, the threshold from the training applies. `told` says how the bar
    was set.
    """

    topic: Topic
    drawn: Sequence[StoredPage]
    model: TopicModel
    scores: Scores
    bar: Bar | None = None
    told: str = ""


def _judged(arguments: Namespace, reader: StoreReader, judging: Judging, output: Output) -> Judging:
    """Return the judging with a bar, set by the given share, by answers of the user, or by an estimate."""
    scores = judging.scores
    pages = len(scores.pages)
    if arguments.share is not None:
        told = f"the share is yours: --share {arguments.share:g}"
        return replace(judging, bar=bar_at(scores.log_odds, arguments.share), told=told)
    if pages < LEAST_PAGES:
        if arguments.ask:
            raise HinterlandError(f"--ask needs a store of at least {LEAST_PAGES} pages with text, not {pages}")
        told = f"{counted(pages, 'page')} say too little of how many are meant: this is a guess; --share sets it"
        return replace(judging, told=told)
    if arguments.ask:
        order = scores.pages[np.argsort(-scores.log_odds, kind="stable")]
        answers = answers_about(reader, order, arguments.ask, output.write)
        if answers:
            return _by_answers(reader, judging, order, answers)
    share = estimated_share(scores.log_odds, judging.model.prior)
    told = (
        f"how many are meant ({share:.1%}) is a guess, and often wrong: --ask 20 asks about 20 pages, learns from the"
        " answers, and says how many of the relevant pages are right and how many are missed"
    )
    return replace(judging, bar=bar_at(scores.log_odds, share), told=told)


def _by_answers(reader: StoreReader, judging: Judging, order: IntArray, answers: Mapping[int, bool]) -> Judging:
    """Return the judging with the bar that fits the answers; its model learns from them if they are likelier then.

    `answers` are keyed by the index of the page in `order`. To compare, models are trained without the hosts of the
    asked pages, since a model that has learnt from a page is too sure of it.
    """
    places, is_about = list(answers), np.array(list(answers.values()))
    found = answered_bar(judging.scores.log_odds, places, is_about)
    pages = [stored_page(reader, int(order[place])) for place in places]
    examples = [page.as_example(is_about=answers[place]) for page, place in zip(pages, places, strict=True) if page]
    try:
        trained, note = learnt_again(judging.topic, judging.drawn, examples), ""
    except CannotTrain as error:
        trained, note = None, f"; nothing is learnt from them: {error}"
    if trained is not None:
        with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
            scores = scores_of(reader, trained.model, lambda done, of: progress.count("pages", done, of))
        held_out = places_of(trained.held_out_log_odds(len(examples)), scores.log_odds)
        learnt = answered_bar(scores.log_odds, held_out, is_about)
        if learnt.evidence > found.evidence:
            judging, found = replace(judging, model=trained.model, scores=scores), learnt
        else:
            note = "; nothing is learnt from them, as other sites would be judged worse"
    return replace(judging, bar=found.bar, told=_expected(found, len(answers)) + note)


def _expected(found: AnsweredBar, answers: int) -> str:
    of_each = (
        f"{name} {each.value:.0%} ({each.low:.0%} to {each.high:.0%})"
        for name, each in (("precision", found.precision), ("recall", found.recall))
    )
    return f"by {counted(answers, 'answer')} of yours: {', '.join(of_each)}"


def _with_neighbours(
    reader: StoreReader, topic: Topic, judgements: Sequence[JudgementRecord], rounds: int
) -> WithNeighbours:
    """Correct judgements by the judgements of linked pages; judgements that the user has made are kept."""
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
