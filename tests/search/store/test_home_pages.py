"""Which pages are home pages, and which words name them."""

from __future__ import annotations

import pytest

from hinterland.search.store.home_pages import home_depth, names_of_site


@pytest.mark.parametrize(
    "url, depth",
    [
        ("http://a.example/", 0),
        ("http://a.example/index.html", 0),
        ("https://docs.a.example/en/latest/", 0),
        ("http://a.example/3/index.en.html", 0),
        ("http://a.example/docs/latest-v18.x/api/index.html", 0),
        ("http://docs.a.example/keystone/latest/index.html", 1),
        ("http://a.example/kerberos/krb5-latest/doc/index.html", 1),
        ("http://a.example/doc/manuals/faq/", 1),
        ("http://a.example/a/b/", 2),
        ("http://a.example/a/b/c/", None),
        ("http://a.example/about.html", None),
        ("http://a.example/?page=2", None),
    ],
)
def test_a_home_page_is_the_index_of_a_folder_below_few_others(url: str, depth: int | None) -> None:
    assert home_depth(url) == depth


@pytest.mark.parametrize(
    "url, names",
    [
        ("http://docs.a.example/keystone/latest/index.html", ["docs", "a", "keystone", "latest"]),
        ("http://localhost:8080/", ["localhost"]),
        ("http://a.example/K%C3%A4se/", ["a", "Käse"]),
    ],
)
def test_host_and_folders_name_a_site(url: str, names: list[str]) -> None:
    assert names_of_site(url).split() == names
