"""`crawl --topic` and `--targets`: what is refused, with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.features.topics.model.training import train
from hinterland.library.crawls.topic_choice import chosen_topic
from hinterland.library.errors import HinterlandError
from tests.support.in_process import complaint
from tests.support.topics import background, examples


@pytest.mark.slow
def test_a_topic_file_is_taken_up_under_its_name(tmp_path: Path) -> None:
    file = tmp_path / "gardening.topic"
    file.write_bytes(train(examples(), background()).model.to_bytes())
    topic = chosen_topic(str(file), None)
    assert topic is not None
    assert (topic.name, topic.model, topic.targets) == ("gardening", file.read_bytes(), ())


def test_content_types_are_taken_up_in_lower_case_without_spaces() -> None:
    topic = chosen_topic(None, "application/PDF, application/zip,")
    assert topic is not None
    assert (topic.name, topic.model) == ("application/pdf, application/zip", None)
    assert topic.targets == ("application/pdf", "application/zip")


def test_without_either_there_is_no_topic() -> None:
    assert chosen_topic(None, None) is None


@pytest.mark.parametrize(
    "topic, targets, said",
    [
        ("nowhere.topic", None, "--topic: nowhere.topic cannot be read: No such file or directory; `topic new` makes"),
        (__file__, None, "is not a topic file"),
        (None, "pdf", "--targets: 'pdf' is not a content type such as application/pdf"),
        (None, " , ", "--targets: name a content type, such as application/pdf"),
        ("a.topic", "application/pdf", "--topic looks for pages and --targets for files: give one of them"),
    ],
)
def test_what_is_no_topic_is_refused(topic: str | None, targets: str | None, said: str) -> None:
    with pytest.raises(HinterlandError) as refused:
        chosen_topic(topic, targets)
    assert said in str(refused.value)


def test_a_policy_that_looks_for_something_wants_to_know_what(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    allowed = ("--set", "fetching.allow_networks=127.0.0.0/8")
    said = complaint(capsys, "crawl", "http://localhost:1/", "--store", store, "--policy", "focused", *allowed)
    assert "policy focused needs a topic: give --topic FILE, --targets TYPES or --classifier NAME" in said


def test_a_stored_graph_has_no_topic_to_replay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    graph = tmp_path / "graph.txt"
    graph.write_text("0 1\n1 2\n")
    said = complaint(capsys, "simulate", graph, "--policies", "bfs,focused")
    assert "the policy focused needs the text of pages to judge their topic, and a graph has no text" in said
