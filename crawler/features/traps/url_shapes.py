"""The shape of a URL: the URL with everything countable or random replaced by a class. Pure.

`/cal/2031/03?sid=8f3a09bd11` has the steps `cal`, `{n}`, `{n}`, `?`, `sid`. URLs that a program makes have few shapes,
however many they are. URL patterns also find pages with many names (Bar-Yossef, Keidar & Schonfeld, "Do not crawl in
the DUST", WWW 2007; Koppula et al., "Learning URL patterns for webpage de-duplication", WSDM 2010). Repeating segments
are folded, since Heritrix' PathologicalPathDecideRule treats them as a trap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

NUMBER: Final = "{n}"
TOKEN: Final = "{token}"
QUERY: Final = "?"
"""The step from a path to any query; the next one holds the names of the parameters."""
REPEATED: Final = "+"
LIST: Final = "{list}"
DEEPER: Final = "…"
"""Not a step: shows that a shape has parts, or more folders than are distinguished."""
_NAMELESS: Final = "="
"""Stands for parameters without names."""
ANY: Final = "*"
"""Any step of a folder that has too many; "*.html" is any with that ending."""
CLASSES: Final = frozenset({NUMBER, TOKEN, LIST, QUERY, REPEATED})
"""Steps that already stand for many."""

_MAX_STEPS = 10  # of a path
_MAX_PARAMETERS = 8
_REMEMBERED = 20_000
_DIGITS = re.compile(r"[0-9]+(?:[-_.:,~][0-9]+)*")
_RANDOM = re.compile(r"(?=[^0-9]*[0-9])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{8,})")
_WORDS = re.compile(r"[A-Za-z]{3,}")
_LONG = 12
_MAX_STEP = 60  # characters; longer ones with the same beginning are one


def steps_of(url: str) -> list[str]:
    """Return the steps from the root of the host to the shape of a canonical URL.

    Folders beyond _MAX_STEPS add no step.
    """
    path, mark, query = url[url.index("/", 8) + 1 :].partition("?")
    folder, slash, name = path.rpartition("/")
    steps = [*_steps_of_folder(folder)] if slash else []
    _step(steps, class_of(name))
    if mark:
        steps.append(QUERY)
        steps.append(_parameters(query))
    return steps


@lru_cache(_REMEMBERED)
def _steps_of_folder(folder: str) -> tuple[str, ...]:
    """Return the steps that the URLs of a folder share."""
    steps: list[str] = []
    for segment in folder.split("/"):
        if len(steps) >= _MAX_STEPS:
            break
        _step(steps, class_of(segment))
    return tuple(steps)


def _step(steps: list[str], step: str) -> None:
    """Append a step, unless there are _MAX_STEPS; a third or later repetition in a row becomes one step."""
    last = steps[-1] if steps else None
    if len(steps) >= _MAX_STEPS or (last == REPEATED and steps[-2] == step):
        return
    steps.append(REPEATED if step == last and len(steps) > 1 and steps[-2] == step else step)


def as_pattern(steps: Sequence[str], *, has_parts: bool) -> str:
    """Return steps as they are shown: "/cal/{n}/{n}?sid", and "/cal/…" for the shape of everything below a folder.

    Different steps are shown differently, because the store identifies a shape by its pattern.
    """
    if QUERY in steps:  # the first one: a parameter may be named "?", but a folder cannot
        place = list(steps).index(QUERY)
        return f"/{'/'.join(steps[:place])}?{''.join(steps[place + 1 :]) or DEEPER}"
    return "/" + "/".join([*steps, DEEPER] if has_parts or len(steps) >= _MAX_STEPS else steps)


def marks_of(steps: Iterable[str]) -> frozenset[str]:
    """Return what the steps share with other folders if a program writes it into all its links, such as a session.

    That is the names of parameters, in paths and queries, and the presence of a random token.
    """
    marks = set[str]()
    is_query = False
    for step in steps:
        if is_query:
            marks.update(f"?{name}" for name in step.split("&") if name not in (DEEPER, ANY))
        elif step != QUERY:
            marks.update(f";{name}" for name in step.split(";")[1:])
            if TOKEN in step:
                marks.add(TOKEN)
        is_query = step == QUERY
    return frozenset(marks)


def steps_of_pattern(pattern: str) -> list[str]:
    """Return the steps that `as_pattern` shows."""
    path, mark, query = pattern.removeprefix("/").partition(QUERY)
    steps = path.split("/")
    if mark:
        return [*steps, QUERY] if query == DEEPER else [*steps, QUERY, query]
    return steps[:-1] if steps[-1] == DEEPER else steps


def is_of_pattern(steps: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a URL with these steps lies at or below the shape with the pattern's steps."""
    return len(steps) >= len(pattern) and all(
        theirs in (step, ANY) or (theirs.startswith(ANY) and step.endswith(theirs[1:]))
        for step, theirs in zip(steps, pattern, strict=False)
    )


def as_regular_expression(host: str, pattern: str) -> str:
    """Return an expression that matches the beginnings of a shape's URLs, and of shapes that begin like it."""
    path = pattern.removesuffix(f"/{DEEPER}") + "/" * pattern.endswith(f"/{DEEPER}")
    path = path.partition(QUERY)[0] + r"\?" * (QUERY in path)
    parts = re.split(r"(\{n\}|\{token\}|\{list\}|\*|/\+)", path.removesuffix(r"\?"))
    path = "".join(_AS_REGULAR_EXPRESSION.get(part) or re.escape(part) for part in parts)
    return re.escape(host) + path + r"\?" * (QUERY in pattern)


_AS_REGULAR_EXPRESSION: Final = {
    NUMBER: "[0-9][^/?]*",
    TOKEN: "[^/?]+",
    LIST: "[^/?]+",
    ANY: "[^/?]+",
    f"/{REPEATED}": "/.*",
}


def _parameters(query: str) -> str:
    names = sorted({class_of(part.partition("=")[0]) for part in query.replace(";", "&").split("&")})
    if len(names) > _MAX_PARAMETERS:
        names[_MAX_PARAMETERS:] = [DEEPER]
    return "&".join(names) or _NAMELESS


@lru_cache(_REMEMBERED)
def class_of(segment: str) -> str:
    """Return a segment with its numbers and random tokens replaced by classes.

    "page-12.html" is "page-{n}.html", and the session that ASP.NET writes into a path, "(S(f3a09bd118))", is
    "(S({token}))".
    """
    name, *parameters = segment.split(";")
    if parameters:
        return ";".join([class_of(name), *(each.partition("=")[0] for each in parameters)])[:_MAX_STEP]
    if "+" in segment or "," in segment or "%2C" in segment:
        return LIST
    stem, dot, ending = segment.rpartition(".")
    if not stem or not ending.isalpha() or len(ending) > 5:
        stem, dot, ending = segment, "", ""
    if _is_random(stem):
        return f"{TOKEN}{dot}{ending}"
    return f"{_DIGITS.sub(NUMBER, _RANDOM.sub(TOKEN, stem))[:_MAX_STEP]}{dot}{ending}"


def _is_random(stem: str) -> bool:
    """Return whether it is a long hexadecimal number, or a long mix of letters and digits with hardly a word."""
    if _RANDOM.fullmatch(stem):
        return True
    if len(stem) < _LONG or not any(map(str.isdigit, stem)) or not stem.replace("-", "").replace("_", "").isalnum():
        return False
    digits = sum(map(str.isdigit, stem))
    letters_in_words = sum(len(word) for word in _WORDS.findall(stem))
    return digits >= 2 and letters_in_words <= len(stem) // 2 and len(_DIGITS.findall(stem)) >= 3
