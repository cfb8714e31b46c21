"""Lists of inlinks as people have them: with commas or tabs, with or without a header."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.library.errors import HinterlandError
from hinterland.library.other_sources.inlink_rows import InlinkRow, inlink_rows

PAIR = InlinkRow("https://b.example/", "https://a.example/x")


@pytest.mark.parametrize(
    "text, rows",
    [
        ("https://b.example/,https://a.example/x\n", [PAIR]),
        ("https://b.example/\thttps://a.example/x\n", [PAIR]),
        ("\ufeffreferrer,target\r\nhttps://b.example/,https://a.example/x,200\r\n", [PAIR]),
        ('"https://b.example/?a,b",https://a.example/\n', [InlinkRow("https://b.example/?a,b", "https://a.example/")]),
        ("page\tlinks\nhttps://a.example/x\t17\n", [InlinkRow(None, "https://a.example/x", 17)]),
        (
            "https://b.example/,https://a.example/x\n\n-,https://a.example/\nhttps://a.example/,many\n",
            [PAIR, None, None],
        ),
        ("", []),
    ],
    ids=["commas", "tabs", "header and a third column", "quotes", "counts", "unreadable rows", "empty"],
)
def test_rows_are_read(tmp_path: Path, text: str, rows: list[InlinkRow | None]) -> None:
    file = tmp_path / "inlinks.csv"
    file.write_text(text, encoding="utf-8", newline="")
    assert list(inlink_rows(file)) == rows


def test_a_file_that_is_not_there_is_a_complaint(tmp_path: Path) -> None:
    with pytest.raises(HinterlandError, match=r"--inlinks .*No such file"):
        list(inlink_rows(tmp_path / "none.csv"))
