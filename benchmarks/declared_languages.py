"""What the audit's rule on languages says of pages, as they are and with the languages they declare changed.

    python -m benchmarks.declared_languages STORE [--pages 2000] [--seed 1]

The pages are drawn at random from those of STORE that declare a language and have enough text to be judged. Those whose
declared language is contradicted are listed: whether rightly, a person must see. The others are then made to declare
German, English, Spanish, French or Italian instead of their own: how many of them are noticed is counted.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path
from typing import Final

from hinterland.library.audit.languages import language_unlike
from hinterland.library.audit.texts import main_texts
from hinterland.storage.reading.opening import reading

_SHOWS_LANGUAGE: Final = 3_000
_FEWEST_WORDS: Final = 100
_OTHERS: Final = ("de", "en", "es", "fr", "it")
_DECLARED: Final = "SELECT page, language FROM fetch WHERE outcome = 'fetched' AND language <> ''"


def drawn_pages(store: Path, count: int, dice: random.Random) -> list[tuple[str, str, str]]:
    """Return the URL, declared language and text of random pages."""
    with reading(store) as reader:
        declared = {page: language.lower().partition("-")[0] for page, language in reader.connection.execute(_DECLARED)}
        found = [
            (page, declared[page], text[:_SHOWS_LANGUAGE])
            for page, text in main_texts(reader)
            if page in declared and len(text.split()) >= _FEWEST_WORDS
        ]
        chosen = dice.sample(found, min(count, len(found)))
        urls = reader.pages.urls_of([page for page, _, _ in chosen])
    return [(urls[page], language, text) for page, language, text in chosen]


def main() -> None:
    """Print what the rule contradicts, and how often it notices a wrong declaration."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--pages", type=int, default=2_000)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    dice = random.Random(given.seed)
    pages = drawn_pages(given.store, given.pages, dice)
    asked, noticed, contradicted = Counter[str](), Counter[str](), 0
    for url, language, text in pages:
        if read := language_unlike(language, text):
            contradicted += 1
            print(f"  {url}: says {language}, reads like {read}")
            continue
        asked[language] += 1
        other = dice.choice([each for each in _OTHERS if each != language])
        noticed[language] += bool(language_unlike(other, text))
    print(f"{len(pages)} pages: the language of {contradicted} is contradicted")
    for language, count in asked.most_common():
        print(f"  {language}: {noticed[language]} of {count} are noticed if they declare another language")


if __name__ == "__main__":
    main()
