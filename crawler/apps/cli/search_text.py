"""What `search` prints. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crawler.apps.search.answers import Fragment, Hit, SearchAnswer
from crawler.apps.text.wording import counted, number, printable


def as_text(answer: SearchAnswer, *, marks: tuple[str, str], with_parts: bool) -> str:
    """The hits for a terminal. marks: what is put before and after a match."""
    return "\n".join(_lines(answer, marks, with_parts))


def _lines(answer: SearchAnswer, marks: tuple[str, str], with_parts: bool) -> Iterator[str]:
    for note in answer.notes:
        yield f"note: {printable(note)}"
    if not answer.hits:
        yield "Nothing found." if answer.offset == 0 else f"There are no more than {counted(answer.total, 'hit')}."
        return
    for position, hit in enumerate(answer.hits, answer.offset + 1):
        yield from _hit(position, hit, marks, with_parts)
    last = answer.offset + len(answer.hits)
    inexact = "" if answer.is_exact else "; very many match, and the order is that of the best by text"
    found = f"{number(answer.offset + 1)}-{number(last)} of {counted(answer.total, 'page')}"
    yield f"{found}, {answer.seconds * 1000:.0f} ms{inexact}"


def _hit(position: int, hit: Hit, marks: tuple[str, str], with_parts: bool) -> Iterator[str]:
    title = _marked(hit.title, marks) if hit.title else "(no title)"
    copies = f"  (+{counted(hit.copies, 'copy', 'copies')})" if hit.copies else ""
    yield f"{position:>3}  {title}{copies}"
    yield f"     {printable(hit.url)}"
    if hit.snippet:
        yield f"     {_marked(hit.snippet, marks)}"
    if hit.lacks:
        yield f"     lacks: {printable(' '.join(hit.lacks))}"
    if with_parts:
        yield f"     score {hit.score:.3f}"
        for part in hit.parts:
            if part.name == "rounding" and abs(part.value) < 0.0005:
                continue  # it would read 0.000
            yield f"       {part.value:>8.3f}  {part.name:<16} {part.detail}".rstrip()
    yield ""


def _marked(fragments: Sequence[Fragment], marks: tuple[str, str]) -> str:
    before, after = marks
    pieces = []
    for fragment in fragments:
        text = printable(_spaced(fragment.text))
        pieces.append(f"{before}{text}{after}" if fragment.is_match else text)
    return "".join(pieces)


def _spaced(text: str) -> str:
    """Each run of white space as one space, also at the ends, where the next piece goes on."""
    flat = " ".join(text.split())
    return f"{' ' * text[:1].isspace()}{flat}{' ' * (text[-1:].isspace() and bool(flat))}"


