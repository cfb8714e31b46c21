"""The values of --like and --unlike, sorted into URLs, files and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hinterland.crawler.features.topics.files.page_files import UrlList, is_url, read_example
from hinterland.crawler.features.topics.model.examples import Example


@dataclass(frozen=True, slots=True)
class ExampleSources:
    """The sources of examples.

    `urls` are distinct, in the order given. `examples` come from files. `words` is a query of all values that are
    neither URLs nor files.
    """

    urls: Sequence[str]
    examples: Sequence[Example]
    words: str


def example_sources(values: Sequence[str], *, is_about: bool) -> ExampleSources:
    """Sort values into URLs, files and words. A value that is neither a URL nor a file counts as words.

    Raises BadFile, also if a value looks like the name of a file that does not exist.
    """
    urls: dict[str, None] = {}
    examples: list[Example] = []
    words: list[str] = []
    for value in values:
        if is_url(value):
            urls[value] = None
        elif Path(value).is_file() or _looks_like_a_file(value):
            found = read_example(Path(value), is_about=is_about)
            if isinstance(found, UrlList):
                urls |= dict.fromkeys(found.urls)
            else:
                examples.append(found)
        else:
            words.append(value)
    return ExampleSources(list(urls), examples, " ".join(words))


def _looks_like_a_file(value: str) -> bool:
    return " " not in value and ("/" in value or value.lower().endswith((".html", ".htm", ".txt")))
