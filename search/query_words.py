"""Splits a query into parts and decides which of them are operators. Pure.

A query may be a pasted command line or SQL statement, in which dashes and capitalised words are not operators.
Ambiguous cases are decided here; a note then shows how to write the query with the other meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class QueryPart:
    """A word or a phrase as written."""

    text: str
    """Without its dash, operator and quotation marks."""
    operator: str = ""
    """The text before its colon, as written."""
    is_phrase: bool = False
    dashes: str = ""
    """The leading "-" or "--", or ""."""
    is_closed: bool = True
    """Whether its quotation mark is closed."""
    start: int = 0
    """The position of its text in the query."""

    @property
    def begin(self) -> int:
        """The position in the query at which the part begins, including its dash, operator and quotation mark."""
        operator = len(self.operator) + 1 if self.operator else 0
        return self.start - self.is_phrase - operator - len(self.dashes)

    @property
    def end(self) -> int:
        """The position in the query just behind the part."""
        return self.start + len(self.text) + (self.is_phrase and self.is_closed)

    @property
    def is_word(self) -> bool:
        """Whether the part is a plain word, without quotation marks, operator or dash."""
        return not (self.is_phrase or self.operator or self.dashes)


@dataclass(frozen=True, slots=True)
class Clause:
    """One or more alternatives: a page must have at least one of these parts or, with `is_without`, none of them."""

    parts: tuple[QueryPart, ...]
    is_without: bool = False
    is_required: bool = False
    """Whether the query joins its words with AND, so that no page may lack one."""


_PART: Final = re.compile(
    r'(?P<dashes>--?)?(?:(?P<operator>[A-Za-z]{2,8}):)?(?:"(?P<phrase>[^"]*)(?P<end>"?)|(?P<word>[^\s"]+))'
)
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»", '"'))
_OPTION: Final = re.compile(r"[A-Za-z0-9]{1,2}|[0-9]{3}")
_PLAIN: Final = re.compile(r"[^\W_][\w'’.+#-]*")
CONNECTIVES: Final = ("OR", "AND", "NOT")
_SQL_WORDS: Final = ("NULL", "EXISTS", "IN", "LIKE", "ILIKE", "BETWEEN", "DEFERRABLE", "VALID", "MATCHED")
"""Words that follow NOT in SQL statements."""


def parts_of(query: str) -> list[QueryPart]:
    """Return the parts of a query in order.

    Quotation marks of all keyboards are accepted.
    """
    found = []
    for match in _PART.finditer(query.translate(_QUOTES)):
        is_phrase = match["word"] is None
        text = match["phrase"] if is_phrase else match["word"]
        is_closed = not is_phrase or bool(match["end"])
        start = match.start("phrase" if is_phrase else "word")
        found.append(QueryPart(text, match["operator"] or "", is_phrase, match["dashes"] or "", is_closed, start))
    return found


def clauses_of(parts: Sequence[QueryPart], is_option: Callable[[str], bool]) -> tuple[list[Clause], list[str]]:
    """Return the clauses that the parts form, and notes on ambiguities.

    `is_option` tells whether pages contain "-name" literally, with its dash.
    """
    notes: list[str] = []
    clear = _without_options(parts, is_option, notes)
    return _ClauseReader(clear, notes).clauses(), notes


def left_out(parts: Sequence[QueryPart]) -> frozenset[int]:
    """Return the start positions of parts excluded by a dash or by NOT."""
    clauses, _ = clauses_of(parts, lambda _: False)
    return frozenset(part.start for clause in clauses if clause.is_without for part in clause.parts)


# --- dashes -------------------------------------------------------------------------------------


def _without_options(parts: Sequence[QueryPart], is_option: Callable[[str], bool], notes: list[str]) -> list[QueryPart]:
    """Turn command-line options into words that keep their dashes.

    The parts that then still have a dash are exclusions.
    """
    dashed = [each for each in parts if each.dashes and not each.operator and not each.is_phrase]
    if not any(_must_be_option(each) or is_option(f"-{each.text}") for each in dashed):
        if dashed:
            words = " or ".join(dict.fromkeys(f'"{each.text}"' for each in dashed[:5]))
            notes.append(f"pages with {words} are excluded; to search for the word, write it without the dash")
        return [replace(each, dashes="") if each.dashes == "--" else each for each in parts]
    shown = " ".join(dict.fromkeys(f"{each.dashes}{each.text}" for each in dashed[:5]))
    example = next((each.text for each in dashed if _PLAIN.fullmatch(each.text)), "word")
    notes.append(f"read as a command line: {shown}; to exclude pages with a word, write NOT {example}")
    return [
        replace(each, text=f"{each.dashes}{each.text}", dashes="")
        if each in dashed
        else replace(each, dashes="")
        if each.dashes == "--"
        else each
        for each in parts
    ]


def _must_be_option(part: QueryPart) -> bool:
    """Return whether a word must be an option, since nobody would exclude it: `--amend`, `-m`, `-la`, `-std=c++17`."""
    return part.dashes == "--" or bool(_OPTION.fullmatch(part.text)) or not _PLAIN.fullmatch(part.text)


# --- OR, AND, NOT -------------------------------------------------------------------------------


class _ClauseReader:
    """Combines the parts of a query into clauses, from the first to the last.

    It keeps the operators that still wait for their second part, and collects notes; use an instance once.
    """

    def __init__(self, parts: Sequence[QueryPart], notes: list[str]) -> None:
        """Start before the first part; notes are appended to `notes`."""
        self._parts = parts
        self._notes = notes
        self._clauses: list[Clause] = []
        self._is_without = False
        self._joins = False
        self._has_and = False
        self._depth = 0
        self._left_out_to: int | None = None
        """The depth of the parentheses whose content is excluded; None outside of such parentheses."""

    def clauses(self) -> list[Clause]:
        """Return the clauses of all parts; call it once."""
        meant = [self._is_connective(place) for place in range(len(self._parts))]
        if not any(meant):
            self._note_words_in_small_letters()
            return [Clause((each,), bool(each.dashes)) for each in self._parts]
        for part, is_connective in zip(self._parts, meant, strict=True):
            if is_connective:
                self._connect(part.text)
            else:
                self._add(part)
        if self._joins or self._is_without:
            self._note_alone("OR" if self._joins else "NOT")
        self._note_groups(meant)
        return [replace(each, is_required=self._has_and and not each.is_without) for each in self._clauses]

    def _add(self, part: QueryPart) -> None:
        opens, closes = _parentheses(part)
        if self._is_without and opens and self._left_out_to is None:
            self._left_out_to = self._depth
        self._depth += opens
        part = part if part.is_phrase else replace(part, text=part.text[opens : len(part.text) - closes])
        is_without = bool(part.dashes) or self._is_without or self._left_out_to is not None
        if part.is_phrase or part.text:
            if self._joins and not is_without and self._clauses and not self._clauses[-1].is_without:
                self._clauses[-1] = Clause((*self._clauses[-1].parts, part))
            else:
                if self._joins and is_without and self._left_out_to is None:
                    self._notes.append(f"OR NOT is not supported: pages with {part.text} are excluded")
                self._clauses.append(Clause((part,), is_without))
            self._joins = self._is_without = False
        self._depth = max(self._depth - closes, 0)
        if self._left_out_to is not None and self._depth <= self._left_out_to:
            self._left_out_to = None

    def _connect(self, word: str) -> None:
        if (self._joins and word != "NOT") or self._is_without or (word != "NOT" and not self._clauses):
            self._note_alone(word)
        elif word == "NOT":
            self._is_without = True
        elif word == "OR":
            self._joins = True
        else:
            self._has_and = True

    def _is_connective(self, place: int) -> bool:
        """Return whether a word in capitals is an operator; the NOT in `IF NOT EXISTS`, for example, is none."""
        part = self._parts[place]
        if not part.is_word or part.text not in CONNECTIVES or len(self._parts) == 1:
            return False
        before, after = self._beside(place, -1), self._beside(place, 1)
        loud = [_is_in_capitals(each) for each in (before, after) if each is not None]
        if part.text == "NOT":
            if (after is not None and after.text in _SQL_WORDS) or (len(loud) == 2 and all(loud)):
                self._note_capitals("NOT", after)
                return False
            return True
        if len(loud) == 2 and all(loud):
            self._note_capitals(part.text, after)
            return False
        return True

    def _beside(self, place: int, step: int) -> QueryPart | None:
        """Return the nearest part that is not a connective, before the given one if `step` is -1, after it if 1."""
        place += step
        while 0 <= place < len(self._parts) and self._parts[place].text in CONNECTIVES:
            place += step
        return self._parts[place] if 0 <= place < len(self._parts) else None

    # ------------------------------------------------------------ notes

    def _note_capitals(self, word: str, after: QueryPart | None) -> None:
        other = "word" if after is None else after.text.strip("()").lower()
        self._notes.append(
            f"{word} between words in capitals was searched for as a word, as in SQL; to use it as an"
            f" operator, write the next word in lower case: {word} {other}"
        )

    def _note_alone(self, word: str) -> None:
        place = "before a word" if word == "NOT" else "between two words"
        self._notes.append(f'{word} belongs {place}; it was ignored here. To search for the word, write "{word}"')

    def _note_words_in_small_letters(self) -> None:
        for place, part in enumerate(self._parts):
            if part.is_word and part.text in ("or", "not") and 0 < place < len(self._parts) - 1:
                what = "either word" if part.text == "or" else "pages without the next word"
                self._notes.append(f'"{part.text}" was searched for as a word; for {what}, write {part.text.upper()}')
                return

    def _note_groups(self, meant: Sequence[bool]) -> None:
        """Add a note if parentheses next to an OR contain more than words joined by OR, which is not supported."""
        begin = None
        for place, part in enumerate(self._parts):
            opens, closes = (0, 0) if meant[place] else _parentheses(part)
            begin = place if opens and begin is None else begin
            if closes and begin is not None:
                inside = [meant[each] and self._parts[each].text == "OR" for each in range(begin, place + 1)]
                words = [each for each in range(begin, place + 1) if not meant[each] and self._has_text(each)]
                beside = [each for each in (begin - 1, place + 1) if 0 <= each < len(self._parts)]
                is_beside_or = any(meant[each] and self._parts[each].text == "OR" for each in beside)
                if is_beside_or and sum(inside) < len(words) - 1:
                    self._notes.append(
                        "OR joins only the words next to it; parentheses around several words are not supported"
                    )
                begin = None

    def _has_text(self, place: int) -> bool:
        return self._parts[place].is_phrase or bool(self._parts[place].text.strip("()"))


def _parentheses(part: QueryPart) -> tuple[int, int]:
    """Return how many parentheses a part opens and closes.

    Balanced parentheses within the part, as in `print()`, do not count.
    """
    if part.is_phrase:
        return 0, 0
    text = part.text
    opens = len(text) - len(text.lstrip("("))
    closes = min(len(text) - len(text.rstrip(")")), max(text.count(")") - text[opens:].count("("), 0))
    return opens, closes


def _is_in_capitals(part: QueryPart) -> bool:
    letters = part.text.strip("()")
    return not part.is_phrase and not part.operator and len(letters) > 1 and letters.isupper()
