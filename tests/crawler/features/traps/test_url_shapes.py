"""What is left of a URL when all that can be counted up or drawn at random is a class."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.traps.shape import Shape, Suspicion
from hinterland.crawler.features.traps.shape_tree import FAN_OUT, ShapeTree
from hinterland.crawler.features.traps.url_shapes import as_pattern, is_of_pattern, steps_of, steps_of_pattern


def shape(url: str) -> str:
    return as_pattern(steps_of(url), has_parts=False)


@pytest.mark.parametrize(
    "url, expected",
    [
        ("https://a.example/", "/"),
        ("https://a.example/docs/intro.html", "/docs/intro.html"),
        ("https://a.example/cal/2031/03", "/cal/{n}/{n}"),
        ("https://a.example/cal/2031-03-17.html", "/cal/{n}.html"),
        ("https://a.example/page12/v1.2.3", "/page{n}/v{n}"),
        ("https://a.example/s/8f3a09bd1177c0de/item.html", "/s/{token}/item.html"),
        ("https://a.example/(S(f3a09bd118ab))/shop", "/(S({token}))/shop"),
        ("https://a.example/x/550e8400-e29b-41d4-a716-446655440000", "/x/{token}"),
        ("https://a.example/t/a1b2C3d4E5f6G7", "/t/{token}"),
        ("https://a.example/shop;jsessionid=0A1B2C", "/shop;jsessionid"),
        ("https://a.example/tags/red+blue+small", "/tags/{list}"),
        ("https://a.example/list?size=3&colour=red&size=4", "/list?colour&size"),
        ("https://a.example/a/b/b/b/b/b", "/a/b/b/+"),
        ("https://a.example////", "///+"),
    ],
)
def test_the_shape_of_a_url_keeps_names_and_drops_numbers_and_tokens(url: str, expected: str) -> None:
    assert shape(url) == expected


@pytest.mark.parametrize("word", ["sha256sum.html", "internationalisation", "x86", "struct_iovec", "deadbeef"])
def test_a_word_is_not_taken_for_a_random_token(word: str) -> None:
    assert "{token}" not in shape(f"https://a.example/{word}")


@pytest.mark.slow
@given(st.lists(st.text("ab/1?&=;+-.%", max_size=12), max_size=40).map("/".join))
def test_however_long_a_url_is_its_shape_has_few_and_short_steps(path: str) -> None:
    steps = steps_of(f"https://a.example/{path}")
    assert len(steps) <= 13
    assert all(len(step) <= 700 for step in steps)


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["docs", "{n}", "*", "+", "*.html"]), min_size=1), st.sampled_from(["", "?", "?id&page"])
)
def test_a_shape_that_is_shown_can_be_read_back(path: list[str], query: str) -> None:
    steps = [*path, *(["?"] if query else []), *([query[1:]] if len(query) > 1 else [])]
    for has_parts in (False, True):
        assert steps_of_pattern(as_pattern(steps, has_parts=has_parts)) == steps


URLS = st.lists(
    st.one_of(
        st.lists(st.sampled_from(["a", "b", "", "*", "{n}", "1", "x.html", "+"]), max_size=14).map("/".join),
        st.text("ab/1?&=;+-.%*", max_size=30),
    ),
    max_size=60,
)


@pytest.mark.slow
@given(URLS)
def test_no_two_shapes_of_a_host_are_shown_alike_and_each_is_found_again_by_what_is_shown(paths: list[str]) -> None:
    tree = ShapeTree()
    for path in paths:
        tree.find(steps_of(f"https://a.example/{path}"))
    shapes = list(tree)
    assert len({shape.pattern() for shape in shapes}) == len(shapes)
    assert all(tree.find(steps_of_pattern(shape.pattern())) is shape for shape in shapes if shape.parent is not None)


@pytest.mark.parametrize(
    "upper, lower",
    [
        ("/a/b/c/d/e/f/g/h/i/j", "/a/b/c/d/e/f/g/h/i/j/k"),
        ("/a/a/a/b/b/b/c/c/c/d/d/d/x", "/a/a/a/b/b/b/c/c/c/d/d/d/x/y/z"),
        ("/list?id=1", "/list?=1"),
        ("/list?=1", "/list??=1"),
        ("/list/?=1", "/list??=1"),
        ("/a//b", "/a/b"),
        ("/1/2/3/4/5/6/7/8/9/10?x=1", "/1/2/3/4/5/6/7/8/9/10/11?x=1"),
    ],
)
def test_shapes_of_urls_that_look_alike_are_one_or_are_shown_differently(upper: str, lower: str) -> None:
    tree = ShapeTree()
    for url in (upper, lower):
        tree.find(steps_of(f"https://a.example{url}"))
    patterns = [shape.pattern() for shape in tree]
    assert len(set(patterns)) == len(patterns)


def test_a_url_is_of_the_shapes_at_and_above_it() -> None:
    steps = steps_of("https://a.example/docs/12/intro.html?page=3")
    for pattern in ("/docs/…", "/docs/{n}/…", "/docs/*/*.html?…", "/docs/{n}/intro.html?page", "/…"):
        assert is_of_pattern(steps, steps_of_pattern(pattern)), pattern
    for pattern in ("/blog/…", "/docs/{n}/intro.html?size", "/docs/*/*.php/…"):
        assert not is_of_pattern(steps, steps_of_pattern(pattern)), pattern


def test_a_folder_with_very_many_names_has_one_shape_for_the_rest_of_them() -> None:
    tree = ShapeTree()
    names = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
    shapes = [tree.find((name,)) for name in names]
    assert len(set(map(id, shapes))) == FAN_OUT + 1
    assert all(shape is shapes[-1] for shape in shapes[FAN_OUT:])
    pages = [tree.find((f"{name}.{name}",)) for name in names]
    assert pages[-1] is shapes[-1]
    assert len(tree.root.children or ()) == 2 * FAN_OUT
    assert tree.find((names[0],)) is shapes[0]


def test_a_tree_without_a_shape_for_the_rest_makes_one_when_it_is_full_of_endings() -> None:
    tree = ShapeTree()
    for number in range(3 * FAN_OUT):
        first, second = divmod(number, 10)
        tree.find((f"x.{chr(97 + first)}{chr(97 + second)}",))
    assert len(tree.root.children or ()) == 2 * FAN_OUT + 1
    assert "*" in (tree.root.children or {})


@pytest.mark.parametrize("suspicion", Suspicion)
def test_a_shape_that_was_slowed_in_an_earlier_run_is_no_more_trusted_than_then(suspicion: Suspicion) -> None:
    shape = Shape("x", Shape("", None))
    shape.restore(suspicion, visits=5_000, spent=4_000, earned=10)
    assert (shape.suspicion, shape.visits) == (suspicion, 5_000)
    assert shape.judge() is suspicion
    assert not shape.runs_out(5_000)
    assert shape.runs_out(1)
    assert not shape.runs_out(-1)
