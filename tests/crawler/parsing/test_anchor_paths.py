"""The elements around links: how paths describe them, and where they end."""

from __future__ import annotations

from hinterland.crawler.parsing.html.page_bounds import MAX_BYTES_OF_PATHS, MAX_NAME_BYTES, MAX_PATH_ELEMENTS
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from tests.support.page_parsing import parsed


def _paths(html: str) -> dict[str, str]:
    page, text = parsed(
        html.encode(),
        url="http://a.example/",
        content_type="text/html; charset=utf-8",
        resolver=LinkResolver(Canonicaliser()),
        agent="Hinterland",
        with_paths=True,
    )
    links = (url.removeprefix("http://a.example/") for url in page.link_urls)
    return dict(zip(links, text.link_paths, strict=True))


def test_a_path_names_the_elements_around_a_link_the_outermost_first() -> None:
    assert _paths("<body><ul><li><a href=x>x</a>") == {"x": "body/ul/li"}


def test_an_element_is_distinguished_by_its_first_class_or_else_its_id() -> None:
    html = "<div class='side bar' id=no><p id=top class><a href=x>x</a></p><a href=y>y</a></div>"
    assert _paths(html) == {"x": "body/div.side/p#top", "y": "body/div.side"}


def test_a_link_that_stands_in_several_places_has_the_path_of_the_first() -> None:
    assert _paths("<p><a href=x>x</a></p><div><a href=./x>again</a></div>") == {"x": "body/p"}


def test_links_that_are_no_anchors_have_no_path() -> None:
    assert _paths("<a href=x>x</a><link rel=next href=y>") == {"x": "body", "y": ""}


def test_a_path_in_deep_nesting_names_the_elements_next_to_the_link() -> None:
    html = "".join(f"<div id=d{n}>" for n in range(99)) + "<a href=x>x</a>"
    assert _paths(html)["x"] == "/".join(f"div#d{n}" for n in range(99 - MAX_PATH_ELEMENTS, 99))


def test_names_that_are_too_long_or_not_ascii_are_left_out() -> None:
    most, more = "n" * MAX_NAME_BYTES, "n" * (MAX_NAME_BYTES + 1)
    html = f"<p class={most}><a href=a>a</a></p><p class={more}><a href=b>b</a></p><p id=é><a href=c>c</a></p>"
    assert _paths(html) == {"a": f"body/p.{most}", "b": "body/p", "c": "body/p"}


def test_all_paths_of_a_page_together_have_a_bound() -> None:
    around = "".join(f"<div class={'c' * MAX_NAME_BYTES}>" for _ in range(MAX_PATH_ELEMENTS))
    paths = list(_paths(around + "".join(f"<a href={n}>x</a>" for n in range(6000))).values())
    assert paths[0]
    assert paths[-1] == ""
    assert sum(len(path) + 1 for path in paths[:-1]) < MAX_BYTES_OF_PATHS + 4000


def test_paths_are_read_only_if_asked_for() -> None:
    _, text = parsed(
        b"<a href=x>x</a>",
        url="http://a.example/",
        content_type=None,
        resolver=LinkResolver(Canonicaliser()),
        agent="Hinterland",
    )
    assert text.link_paths == []
