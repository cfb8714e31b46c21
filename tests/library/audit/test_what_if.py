"""What a further link would do is what a graph that has it shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import pagerank
from hinterland.cli.commands import main
from hinterland.library.audit.what_if import ranks_with, what_if, with_link
from hinterland.library.errors import StoreUnusable
from tests.library.audit.site import ALONE, FRONT, LAST, pages
from tests.support.stored_pages import write_store

numbers = st.integers(0, 7)


@given(st.sets(st.tuples(numbers, numbers)), numbers, numbers)
def test_a_graph_with_a_link_is_that_of_all_its_links(links: set[tuple[int, int]], source: int, target: int) -> None:
    before = graph_of(links - {(source, target)})
    if source != target:
        after = with_link(before, source, target)
        expected = graph_of(links | {(source, target)})
        assert after.offsets.tolist() == expected.offsets.tolist()
        assert after.targets.tolist() == expected.targets.tolist()
        found = ranks_with(before, source, target, pagerank(before))
        assert np.abs(found - pagerank(expected)).sum() < 1e-5


def graph_of(links: set[tuple[int, int]]) -> Graph:
    return Graph.from_links([source for source, _ in links], [target for _, target in links], 8)


def test_a_link_to_a_page_without_links_raises_its_rank(tmp_path: Path) -> None:
    store = write_store(tmp_path / "s.db", pages())
    found = what_if(store, f"http://a.test/{LAST}", f"http://a.test/{ALONE}")
    assert not found.is_there
    assert found.target.after > found.target.before
    assert what_if(store, f"http://a.test/{FRONT}", f"http://a.test/{LAST}").is_there
    with pytest.raises(StoreUnusable, match="no local page"):
        what_if(store, f"http://a.test/{FRONT}", "http://b.test/")


def test_a_rule_of_a_file_is_asked_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, file = write_store(tmp_path / "s.db", pages()), tmp_path / "rules.py"
    file.write_text(
        "from hinterland.audit_rules import Faults, Group, Rule, Severity\n"
        "class Short(Rule):\n"
        "    name, title, group, severity = 'title-short', 'Short titles', Group.CONTENT, Severity.ERROR\n"
        "    why = mend = 'Write more.'\n"
        "    def faults(self, store):\n"
        "        return Faults.of(store.documents.pages[:1])\n"
        "AUDIT_RULES = {'title-short': Short}\n",
        encoding="utf-8",
    )
    assert main(["audit", str(store), "--plugin", str(file), "--rule", "title-short"]) == 0
    assert "1  Short titles [title-short]" in capsys.readouterr().out
