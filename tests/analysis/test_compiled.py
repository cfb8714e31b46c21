"""Compiling: not before something is computed, once, said when it is done, and not needing a place to keep it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numba
import numba.core.caching
import pytest

from hinterland.analysis.compile_events import compiling, watched
from hinterland.analysis.compiled import Compiled, compiled, is_kept

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@compiled
def quadrupled(number: int) -> int:
    return doubled(doubled(number))


@compiled
def doubled(number: int) -> int:
    """Twice as much."""
    return 2 * number


def run(program: str, folder: Path = ROOT) -> str:
    """What a Python program prints; it finds this project's modules and those in its folder."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{program}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_brings_the_compiler_until_something_is_computed() -> None:
    stems = {file.stem for file in (ROOT / "analysis").glob("*.py")} - {"machine_code"}
    modules = [f"hinterland.analysis.{stem}" for stem in stems]
    others = ("crawler.policies", "crawler.policies.warm_up", "lab.commands.experiments.evaluate")
    modules += [f"hinterland.{name}" for name in others]
    imports = f"import importlib; [importlib.import_module(name) for name in {modules}]"
    computes = "import numpy; importlib.import_module('hinterland.analysis.graph').occurrences(numpy.zeros(1, 'i4'), 1)"
    asks = "print('numba' in sys.modules)"
    assert run(f"{imports}\n{asks}\n{computes}\n{asks}").split() == ["False", "True"]


def test_the_compiler_does_not_bring_scipy_and_still_finds_it_where_matrices_are_multiplied() -> None:
    computes = "import numpy; from hinterland.analysis.graph import occurrences; occurrences(numpy.zeros(1, 'i4'), 1)"
    knows = "from numba.np import arraymath, linalg; print(arraymath._HAVE_BLAS, arraymath.ensure_blas.__module__)"
    looks = "linalg.ensure_blas()"
    asks = "import sys; print('scipy.linalg' in sys.modules)"
    said = run(f"{computes}\n{asks}\n{knows}\n{looks}\n{asks}").split()
    assert said == ["False", "True", "numba.np.linalg", "True"]


def test_compiled_functions_call_each_other_whichever_is_written_and_called_first() -> None:
    assert quadrupled(3) == 12
    assert doubled(3) == 6
    assert compiled(lambda number: quadrupled(number) + 1)(3) == 13


def test_what_is_called_in_another_module_is_compiled_as_well(tmp_path: Path) -> None:
    (tmp_path / "below.py").write_text(f"{COMPILED}def one_more(number):\n    return number + 1\n")
    (tmp_path / "above.py").write_text(
        f"from below import one_more\n{COMPILED}def two_more(number):\n    return one_more(one_more(number))\n"
    )
    assert run("import above; print(above.two_more(1))", tmp_path).split() == ["3"]


def test_what_was_compiled_is_kept_for_other_processes(tmp_path: Path) -> None:
    (tmp_path / "below.py").write_text(
        f"{COMPILED}def one_more(number):\n    return number + 1\n"
        f"{COMPILED}def two_more(number):\n    return one_more(one_more(number))\n"
    )
    program = "import below\n"
    program += "class Tells:\n  begins = lambda self: print('compiling')\n  ended = lambda self, is_done: None\n"
    program += "with below.watched(Tells()): print(below.two_more(1))"
    assert run(program, tmp_path).split() == ["compiling", "3"]
    assert run(program, tmp_path).split() == ["3"]


COMPILED = (
    "from hinterland.analysis.compile_events import watched\n"
    "from hinterland.analysis.compiled import compiled\n\n@compiled\n"
)


def test_two_threads_that_call_first_share_what_is_made() -> None:
    function = Compiled(inspect.unwrap(doubled))
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: function.dispatcher(), range(2))
    assert first is second


def test_a_compiled_function_keeps_its_name_and_what_it_says_of_itself() -> None:
    assert (vars(doubled)["__name__"], doubled.__doc__) == ("doubled", "Twice as much.")


def test_where_machine_code_cannot_be_kept_every_process_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])
    assert compiled(lambda number: 2 * number)(21) == 42


class Heard:
    """A Watcher that records its events; with is_against it cancels every compilation."""

    def __init__(self, *, is_against: bool = False) -> None:
        self.told = list[str]()
        self._is_against = is_against

    def begins(self) -> None:
        self.told.append("begins")
        if self._is_against:
            raise NotWanted

    def ended(self, is_done: bool) -> None:
        self.told.append("done" if is_done else "cut short")


class NotWanted(Exception):
    pass


@pytest.fixture
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of earlier runs of these tests."""
    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])


@pytest.mark.usefixtures("nothing_is_kept")
def test_compiling_a_function_and_those_it_calls_is_one_event_and_happens_once() -> None:
    function = compiled(lambda number: quadrupled(number) + 2.5)
    heard, again = Heard(), Heard()
    with watched(heard):
        assert function(3) == 14.5
        assert function(5) == 22.5
    with watched(again):
        assert function(7) == 30.5
    assert (heard.told, again.told) == (["begins", "done"], [])


@pytest.mark.usefixtures("nothing_is_kept")
def test_only_the_innermost_watcher_receives_events() -> None:
    outer, inner = Heard(), Heard()
    with watched(outer), watched(inner):
        assert compiled(lambda number: number + 0.25)(1) == 1.25
    assert (outer.told, inner.told) == ([], ["begins", "done"])


@pytest.mark.usefixtures("nothing_is_kept")
def test_a_watcher_can_forbid_compiling_and_what_was_forbidden_can_be_compiled_later() -> None:
    function, against, heard = compiled(lambda number: number + 0.75), Heard(is_against=True), Heard()
    with watched(against), pytest.raises(NotWanted):
        function(1)
    with watched(heard):
        assert function(1) == 1.75
    assert (against.told, heard.told) == (["begins"], ["begins", "done"])


def test_compilation_in_another_process_is_reported_in_the_same_way() -> None:
    heard = Heard()
    with watched(heard):
        with compiling():
            pass
        with suppress(KeyError), compiling():
            raise KeyError
    assert heard.told == ["begins", "done", "begins", "cut short"]


def test_no_watcher_is_needed() -> None:
    with compiling():
        assert compiled(lambda number: number + 1.125)(1) == 2.125


def test_it_is_known_whether_machine_code_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_kept()
    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])
    assert not is_kept()
