"""The peers in the box: who runs, who is left out and why, and what their spiders follow and note."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.internet.crawls import Failure, Place
from benchmarks.internet.manners import Politeness
from benchmarks.internet.peers import peers_of
from benchmarks.internet.peers_links import Failures, Links
from benchmarks.internet.world import World

WORLD = World(1, [], [])


def test_without_an_interpreter_the_peers_are_left_out_with_a_sentence() -> None:
    contestants, left_out = peers_of(None, Politeness())
    assert not contestants
    assert "--peers-python" in left_out[0]


def test_an_interpreter_that_lacks_them_is_named_with_the_reason(tmp_path: Path) -> None:
    lacking = tmp_path / "python"
    lacking.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import a_package_that_is_nowhere'\n")
    lacking.chmod(0o755)
    for python, reason in ((lacking, "a_package_that_is_nowhere"), (tmp_path / "nothing", "No such file")):
        contestants, left_out = peers_of(python, Politeness())
        assert not contestants
        assert [sentence.split()[0] for sentence in left_out] == ["scrapy", "crawlee"]
        assert all(str(python) in sentence and reason in sentence for sentence in left_out)


def test_an_interpreter_that_has_them_runs_them_with_the_delay_of_our_crawl(tmp_path: Path) -> None:
    having = tmp_path / "python"
    having.write_text("#!/bin/sh\nexit 0\n")
    having.chmod(0o755)
    contestants, left_out = peers_of(having, Politeness(delay_seconds=2.5))
    assert [each.name for each in contestants] == ["scrapy", "crawlee"]
    assert not left_out
    place = Place(tmp_path)
    for each in contestants:
        [stage] = each.stages(WORLD, place)
        assert stage.command[stage.command.index("--delay") + 1] == "2.5"
        assert each.failures(place) == []
        written = Failures()
        written.add("http://a.example/1", "dns_failure", "no such name")
        written.add("http://a.example/2", "dns_failure", "no such name")
        written.write(Path(stage.command[stage.command.index("--failures") + 1]))
        assert each.failures(place) == [Failure("a.example", "dns_failure", "no such name")]
        Path(stage.command[stage.command.index("--failures") + 1]).unlink()


def test_links_to_hosts_of_the_seeds_are_followed_once() -> None:
    links = Links(["http://a.example/", "https://b.example/"])
    body = b"""<a href="/1">1</a><a href="/1#part">1</a><a href="http://a.example/">home</a>
        <a href="https://www.b.example/2">2</a><a href="http://elsewhere.example/">out</a><a href="http://[">broken</a>"""
    assert links.new("http://a.example/", body) == ["http://a.example/1", "https://www.b.example/2"]
    assert links.new("http://a.example/", body) == []


def test_a_list_of_failures_is_json(tmp_path: Path) -> None:
    failures = Failures()
    failures.add("http://a.example:8080/x", "timeout", "slow")
    failures.write(tmp_path / "failures.json")
    assert json.loads((tmp_path / "failures.json").read_text()) == [["a.example", "timeout", "slow"]]
