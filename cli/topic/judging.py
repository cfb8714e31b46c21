"""`topic judge`: judges the pages of a store by a topic."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.topic import ROUNDS
from hinterland.cli.topic.keys import answers_from
from hinterland.cli.topic.making import store_of
from hinterland.cli.topic.sample_questions import INTERVAL_SECONDS, SampleQuestions
from hinterland.crawler.features.topics.files.answered_judging import AnsweredJudging, Judged, judged_by_answers
from hinterland.crawler.features.topics.files.judging import Scores, learnt_again, scores_of
from hinterland.crawler.features.topics.files.relaxing import WithNeighbours, with_neighbours
from hinterland.crawler.features.topics.files.stored_pages import sampled_pages
from hinterland.crawler.features.topics.files.topic_files import path_of, read_topic
from hinterland.crawler.features.topics.model.bar import LEAST_PAGES, Bar, bar_at, estimated_share
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.graph_opening import graph_of
from hinterland.library.text.wording import counted, number
from hinterland.library.written_back import written_back
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_files import file_of
from hinterland.storage.values.topics import RELEVANT, JudgementRecord, TopicRecord


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
        with ProgressLine(sys.stderr, INTERVAL_SECONDS) as progress:
            drawn = sampled_pages(reader)
            trained = learnt_again(topic, drawn)
            model = topic.model if trained is None else trained.model
            scores = scores_of(reader, model, lambda done, of: progress.count("pages", done, of))
        if not len(scores.pages):
            raise StoreUnusable(f"{store} holds no fetched page with text, so nothing can be judged")
        space = None if trained is None else trained.space
        judged = _judged(arguments, reader, Judged(topic, drawn, model, scores, space), output)
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
    """A model, its log-odds of all pages, and the threshold (`bar`) from which a page is relevant.

    If `bar` is None, the threshold of the training applies. `told` says how the threshold was set.
    """

    model: TopicModel
    scores: Scores
    bar: Bar | None
    told: str


def _judged(arguments: Namespace, reader: StoreReader, judged: Judged, output: Output) -> Judging:
    """Return the judging with a threshold: from a given share, from answers of the user, or from an estimate."""
    model, scores = judged.model, judged.scores
    pages = len(scores.pages)
    if arguments.share is not None:
        told = f"the share is yours: --share {arguments.share:g}"
        return Judging(model, scores, bar_at(scores.log_odds, arguments.share), told)
    if pages < LEAST_PAGES:
        if arguments.ask:
            raise HinterlandError(f"--ask needs a store of at least {LEAST_PAGES} pages with text, not {pages}")
        told = f"{counted(pages, 'page')} say too little of how many are meant: this is a guess; --share sets it"
        return Judging(model, scores, None, told)
    if arguments.ask:
        with answers_from(sys.stdin) as answers:
            asked = SampleQuestions(reader, arguments.ask, answers, output.write)
            answered = judged_by_answers(judged, asked, arguments.ask)
        if answered is not None:
            return Judging(answered.model, answered.scores, answered.found.bar, _expected(answered))
    share = estimated_share(scores.log_odds, model.prior)
    told = (
        f"how many are meant ({share:.1%}) is a guess, and often wrong: --ask 20 asks about 20 pages, learns from the"
        " answers, and says how many of the relevant pages are right and how many are missed"
    )
    return Judging(model, scores, bar_at(scores.log_odds, share), told)


def _expected(answered: AnsweredJudging) -> str:
    of_each = (
        f"{name} {each.value:.0%} ({each.low:.0%} to {each.high:.0%})"
        for name, each in (("precision", answered.found.precision), ("recall", answered.found.recall))
    )
    told = f"by {counted(len(answered.answers), 'answer')} of yours: {', '.join(of_each)}"
    return f"{told}; {answered.note}" if answered.note else told


def _with_neighbours(
    reader: StoreReader, topic: Topic, judgements: Sequence[JudgementRecord], rounds: int
) -> WithNeighbours:
    """Correct judgements by the judgements of linked pages. Judgements that the user has made stay as they are."""
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
