"""Compiling: once, said when it is done, and not needing a place to keep what was made."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numba.core.caching
import pytest

from analysis.compiled import compiled, told_of_compiling


def doubled(number: int) -> int:
    return 2 * number


def test_where_machine_code_cannot_be_kept_every_process_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])
    assert compiled(doubled)(21) == 42


def test_that_something_is_compiled_is_told_once_and_nothing_when_it_was_compiled_before() -> None:
    told = list[str]()
    function: Callable[[float], float] = numba.njit(lambda number: 2 * number)
    with told_of_compiling(lambda: told.append("first")):
        function(1)
        function(1.5)
    with told_of_compiling(lambda: told.append("again")):
        function(2)
    assert told == ["first"]
