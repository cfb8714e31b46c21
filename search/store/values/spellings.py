"""The spellings of identifiers, options and dot files: `asyncio.gather`, `std::vector`, `--amend`, `.htaccess`. Pure.

The tokenizer splits names into words and stems them, so that "asyncio gathering" would match as well as
`asyncio.gather`. Spellings are therefore indexed in addition to words.
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
_AFTER_DOT: Final = rf"\.(?!(?i:net)(?![A-Za-z_])){_PART}(?:{_JOINT}{_PART})*"
"""Names that begin with a dot, as files and their types do; .NET is a word, see `term_text`."""
_NAMES: Final = re.compile(rf"(?<![\w.)\]}}]){_AFTER_DOT}|(?<!\w)(?:{_PART}(?:{_JOINT}{_PART})+|[^\W_]*_\w*)")
_OPTIONS: Final = re.compile(r"(?<![^\s()\[\]{|,/'\"`=])--?[A-Za-z][\w-]*")
_JOINTS: Final = re.compile(_JOINT)
_ASKED: Final = re.compile(
    rf"[(\[{{'`@%$&*!]*(?P<name>--?[A-Za-z][\w-]*|{_AFTER_DOT}|\w+(?:{_JOINT}{_PART})*)"
    r"(?P<type><\S*>)?(?P<call>\([^\s()]*\)?)?[)\]}'`,;:!?.]*"
)
_MEMBER: Final = re.compile(
    rf"(?:{_PART}(?:{_JOINT}|:))*(?P<owner>{_PART})(?:{_JOINT}|:)(?P<member>{_PART})(?:\([^\s()]*\)?|/\d+)?[?!,;]*"
)
_CAMEL: Final = re.compile(r"[^\W\d_]*[a-z][A-Z]")


def spellings(text: str) -> Iterator[str]:
    """Yield the identifiers and options in a text, in all forms for which people may search: for `a.b.c` also `b.c`.

    A plain word is not an identifier, whatever its capitals.
    """
    return spellings_of(dict.fromkeys(text.split()))


def spellings_of(words: Iterable[str]) -> Iterator[str]:
    """Yield the same as `spellings` from the distinct words of a text, as split by `str.split`."""
    few = _normal(  # a twentieth of the words; calling for each word would double the time
        " ".join(
            [word for word in words if "_" in word or "." in word[:-1] or "-" in word or "::" in word or "#" in word]
        )
    )
    for name in dict.fromkeys(_NAMES.findall(few)):
        yield from _endings(name)
    yield from (option.casefold() for option in _OPTIONS.findall(few))


def defined_spellings(name: str) -> Iterator[str]:
    """Yield all forms in which people may search for a name that a page defines.

    Of `a.b.c` these include `b.c` and `c`.
    """
    yield from spellings(name)
    parts = _JOINTS.split(_normal(name).removeprefix("."))
    if all(re.fullmatch(r"\w+", part) for part in parts):
        yield parts[-1].casefold()


def spelling_of(word: str) -> str:
    """Return the spelling of a query word if it is an identifier, else "".

    Separators such as `::` and `#` become dots, and brackets are removed.
    """
    found = _ASKED.fullmatch(_normal(word))
    if found is None or len(found["name"]) > _MOST_CHARACTERS:
        return ""
    name = found["name"]
    joined = _JOINTS.sub(".", name).casefold()
    is_code = is_joined(joined) or bool(found["call"]) or _CAMEL.match(name) is not None
    return joined if is_code and joined.strip("_.-") else ""


def member_of(word: str) -> tuple[str, str] | None:
    """Return (class or module, member) of a query word such as `String#gsub`, `lists:foldl/3` or `Path.read_text()`.

    Returns None for any other word.
    """
    found = _MEMBER.fullmatch(_normal(word))
    return (found["owner"], found["member"]) if found is not None else None


def is_joined(spelling: str) -> bool:
    """Return whether a spelling has a character that separates words: an underscore, a dot or a leading dash."""
    return "_" in spelling or "." in spelling or spelling.startswith("-")


@lru_cache(_REMEMBERED)
def _endings(name: str) -> tuple[str, ...]:
    """Return the endings of a name. The result is cached, since the pages of a host repeat the same names."""
    parts = _JOINTS.split(name.casefold())[-_MOST_PARTS:]
    endings = [".".join(parts[start:]) for start in range(len(parts))]
    return tuple(each for each in endings if is_joined(each) and len(each) <= _MOST_CHARACTERS and each.strip("_."))


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
