"""`topic judge`: judges the pages of a store by a topic."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.topic import ROUNDS
from hinterland.cli.topic.making import store_of
from hinterland.crawler.features.topics.files.judging import judged
from hinterland.crawler.features.topics.files.relaxing import WithNeighbours, with_neighbours
from hinterland.crawler.features.topics.files.topic_files import path_of, read_topic
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
    topic = read_topic(path)
    model, name = topic.model, path.stem
    store = store_of(arguments)
    if store is None:
        raise HinterlandError("judge needs the pages of a store: name it with --store FILE")
    by_neighbours = None
    with reading(store) as reader, ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        opened, before = file_of(store), reader.topics.topic()
        if before is not None and before.targets:
            raise HinterlandError(f"{store} is a crawl for files ({before.name}), whose pages are not judged by words")
        found: Sequence[JudgementRecord] = list(
            judged(reader, model, lambda done, of: progress.count("pages", done, of))
        )
        if arguments.relax and found:
            by_neighbours = _with_neighbours(reader, topic, found, arguments.rounds or ROUNDS)
            found = by_neighbours.judgements
    if not found:
        raise StoreUnusable(f"{store} holds no fetched page with text, so nothing can be judged")
    complaint = asyncio.run(written_back(store, opened, [TopicRecord(name, model.to_bytes()), *found]))
    if complaint:
        raise StoreUnusable(f"nothing was judged: {complaint}")
    relevant = sum(each.probability >= RELEVANT for each in found)
    output = Output(sys.stdout)
    output.write(
        f"{counted(len(found), 'page')} judged; {number(relevant)} of them ({relevant / len(found):.1%}) are probably"
        f" about {name}"
    )
    if by_neighbours is not None:
        output.write(_told(by_neighbours))
    if before is not None and before.name != name:
        output.write(f"they replace the judgements of {before.name}")
    output.write(f"next   {PROGRAM} index {store} --relevant")


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
