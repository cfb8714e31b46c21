"""What is said on stderr while something is compiled."""

from __future__ import annotations

from hinterland.cli.compiling_notice import CompilingNotice


class Noticed:
    """A notice under a clock that stands until it is moved."""

    def __init__(self) -> None:
        self.said = list[str]()
        self.now = 100.0
        self.notice = CompilingNotice(self.said.append, lambda: self.now)

    def compile(self, seconds: float, *, is_done: bool = True) -> None:
        self.notice.begins()
        for _ in range(int(seconds)):
            self.wait(1.0)
        self.now += seconds - int(seconds)
        self.notice.ended(is_done)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.notice.look()


def test_compiling_is_announced_at_once_with_its_duration_at_the_end() -> None:
    noticed = Noticed()
    noticed.notice.begins()
    assert noticed.said == ["compiling, once on this machine"]
    noticed.wait(4.25)
    noticed.notice.ended(True)
    noticed.wait(1.0)
    assert noticed.said[1:] == ["compiled in 4.2 s"]


def test_loops_compiled_one_after_another_are_reported_as_one() -> None:
    noticed = Noticed()
    for _ in range(3):
        noticed.compile(2.0)
        noticed.wait(0.5)
    noticed.wait(1.0)
    assert noticed.said == ["compiling, once on this machine", "compiled in 7.0 s"]


def test_a_long_compilation_is_reported_now_and_then() -> None:
    noticed = Noticed()
    noticed.compile(85.0)
    noticed.notice.close()
    assert noticed.said == [
        "compiling, once on this machine",
        "compiling, once on this machine: 10 s",
        "compiling, once on this machine: 20 s",
        "compiling, once on this machine: 40 s",
        "compiling, once on this machine: 1 min 20 s",
        "compiled in 1 min 25 s",
    ]


def test_a_later_compilation_is_reported_only_if_it_takes_long() -> None:
    noticed = Noticed()
    noticed.compile(2.0)
    noticed.wait(5.0)
    noticed.compile(3.0)
    noticed.wait(5.0)
    assert noticed.said == ["compiling, once on this machine", "compiled in 2.0 s"]
    noticed.compile(12.0)
    noticed.wait(5.0)
    assert noticed.said[2:] == ["compiling, once on this machine: 10 s", "compiled in 12 s"]


def test_a_command_that_ends_meanwhile_says_that_compiling_was_cut_short() -> None:
    noticed = Noticed()
    noticed.compile(3.0, is_done=False)
    noticed.notice.close()
    assert noticed.said[1:] == ["compiling was interrupted after 3.0 s"]


def test_a_command_that_compiles_nothing_says_nothing() -> None:
    noticed = Noticed()
    noticed.wait(20.0)
    noticed.notice.close()
    assert noticed.said == []
