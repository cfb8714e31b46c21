"""Pages come back in the order they are due, host by host, whatever is moved, held or sorted meanwhile."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.due_order import DueOrder, sorted_by_due


def order_of(due: list[int], hosts: list[int]) -> DueOrder:
    order = DueOrder()
    order.grow(len(due))
    order.hosts[:] = hosts
    for page, time in enumerate(due):
        order.put(page, time)
    return order


def test_what_is_due_first_comes_first_and_the_lower_number_among_equals() -> None:
    order = order_of([30, 10, 20, 10], [0, 1, 0, 2])
    assert [order.take_first()[:2] for _ in range(4) if order.first()] == [(10, 1), (10, 3), (20, 2), (30, 0)]
    assert order.first() is None


def test_a_held_host_is_passed_over_and_keeps_its_order() -> None:
    order = order_of([1, 2, 3], [0, 0, 1])
    order.hold(0)
    assert order.first() == (3, 2, 1)
    order.release(0)
    assert order.first() == (1, 0, 0)


def test_two_orders_cannot_be_sorted_at_once() -> None:
    order = order_of([1], [0])
    order.begin()
    with pytest.raises(RuntimeError, match="another base is being sorted"):
        order.begin()


@pytest.mark.parametrize("seed", range(12))
def test_the_order_is_that_of_a_plain_list(seed: int) -> None:
    """Random operations, against a dictionary that is searched."""
    draw = random.Random(seed)
    order, hosts = DueOrder(), [draw.randrange(5) for _ in range(60)]
    order.grow(60)
    order.hosts[:] = hosts
    due, held = dict[int, int](), set[int]()
    snapshot: tuple[np.ndarray, np.ndarray] | None = None
    moved = set[int]()
    for _ in range(1500):
        match draw.choice(["put", "put", "take", "take", "remove", "hold", "release", "sort"]):
            case "put":
                page, time = draw.randrange(60), draw.randrange(100)
                order.put(page, time)
                due[page] = time
                moved.add(page)
            case "take":
                free = [(time, page, hosts[page]) for page, time in due.items() if hosts[page] not in held]
                assert order.first() == min(free, default=None)
                if free:
                    page = order.take_first()[1]
                    del due[page]
                    moved.add(page)
            case "remove":
                page = draw.randrange(60)
                order.remove(page)
                due.pop(page, None)
                moved.add(page)
            case "hold":
                held.add(host := draw.randrange(5))
                order.hold(host)
            case "release":
                held.discard(host := draw.randrange(5))
                order.release(host)
            case "sort" if snapshot is None:
                pages, moved = order.begin(), set()
                assert pages.tolist() == sorted(due)
                snapshot = pages, np.array([draw.randrange(100) for _ in pages], np.uint32)
            case "sort":
                assert snapshot is not None
                pages, times = snapshot
                new = order.due.copy()
                new[pages] = times
                order.install(sorted_by_due(pages, order.hosts[pages], times), new)
                due |= {page: int(time) for page, time in zip(pages.tolist(), times, strict=True) if page not in moved}
                snapshot = None


def test_many_pages_at_once_are_ordered_without_heaps() -> None:
    order = DueOrder()
    order.grow(10_000)
    order.hosts[:] = np.arange(10_000) % 7
    order.put_all(np.arange(10_000), np.arange(10_000, 0, -1).astype(np.uint32))
    assert order.moved_count == 0
    assert [order.take_first()[1] for _ in range(3) if order.first()] == [9999, 9998, 9997]
