"""The text of a page comes in blocks as it is shown, and those that are its main content are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.blocks.main_blocks import (
    joined_runs,
    main_blocks,
    main_flags,
    main_runs,
    main_text,
    packed_runs,
)
from hinterland.crawler.parsing.blocks.marks import (
    CELLS,
    DEFINITIONS,
    PRE,
    WORDS,
    P,
    marks_in,
    marks_of,
    tag_mark,
    word_automaton,
)
from hinterland.crawler.parsing.html.page_elements import PageElements, read_elements

PROSE = "The ferry leaves the harbour every morning at eight, and returns in the evening with the islanders. "


def read(html: str) -> PageElements:
    return read_elements(html.encode(), max_anchors=1000, with_text=True)


def blocks_of(html: str) -> list[str]:
    return read(html).text.decode().split("\n\n")


def main_of(html: str) -> str:
    found = read(html)
    return main_text(found.text.decode(), found.main)


@pytest.mark.parametrize(
    "html, blocks",
    [
        ("<p>one<p>two<div>three</div>four", ["one", "two", "three", "four"]),
        ("<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>", ["a", "b", "c", "d"]),
        ("<p>  white \n\t space  </p>", ["white space"]),
        # words that inline elements part are one word
        ("<p><b>M</b>obil", ["Mobil"]),
        ("<p>Donau<wbr>dampf<wbr>schiff", ["Donaudampfschiff"]),
        ("<p>H<sub>2</sub>O and <em>re</em>do", ["H2O and redo"]),
        ("<p><span>O</span>nce, <a href=x>dog</a>s, (<a href=y>cat</a>).", ["Once, dogs, (cat)."]),
        ("<p>foo<!-- -->bar", ["foobar"]),
        ("<p>за<b>м</b>ок", ["замок"]),
        # and words that are apart stay so
        ("<p><a href=x>Home</a><a href=y>News</a>", ["Home News"]),
        ("<p>Menu<span>Close</span>", ["Menu Close"]),
        ("<p>Inbox<span>3</span> note<sup>1</sup>", ["Inbox 3 note 1"]),
        ("<p>one<br>two<br><br>three", ["one\ntwo", "three"]),
        ("<button>Yes</button><button>No</button>", ["Yes", "No"]),
        # lines of code stay lines
        ("<pre>\n  a\n    b\n\nc\n</pre>", ["a\n    b\n \nc"]),
        ("<pre><span>x</span><span>.y</span><div>z</div>w</pre>", ["x.y\nz\nw"]),
    ],
)
def test_text_is_divided_and_joined_as_it_is_shown(html: str, blocks: list[str]) -> None:
    assert blocks_of(html) == blocks


def test_text_for_readers_without_scripts_counts_only_if_there_is_little_else() -> None:
    late = f"<noscript><div>{PROSE * 6}</div></noscript>"
    assert PROSE.strip() in main_of(f"<div>Loading{late}")
    assert PROSE not in read(f"<div>{'other text ' * 30}{late}").text.decode()
    assert read("<p>Loading<noscript>Enable scripts</noscript>").text == b"Loading"


def test_menus_and_footers_are_no_main_content_but_code_tables_and_headings_are() -> None:
    menu = "".join(f"<li><a href=/{n}>Menu entry {n}</a>" for n in range(20))
    prose = "".join(f"<p>On day {n} the wind came from pier {n}. {PROSE}" for n in range(4))
    table = "".join(f"<tr><td>Pier {n}<td>{n} o'clock" for n in range(5))
    found = main_of(
        f"<title>Ferries</title><nav><ul>{menu}</ul></nav><main><h1>Ferries</h1>{prose}<h2>Piers</h2>"
        f"<table>{table}</table><p>It is {PROSE}<pre>sail --pier 3\nsail --home</pre><p>So {PROSE}</main>"
        "<footer><p>© 2026 The Company. All rights reserved.<ul><li><a href=/p>Privacy</a></ul></footer>"
    )
    assert all(part in found for part in (PROSE.strip(), "Piers", "Pier 3", "sail --pier 3\nsail --home"))
    assert not any(part in found for part in ("Menu entry", "rights reserved", "Privacy"))


@given(st.lists(st.booleans(), max_size=400))
def test_runs_say_which_blocks_are_main_content(flags: list[bool]) -> None:
    assert list(main_flags(packed_runs(flags))) == flags
    assert list(main_flags(joined_runs([packed_runs(flags), packed_runs(flags[:3])]))) == flags + flags[:3]


def test_of_a_text_whose_main_content_is_not_known_all_blocks_are_taken() -> None:
    assert main_blocks("a\n\nb", b"") == ["a", "b"]
    assert joined_runs([b"\1", b""]) == b""
    assert main_runs([], [], []) == b""


def test_the_threshold_is_lenient_where_nothing_is_certain() -> None:
    assert list(main_flags(main_runs([3000, -3000, 3000], [90, 90, 90], [1, 1, 1]))) == [True, False, True]
    assert list(main_flags(main_runs([-600, -3000, -600], [90, 90, 90], [1, 1, 1]))) == [True, False, True]


@pytest.mark.slow
@given(st.text(alphabet="abcdefinoprstu-_ AD1é", max_size=30))
def test_the_automaton_finds_the_same_words_as_a_search(name: str) -> None:
    steps, marks = word_automaton()
    state, found = steps[26], 0
    for letter in name.lower() + "-":
        found |= marks[state]
        state = steps[state * 27 + (ord(letter) - ord("a") if "a" <= letter <= "z" else 26)]
    assert found | marks[state] == marks_in(name)


def test_roles_and_hidden_elements_are_marks() -> None:
    assert marks_of("div", {"role": " Navigation "}) & tag_mark(0)
    hidden = marks_of("div", {"hidden": None})
    assert hidden == marks_of("div", {"style": "DISPLAY : none"}) == marks_of("div", {"aria-hidden": "true"})
    assert marks_of("div", {"class": None, "id": ""}) == 0
    assert marks_in("main-nav") == 1 << 0 | 1 << next(n for n, words in enumerate(WORDS) if "main" in words.split())


def test_tables_definitions_and_code_stay_whole() -> None:
    kinds = [P, PRE, PRE, P, *CELLS, *CELLS, P, *DEFINITIONS]
    scores = [3000, -3000, -3000, -3000, 3000, 3000, 3000, -3000, -3000, -3000, -3000]
    flags = [True, True, True, False, True, True, True, True, False, False, False]
    assert list(main_flags(main_runs(scores, [9] * 11, kinds))) == flags
