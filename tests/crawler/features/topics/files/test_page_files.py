"""Examples that lie in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.features.topics.files import page_files
from hinterland.crawler.features.topics.files.page_files import BadFile, read_example


def test_what_is_neither_a_page_nor_a_text_is_no_example(tmp_path: Path) -> None:
    file = tmp_path / "picture.html"
    file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(BadFile, match=r"picture\.html is neither HTML nor text"):
        read_example(file, is_about=True)


def test_a_text_in_utf_16_is_one_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes("<title>compost</title>".encode("utf-16"))
    example = read_example(file, is_about=True)
    assert not isinstance(example, page_files.UrlList)
    assert len(example.page.buckets)


def test_a_file_larger_than_a_page_can_be_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_files, "MOST_BYTES", 10)
    (tmp_path / "a.txt").write_text("more than ten")
    with pytest.raises(BadFile, match=r"has 13 bytes, more than a page can have \(10\)"):
        read_example(tmp_path / "a.txt", is_about=True)
