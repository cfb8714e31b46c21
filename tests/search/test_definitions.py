"""The names that a page defines."""

from __future__ import annotations

import pytest

from hinterland.search.definitions import MOST_NAMES, defined_names, names_in, names_of_headings


@pytest.mark.parametrize(
    "html, names",
    [
        (
            '<dl><dt class="sig" id="asyncio.gather"><em>awaitable</em> <code>asyncio.gather</code>(*aws)</dt><dd>',
            ["asyncio.gather", "gather"],
        ),
        ("<DT>--amend\n<dd>Mend it.<dt>-m &lt;msg&gt;<dt>--message=&lt;msg&gt;", ["--amend", "-m", "--message"]),
        ("<dt id=GUC-MAX-CONNECTIONS><code>max_connections</code> (<i>integer</i>)", ["max_connections"]),
        ("<dt><a id='x'></a>a.b:<span>of c.d</span></dt>", ["a.b", "b"]),
        ("<dt>Some words in a row</dt><p>no.term</p>", []),
        ("<dt", []),
        ("", []),
    ],
)
def test_terms_of_description_lists_define_names(html: str, names: list[str]) -> None:
    assert [name for name in defined_names(html) if "guc" not in name] == names


def test_a_heading_defines_the_name_that_it_consists_of() -> None:
    headings = ["File system", "fs.readFile(path[, options], callback)", "28.2.3. pg_stat_activity", "print()", "Notes"]
    assert names_of_headings(headings) == ["fs.readfile", "readfile", "pg_stat_activity", "print"]


def test_names_are_bounded_however_many_a_page_defines() -> None:
    html = "".join(f"<dt id=name_{number}>" for number in range(3 * MOST_NAMES)) + "<dt " * 100_000
    assert len(defined_names(html)) == MOST_NAMES
    assert len(names_in(f"name_{number}" for number in range(3 * MOST_NAMES))) == MOST_NAMES
