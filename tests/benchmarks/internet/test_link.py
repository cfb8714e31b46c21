"""The input and output of the link of the box; test_network.py sends packets through it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.internet.link import Counters, LinkUnusable, Way, link_program, read_counters, table_lines
from benchmarks.internet.network import NAME_SERVER
from benchmarks.internet.world import Host, Link, Machine, Quirk, World
from benchmarks.internet.world import Path as NetworkPath

COUNTED = Way(3, 4500, 1, 0, 2, 0, 0, 0.5, 0.1, 1.0, 9.0, 12.0, 0.1, 0.2)


def test_the_table_has_the_link_and_a_line_for_each_address() -> None:
    path = NetworkPath(0.1, 0.01, 0.03, 0.005)
    machines = [Machine("198.18.0.1", "2001:db8::1", path), Machine("198.18.0.2", "", NetworkPath())]
    world = World(
        7,
        machines,
        [Host("a.example", 0), Host("b.example", 1)],
        Link(10e6, 2e6, 0.2),
        resolver_path=NetworkPath(0.01, loss=0.01),
    )
    assert list(table_lines(world, NAME_SERVER)) == [
        "link 10000000.000000 2000000.000000 0.200000 7",
        "198.51.100.53 0.005000000 0.000000000 0.010000000 0.000000000 arrives",
        "198.18.0.1 0.050000000 0.010000000 0.030000000 0.005000000 arrives",
        "2001:db8::1 0.050000000 0.010000000 0.030000000 0.005000000 arrives",
        "198.18.0.2 0.000000000 0.000000000 0.000000000 0.000000000 arrives",
    ]


def test_packets_vanish_on_the_way_to_a_family_that_does_not_work() -> None:
    machine = Machine("198.18.0.1", "2001:db8::1", NetworkPath(), v6_works=False)
    lines = list(table_lines(World(1, [machine], [Host("a.example", 0)]), NAME_SERVER))
    assert [line.rpartition(" ")[2] for line in lines[2:]] == ["arrives", "vanishes"]


@pytest.mark.parametrize(
    "quirks, fate",
    [
        ([Quirk.DOWN, Quirk.DOWN], "refuses"),
        ([Quirk.BLACK_HOLE], "vanishes"),
        ([Quirk.DOWN, Quirk.NONE], "arrives"),
        ([], "arrives"),
    ],
)
def test_a_machine_cannot_be_reached_if_all_hosts_on_it_cannot(quirks: list[Quirk], fate: str) -> None:
    hosts = [Host(f"h{number}.example", 0, quirk=quirk) for number, quirk in enumerate(quirks)]
    lines = list(table_lines(World(1, [Machine("198.18.0.1", "", NetworkPath())], hosts), NAME_SERVER))
    assert lines[2].endswith(fate)


def test_counters_are_read_while_a_line_of_them_is_written(tmp_path: Path) -> None:
    file = tmp_path / "link.jsonl"
    ways = {"up": asdict(COUNTED), "down": asdict(COUNTED)}
    line = {"seconds": 1, "cpu_seconds": 0.02, "unknown": 0, "failed": 0, "second": ways, "total": ways}
    file.write_text(json.dumps(line) + "\n" + json.dumps(line)[:50])
    expected = Counters(1, 0.02, 0, 0, COUNTED, COUNTED)
    assert read_counters(file) == ([expected], expected)


def test_there_are_no_counters_before_the_first_second(tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").touch()
    assert read_counters(tmp_path / "link.jsonl") == ([], None)


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    link_program.cache_clear()
    with pytest.raises(LinkUnusable, match="no C compiler 'no-such-compiler'"):
        link_program()
    link_program.cache_clear()
