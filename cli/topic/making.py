"""`topic new`: makes a topic from words, pages and a store."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from hinterland.cli.command_parser import DEFAULT_STORE
from hinterland.cli.output import Output
from hinterland.cli.settings_sources import settings_of
from hinterland.cli.topic.example_sources import example_sources
from hinterland.crawler.features.topics.files.embedding_files import read_embeddings
from hinterland.crawler.features.topics.files.stored_pages import (
    StoredPage,
    background_of,
    pages_at,
    sampled_pages,
    titled,
)
from hinterland.crawler.features.topics.files.topic_files import path_of, write_topic
from hinterland.crawler.features.topics.model.describing import describe
from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_rows import row_space
from hinterland.crawler.features.topics.model.words import plain_words
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, printable
from hinterland.storage.reading.opening import reading


def store_of(arguments: Namespace) -> Path | None:
    """Return the store that the arguments name, or else the default store of this folder if it exists."""
    if arguments.store:
        return Path(arguments.store)
    return Path(DEFAULT_STORE) if Path(DEFAULT_STORE).is_file() else None


def make(arguments: Namespace) -> None:
    """Make a topic and write its file. Raises HinterlandError, and errors that `run` turns into HinterlandError."""
    path = path_of(arguments.name)
    if path.exists() and not arguments.replace:
        raise HinterlandError(
            f"the topic {path} already exists; --replace makes it again, `topic review` trains it further"
        )
    like, unlike = example_sources(arguments.like, is_about=True), example_sources(arguments.unlike, is_about=False)
    if unlike.words:
        raise HinterlandError(f"--unlike {unlike.words!r} is neither a URL nor a file; words are for --like")
    if not (like.words or like.urls or like.examples):
        raise HinterlandError('say what the topic is: --like "three words of it", or --like URL or FILE')
    store = store_of(arguments)
    drawn: list[StoredPage] = []
    with_words: list[StoredPage] = []
    if store is not None:
        with reading(store) as reader:
            drawn = sampled_pages(reader)
            with_words = titled(reader, plain_words(like.words))
    given = dict.fromkeys(unlike.urls, False) | dict.fromkeys(like.urls, True)
    if both := set(like.urls) & set(unlike.urls):
        raise HinterlandError(f"the examples contradict each other: {min(both)} is given both as like and as unlike")
    examples = [*like.examples, *unlike.examples, *_of_urls(given, store, arguments)]
    background = background_of(drawn)
    space = None
    if arguments.embeddings:
        vectors = read_embeddings(Path(arguments.embeddings))
        space = row_space([*background.pages, *(example.page for example in examples)], vectors)
    name = path.name.removesuffix(".topic")
    described = describe(
        name,
        like.words,
        examples,
        background,
        [page.url for page in drawn],
        titled=[page.as_example(is_about=True) for page in with_words],
        space=space,
    )
    write_topic(described.topic, path)
    output = Output(sys.stdout)
    for note in described.notes:
        output.write(f"note: {printable(note)}")
    about = sum(example.is_about for example in described.topic.examples)
    others = len(described.topic.examples) - about
    output.write(
        f"{path}: {counted(about, 'example')} of the topic, {counted(others, 'example')} of others,"
        f" {counted(len(drawn), 'page')} drawn from {store or 'no store'};"
        f" {described.topic.model.prior:.1%} of the pages of that web are assumed to be about the topic"
    )
    asking = f" --store {store}" if store else ""
    output.write(f"next: {PROGRAM} topic review {arguments.name}{asking}")


def _of_urls(given: dict[str, bool], store: Path | None, arguments: Namespace) -> list[Example]:
    """Return the pages at these URLs as examples, from the store or fetched.

    Pages that cannot be fetched or have no text are named on stderr. Raises HinterlandError if no page is left.
    """
    found: dict[str, StoredPage] = {}
    if store is not None and given:
        with reading(store) as reader:
            found |= pages_at(reader, given)
    missing = [url for url in given if url not in found]
    if missing:
        from hinterland.cli.topic.polite_fetching import fetched_pages  # brings in all of a crawl

        print(f"hinterland: fetching {counted(len(missing), 'page')} that the store does not have", file=sys.stderr)
        found |= fetched_pages(missing, settings_of(arguments))
    for url in missing:
        if url not in found:
            problem = "is not an example: it could not be fetched, or has no text"
            print(f"hinterland: {printable(url)} {problem}", file=sys.stderr)
    if given and not found:
        raise HinterlandError("none of the URLs could be fetched; examples can also be files, or words")
    return [page.as_example(is_about=given[url]) for url, page in found.items()]
