"""Names of code and options of commands as they are spelt: `asyncio.gather`, `__init__`, `std::vector`, `--amend`.

The tokenizer makes words of their parts and stems them, so that "asyncio gathering" would be as good as
`asyncio.gather`. Their spellings are kept beside the words. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

_MOST_PARTS: Final = 8
_MOST_CHARACTERS: Final = 100
_REMEMBERED: Final = 1 << 14

_JOINT: Final = r"(?:\.|::|->|#)"
_PART: Final = r"[^\W\d]\w*"
_NAMES: Final = re.compile(rf"(?<!\w)(?:{_PART}(?:{_JOINT}{_PART})+|[^\W_]*_\w*)")
_OPTIONS: Final = re.compile(r"(?<![^\s()\[\]{|,/'\"`=])--?[A-Za-z][\w-]*")
_JOINTS: Final = re.compile(_JOINT)
_ASKED: Final = re.compile(
    rf"[(\[{{'`@%$&*!]*(?P<name>--?[A-Za-z][\w-]*|\w+(?:{_JOINT}{_PART})*)(?P<type><\S*>)?(?P<call>\([^\s()]*\)?)?"
    r"[)\]}'`,;:!?.]*"
)
_CAMEL: Final = re.compile(r"[^\W\d_]*[a-z][A-Z]")


def spellings(text: str) -> Iterator[str]:
    """The names and options in a text, each in all forms that may be asked for: of `a.b.c` also `b.c`.

    A plain word is none, whatever its capitals.
    """
    return spellings_of(dict.fromkeys(text.split()))


def spellings_of(words: Iterable[str]) -> Iterator[str]:
    """The same of the distinct words of a text, as `str.split` finds them."""
    few = _normal(  # a twentieth of what there is to read; a call for each word would take as long as the rest
        " ".join(
            [word for word in words if "_" in word or "." in word[:-1] or "-" in word or "::" in word or "#" in word]
        )
    )
    for name in dict.fromkeys(_NAMES.findall(few)):
        yield from _endings(name)
    yield from (option.casefold() for option in _OPTIONS.findall(few))


def defined_spellings(name: str) -> Iterator[str]:
    """All forms in which a name that a page defines may be asked for: of `a.b.c` also `b.c` and `c`."""
    yield from spellings(name)
    parts = _JOINTS.split(_normal(name))
    if all(re.fullmatch(r"\w+", part) for part in parts):
        yield parts[-1].casefold()


def spelling_of(word: str) -> str:
    """How a word of a query is spelt, if it is a name of code: joints as dots, without its brackets; else ""."""
    found = _ASKED.fullmatch(_normal(word))
    if found is None or len(found["name"]) > _MOST_CHARACTERS:
        return ""
    name = found["name"]
    joined = _JOINTS.sub(".", name).casefold()
    is_code = is_joined(joined) or bool(found["call"]) or _CAMEL.match(name) is not None
    return joined if is_code and joined.strip("_.-") else ""


def is_joined(spelling: str) -> bool:
    """Whether it has signs that a word does not have, so that it is not the same as the words it is made of."""
    return "_" in spelling or "." in spelling or spelling.startswith("-")


@lru_cache(_REMEMBERED)
def _endings(name: str) -> tuple[str, ...]:
    """Remembered, since the pages of a host name the same things again and again."""
    parts = _JOINTS.split(name.casefold())[-_MOST_PARTS:]
    endings = [".".join(parts[start:]) for start in range(len(parts))]
    return tuple(each for each in endings if is_joined(each) and len(each) <= _MOST_CHARACTERS and each.strip("_"))


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
