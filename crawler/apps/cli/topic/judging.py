"""`topic judge`: the pages of a store judged anew, or for the first time."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from typing import Final

from crawler.apps.cli.exit_codes import STORE, CommandError
from crawler.apps.cli.output import Output
from crawler.apps.cli.progress_line import ProgressLine
from crawler.apps.cli.topic.making import store_of
from crawler.apps.cli.written_back import written_back
from crawler.apps.text.next_commands import RUN
from crawler.apps.text.wording import counted, number
from crawler.apps.topics.judging import judged
from crawler.apps.topics.topic_files import path_of, read_topic
from storage.reading.opening import reading
from storage.store_files import file_of
from storage.values.topics import TopicRecord

_INTERVAL_SECONDS: Final = 1.0
_RELEVANT: Final = 0.5


def judge(arguments: Namespace) -> None:
    """The topic becomes that of the store. All judgements are written at once, so those of two topics never mix."""
    topic = path_of(arguments.name)
    model = read_topic(topic).model
    store = store_of(arguments)
    if store is None:
        raise CommandError("judge looks at the pages of a store: name it with --store FILE")
    with reading(store) as reader, ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        opened, before = file_of(store), reader.topics.topic()
        if before is not None and before.targets:
            raise CommandError(f"{store} is a crawl for files ({before.name}), whose pages are not judged by words")
        found = list(judged(reader, model, lambda done, of: progress.count("pages", done, of)))
    if not found:
        raise CommandError(f"{store} holds no fetched page with text, so nothing can be judged", STORE)
    complaint = asyncio.run(written_back(store, opened, [TopicRecord(topic.stem, model.to_bytes()), *found]))
    if complaint:
        raise CommandError(f"nothing was judged: {complaint}", STORE)
    relevant = sum(each.probability >= _RELEVANT for each in found)
    output = Output(sys.stdout)
    output.write(
        f"{counted(len(found), 'page')} judged; {number(relevant)} of them ({relevant / len(found):.1%}) are probably"
        f" about {topic.stem}"
    )
    if before is not None and before.name != topic.stem:
        output.write(f"they had been judged by {before.name}")
    output.write(f"next   {RUN} index {store} --relevant")
