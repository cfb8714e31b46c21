"""How sections get into docs/papers.md."""

from __future__ import annotations

from benchmarks.papers.paper import table, with_section


def test_a_section_takes_the_place_of_its_earlier_self_and_leaves_the_others() -> None:
    document = with_section(with_section("# Papers\n", "a", "A", "old a"), "b", "B", "b's")
    changed = with_section(document, "a", "A", r"new \1 a")
    assert changed == document.replace("old a", r"new \1 a")
    assert "old a" not in changed
    assert "<!-- b -->\n## B\n\nb's\n<!-- end of b -->" in changed


def test_a_table_has_a_row_for_each() -> None:
    assert table(["graph", "links"], [["a", 1]]) == "| graph | links |\n| --- | ---: |\n| a | 1 |"
