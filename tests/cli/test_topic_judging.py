"""`topic judge`: how many pages of a store are called relevant, by a share, by answers or by itself."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hinterland.cli import main
from hinterland.cli.topic.sample_questions import SampleQuestions
from hinterland.crawler.features.topics.model.words import word_model
from hinterland.storage.reading.opening import reading
from tests.support.in_process import complaint, said
from tests.support.stored_pages import Page, essay, write_store
from tests.support.topics import topic_store, url

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return topic_store(tmp_path_factory.mktemp("judging") / "pages.db")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a topic of six examples."""
    monkeypatch.chdir(tmp_path)
    like, unlike = [url(number) for number in (0, 1, 2)], [url(number) for number in (6, 7, 8)]
    said(capsys, "topic", "new", "gardening", "--like", *like, "--unlike", *unlike, "--store", store)
    return tmp_path


def test_a_share_that_is_given_is_the_share_of_relevant_pages(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    told = said(capsys, "topic", "judge", "gardening", "--store", store, "--share", "50%")
    assert "120 pages judged; 60 of them (50.0%) are probably about gardening" in told
    with reading(store) as reader:
        assert reader.topics.counts()[1] == 60
        assert all((reader.topics.relevance_of(page) or 0) >= 0.5 for page in (0, 1, 12, 25))
    told = said(capsys, "topic", "judge", "gardening", "--store", store)
    assert "is a guess, and often wrong: --ask 20" in told


def test_answers_tell_precision_and_recall(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: Path, folder: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("x\ny\ns\nn\nq\n"))
    told = said(capsys, "topic", "judge", "gardening", "--store", store, "--ask", 10)
    assert "'x' is not an answer; y: about the topic" in told
    assert "4 of 10" in told
    assert "by 2 answers of yours: precision" in told
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "is a guess" in said(capsys, "topic", "judge", "gardening", "--store", store, "--ask", 10)


def test_a_sample_is_judged_by_further_models_without_reading_it_again(store: Path) -> None:
    with reading(store) as reader:
        asked = SampleQuestions(reader, 20, iter(()), lambda _line: None)
        all_pages = asked.scores(word_model("soil"))
        first = asked.scores(word_model("compost"), 50)
    second = asked.scores(word_model("soil"), 50)
    assert len(all_pages.pages) == 120
    assert len(first.pages) == 50
    assert first.pages.tolist() == second.pages.tolist()
    by_page = dict(zip(all_pages.pages.tolist(), all_pages.log_odds.tolist(), strict=True))
    assert second.log_odds.tolist() == [by_page[page] for page in second.pages.tolist()]
    assert len(set(second.log_odds.tolist())) > 1


def test_what_cannot_be_asked_is_said_with_the_way_out(
    capsys: pytest.CaptureFixture[str], folder: Path, store: Path
) -> None:
    few = write_store(folder / "few.db", [Page(text=essay(number)) for number in range(3)])
    assert "at least 100 pages" in complaint(capsys, "topic", "judge", "gardening", "--store", few, "--ask", 5)
    assert "--share sets it" in said(capsys, "topic", "judge", "gardening", "--store", few)
    both = complaint(capsys, "topic", "judge", "gardening", "--store", store, "--ask", 5, "--share", "0.1")
    assert "give only one of them" in both


@pytest.mark.parametrize("share", ["0", "120%", "many"])
def test_what_is_no_share_is_refused(capsys: pytest.CaptureFixture[str], share: str) -> None:
    with pytest.raises(SystemExit):
        main(["topic", "judge", "gardening", "--share", share])
    assert "write it as 8% or 0.08" in capsys.readouterr().err
