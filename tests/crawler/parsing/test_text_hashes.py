"""What a page says, as a few numbers."""

from __future__ import annotations

import random

from hinterland.crawler.parsing.text_hashes import Interest, text_hashes


def test_a_long_text_is_hashed_by_its_beginning_middle_and_end() -> None:
    lot = random.Random(1)
    words = ["".join(lot.choices("abcdefgh", k=7)) for _ in range(20_000)]
    text = " ".join(words)
    told = text_hashes(text.encode(), b"", Interest.WORDS)

    def changed(place: int) -> bytes:
        return " ".join([*words[:place], "changed", *words[place + 1 :]]).encode()

    for place in (3, len(words) // 2 + 3, len(words) - 3):
        assert text_hashes(changed(place), b"", Interest.WORDS).letters != told.letters
    between = text_hashes(changed(len(words) // 4), b"", Interest.WORDS)
    assert between.text != told.text
    assert (between.letters, between.words) == (told.letters, told.words)
