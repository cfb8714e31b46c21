"""The shape of a URL: the URL with each number and random token replaced by a placeholder, its class. Pure.

`/cal/2031/03?sid=8f3a09bd11` has the steps `cal`, `{n}`, `{n}`, `?`, `sid`. The URLs that one program generates have
few shapes, however many URLs there are. URL patterns are also used to find pages with several URLs (Bar-Yossef, Keidar
& Schonfeld, "Do not crawl in the DUST", WWW 2007; Koppula et al., "Learning URL patterns for webpage de-duplication",
WSDM 2010). Repeating segments are folded into one step; Heritrix' PathologicalPathDecideRule treats them as a trap,
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

NUMBER: Final = "{n}"
TOKEN: Final = "{token}"
QUERY: Final = "?"
"""The step from a path to its query; the next step holds the names of the parameters."""
REPEATED: Final = "+"
LIST: Final = "{list}"
DEEPER: Final = "…"
"""Not a step. It shows in a pattern that a shape has parts, or more folders than are distinguished."""
_NAMELESS: Final = "="
"""The step for parameters without names."""
ANY: Final = "*"
"""The step for all further names in a folder that has too many; "*.html" is the step for those with this ending."""
CLASSES: Final = frozenset({NUMBER, TOKEN, LIST, QUERY, REPEATED})
"""Steps that stand for many names."""

_MAX_STEPS = 10  # of a path
_MAX_PARAMETERS = 8
_REMEMBERED = 20_000
_DIGITS = re.compile(r"[0-9]+(?:[-_.:,~][0-9]+)*")
_RANDOM = re.compile(r"(?=[^0-9]*[0-9])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{8,})")
_WORDS = re.compile(r"[A-Za-z]{3,}")
_LONG = 12
_MAX_STEP = 60  # characters; longer ones with the same beginning are one


def steps_of(url: str) -> list[str]:
    """Return the steps of a canonical URL, from the root of its host to its shape.

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
    """Append a step unless there are _MAX_STEPS.

    The third of several equal steps in a row becomes REPEATED, and the steps after it add nothing.
    """
    last = steps[-1] if steps else None
    if len(steps) >= _MAX_STEPS or (last == REPEATED and steps[-2] == step):
        return
    steps.append(REPEATED if step == last and len(steps) > 1 and steps[-2] == step else step)


def as_pattern(steps: Sequence[str], *, has_parts: bool) -> str:
    """Return the pattern that shows steps: "/cal/{n}/{n}?sid", or "/cal/…" for a shape with parts.

    Different steps give different patterns, because the store identifies a shape by its pattern.
    """
    if QUERY in steps:  # the first one: a parameter may be named "?", but a folder cannot
        place = list(steps).index(QUERY)
        return f"/{'/'.join(steps[:place])}?{''.join(steps[place + 1 :]) or DEEPER}"
    return "/" + "/".join([*steps, DEEPER] if has_parts or len(steps) >= _MAX_STEPS else steps)


def marks_of(steps: Iterable[str]) -> frozenset[str]:
    """Return the marks of a shape, by which URLs that one program made are recognised in different folders.

    The marks are the names of the parameters in the path and the query, such as that of a session id, and whether a
    random token occurs.
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
    """Return the steps of a pattern made by `as_pattern`."""
    path, mark, query = pattern.removeprefix("/").partition(QUERY)
    steps = path.split("/")
    if mark:
        return [*steps, QUERY] if query == DEEPER else [*steps, QUERY, query]
    return steps[:-1] if steps[-1] == DEEPER else steps


def is_of_pattern(steps: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a URL with these steps belongs to the shape with the steps `pattern`, or to one below it."""
    return len(steps) >= len(pattern) and all(
        theirs in (step, ANY) or (theirs.startswith(ANY) and step.endswith(theirs[1:]))
        for step, theirs in zip(steps, pattern, strict=False)
    )


def as_regular_expression(host: str, pattern: str) -> str:
    """Return a regular expression for the beginning of a shape's URLs. It matches all shapes with this beginning."""
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
    """Return a segment of a path with its numbers and random tokens replaced by classes.

    "page-12.html" becomes "page-{n}.html", and a session id that ASP.NET writes into a path, "(S(f3a09bd118))", becomes
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
    """Return whether a text is a long hexadecimal number, or a long mix of letters and digits with hardly a word."""
    if _RANDOM.fullmatch(stem):
        return True
    if len(stem) < _LONG or not any(map(str.isdigit, stem)) or not stem.replace("-", "").replace("_", "").isalnum():
        return False
    digits = sum(map(str.isdigit, stem))
    letters_in_words = sum(len(word) for word in _WORDS.findall(stem))
    return digits >= 2 and letters_in_words <= len(stem) // 2 and len(_DIGITS.findall(stem)) >= 3
