"""What a new order has made superfluous."""

from __future__ import annotations

from weakref import ref

from hinterland.crawler.frontier.garbage import Garbage


class Thing:
    """Something a weak reference can watch."""


def test_everything_is_freed_in_portions() -> None:
    things = [Thing() for _ in range(7)]
    watched = [ref(thing) for thing in things]
    garbage = Garbage(things[:3], dict(enumerate(things[3:5])), [])
    garbage.add(Garbage(things[5:]))
    del things
    assert [sum(each() is not None for each in watched) for _ in garbage.parts(2)] == [5, 3, 1]
    assert not any(each() for each in watched)


def test_nothing_is_free_at_once() -> None:
    assert not list(Garbage([], {}).parts(1))
