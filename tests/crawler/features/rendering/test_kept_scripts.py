from __future__ import annotations

from hinterland.crawler.features.rendering.kept_scripts import KeptScripts
from hinterland.crawler.fetching.answers import Answer


def answer(size: int) -> Answer:
    return Answer(200, b"x" * size, 0.0)


def test_a_script_is_kept_for_a_while() -> None:
    kept, script = KeptScripts(seconds=10.0), answer(1)
    kept.keep("http://a.test/1.js", script, 100.0)
    assert kept.get("http://a.test/1.js", 109.0) is script
    assert kept.get("http://a.test/1.js", 110.0) is None
    assert kept.get("http://a.test/2.js", 100.0) is None


def test_the_least_recently_used_scripts_are_dropped_first() -> None:
    kept = KeptScripts(max_bytes=10)
    for name in "abc":
        kept.keep(name, answer(4), 0.0)
        kept.get("a", 0.0)
    assert [name for name in "abc" if kept.get(name, 0.0)] == ["a", "c"]


def test_a_script_kept_twice_counts_once() -> None:
    kept = KeptScripts(max_bytes=10)
    for _ in range(5):
        kept.keep("a", answer(6), 0.0)
    assert kept.get("a", 0.0) is not None
    kept.keep("b", answer(4), 0.0)
    assert kept.get("a", 0.0) is not None


def test_a_script_that_is_too_large_is_not_kept() -> None:
    kept = KeptScripts(max_bytes=10)
    kept.keep("a", answer(11), 0.0)
    assert kept.get("a", 0.0) is None
