"""`model`: graphs of models in files."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from hinterland.lab.models import MODELS
from hinterland.lab.models.copying import CopyingModel
from hinterland.library.graph_opening import open_graph
from tests.support.in_process import complaint, said

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", MODELS)
def test_a_graph_is_written_with_the_words_that_make_it_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(capsys, "model", name, "--pages", 800, "--seed", 3, "--out", tmp_path / "first.npz")
    words = text.splitlines()[0]
    with np.load(tmp_path / "first.npz") as arrays:
        assert str(arrays["made_by"]) == words
        first = dict(arrays)
    said(capsys, "model", *shlex.split(words), "--out", tmp_path / "again.npz")
    with np.load(tmp_path / "again.npz") as arrays:
        for key, array in first.items():
            assert np.array_equal(arrays[key], array), key
    drawn = MODELS[name]().draw(800, 3).graph
    graph = open_graph(tmp_path / "first.npz").crawled.links
    assert np.array_equal(graph.offsets, drawn.offsets)
    assert np.array_equal(graph.targets, drawn.targets)


def test_parameters_reach_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "model", "copying", "--pages", 500, "--links", 3, "--uniform", 0.4, "--out", tmp_path / "c.npz")
    drawn = CopyingModel(links=3, uniform=0.4).draw(500, 0).graph
    assert open_graph(tmp_path / "c.npz").crawled.links.link_count == drawn.link_count


def test_a_crawl_keeps_its_order_and_its_frontier(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--pages", 1000, "--crawled", 0.2, "--order", "dfs", "--out", tmp_path / "c.npz")
    text = said(capsys, "model", "random-crawl", *options)
    assert "200 pages crawled of " in text
    graph = open_graph(tmp_path / "c.npz")
    assert graph.visit_order is not None
    assert graph.visit_order.tolist() == list(range(200))
    assert graph.crawled.page_count > len(graph.crawled.order) == 200


def test_a_crawl_that_found_no_more_pages_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--pages", 1000, "--least-outdegree", 1, "--outdegree-exponent", 4, "--out", tmp_path / "c.npz")
    assert "The crawl ended early" in said(capsys, "model", "random-crawl", *options)


def test_mistakes_are_named_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--pages", 10, "--out", tmp_path / "m.npz")
    assert 'there is no model "copyin"; the nearest is "copying"' in complaint(capsys, "model", "copyin", *out)
    said_of_order = complaint(capsys, "model", "copying", "--order", "bfs", *out)
    assert "--order does not apply to the model copying; its parameters are --links, --uniform" in said_of_order
    assert "uniform is 2.0; a probability" in complaint(capsys, "model", "copying", "--uniform", 2, *out)
    assert not (tmp_path / "m.npz").exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"{'m' * 246}.npz"  # as long as a name can be, and longer until it is whole
    error = complaint(capsys, "model", "uniform", "--pages", 10, "--out", out)
    assert f"{out} cannot be written: File name too long" in error


def test_a_file_that_is_no_graph_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    error = complaint(capsys, "model", "uniform", "--pages", 10, "--out", tmp_path / "thesis.txt")
    assert "is not an earlier result" in error
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
