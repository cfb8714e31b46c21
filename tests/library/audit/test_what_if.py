"""What a further link would do to a site, and rules of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.cli.commands import main
from hinterland.library.audit.what_if import what_if
from hinterland.library.errors import StoreUnusable
from tests.library.audit.site import ALONE, FRONT, LAST, pages
from tests.support.stored_pages import write_store


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
