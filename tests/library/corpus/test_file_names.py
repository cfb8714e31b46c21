"""Names of files for pages: safe, different on every system, and those of the site where that can be."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.library.corpus.file_names import FILE_NAMES, FileNames, hash_of, plain_path

A = "https://a.test"


@pytest.mark.parametrize(
    "url, path",
    [
        (f"{A}/", "https-a.test/index.md"),
        ("http://a.test:8080/x", "http-a.test_8080/x.md"),
        (f"{A}/docs/page.html", "https-a.test/docs/page.md"),
        (f"{A}/docs/", "https-a.test/docs/index.md"),
        (f"{A}/a%20b.x", "https-a.test/a%20b.x.md"),
        (f"{A}/x.md/y", f"https-a.test/x.md_/y-{hash_of(f'{A}/x.md/y')}.md"),
        (f"{A}/x?b=1", f"https-a.test/x-b=1-{hash_of(f'{A}/x?b=1')}.md"),
        (f"{A}/con/nul.html", f"https-a.test/_con/_nul-{hash_of(f'{A}/con/nul.html')}.md"),
        (f"{A}/.../x", f"https-a.test/_/x-{hash_of(f'{A}/.../x')}.md"),
        (f"{A}/a:b*", f"https-a.test/a_b_-{hash_of(f'{A}/a:b*')}.md"),
    ],
)
def test_a_path_is_that_of_the_url_if_every_system_takes_it(url: str, path: str) -> None:
    assert plain_path(url) == path


def test_paths_that_differ_by_case_get_a_hash() -> None:
    urls = [f"{A}/Page", f"{A}/page", f"{A}/page.html", f"{A}/other"]
    names = FileNames(urls)
    assert [names.path(url) for url in urls] == [
        f"https-a.test/Page-{hash_of(urls[0])}.md",
        f"https-a.test/page-{hash_of(urls[1])}.md",
        f"https-a.test/page-{hash_of(urls[2])}.md",
        "https-a.test/other.md",
    ]


part = st.text('aA.:~ %*?con/\\"<>|é2_', max_size=60) | st.sampled_from(
    ["..", ".", "CON", "aux.txt", "x.md", "a" * 300]
)


@given(st.lists(part, min_size=1, max_size=8), st.lists(part, max_size=8))
def test_no_name_leads_elsewhere_or_is_that_of_another_page(some: list[str], others: list[str]) -> None:
    urls = list(dict.fromkeys(f"{A}/{'/'.join(parts)}" for parts in (some, others, [*some, *others])))
    names = FileNames(urls)
    paths = [names.path(url) for url in urls]
    files = {path.casefold() for path in paths}
    folders = {
        "/".join(path.casefold().split("/")[:depth]) for path in paths for depth in range(1, path.count("/") + 1)
    }
    assert len(files) == len(urls)
    assert files.isdisjoint(folders)
    for path in paths:
        assert re.fullmatch(FILE_NAMES, path)
        assert len(path.encode()) <= 300
        for name in path.split("/"):
            assert name.strip(". ") == name
            assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)


def test_a_long_path_is_short_and_still_its_own() -> None:
    deep = [f"{A}/{'/'.join('folder' for _ in range(depth))}/page" for depth in (60, 61)]
    first, second = map(plain_path, deep)
    assert first != second
    assert all(len(path) < 200 for path in (first, second))
    assert all(a != b for a, b in pairwise(sorted((first, second))))
