"""`topic`: from words or pages to a classifier, and what it says of itself."""

from __future__ import annotations

import io
import json
import math
import os
import random
import termios
from pathlib import Path

import numpy as np
import pytest

from hinterland.cli import main
from hinterland.cli.topic import making, telling
from hinterland.cli.topic.asking import ask
from hinterland.cli.topic.keys import answers_from
from hinterland.crawler.features.topics.files.review_session import ReviewSession
from hinterland.crawler.features.topics.files.stored_pages import StoredPage, sampled_pages
from hinterland.crawler.features.topics.files.topic_files import read_topic, write_topic
from hinterland.crawler.features.topics.model.describing import describe
from hinterland.crawler.features.topics.model.examples import Background
from hinterland.crawler.features.topics.model.function_words import says_nothing
from hinterland.crawler.features.topics.model.testing import Measure
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.storage.reading.opening import reading
from tests.support.hinterland import overrides
from tests.support.in_process import complaint, said
from tests.support.topics import GARDEN, SEA, examples, page_about, text_about, topic_store, url
from tests.support.web import LoopbackWeb
from tests.support.web_thread import served

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return topic_store(tmp_path_factory.mktemp("topic") / "pages.db")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(capsys: pytest.CaptureFixture[str], store: Path) -> str:
    """Of three examples of each kind, from three hosts."""
    like, unlike = [url(number) for number in (0, 1, 2)], [url(number) for number in (6, 7, 8)]
    return said(capsys, "topic", "new", "gardening", "--like", *like, "--unlike", *unlike, "--store", store)


def test_three_words_and_a_store_make_a_classifier_in_one_command(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    told = said(capsys, "topic", "new", "gardening", "--like", "compost mulch pruning", "--store", store)
    assert "match 'compost mulch pruning' best" in told
    model = TopicModel.from_bytes((folder / "gardening.topic").read_bytes())
    with reading(store) as reader:
        drawn = sampled_pages(reader)
    is_garden = np.array(["garden" in page.host for page in drawn])
    judged = np.array([model.relevance(page.title, page.headings, page.excerpt) > 0.5 for page in drawn])
    assert (judged == is_garden).mean() > 0.95


def test_words_are_found_by_title_if_no_sampled_page_has_them(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        making, "sampled_pages", lambda reader: [page for page in sampled_pages(reader) if "sea" in page.host]
    )
    told = said(capsys, "topic", "new", "gardening", "--like", "compost mulch pruning", "--store", store)
    assert "60 pages drawn" in told
    found = read_topic(folder / "gardening.topic").examples
    assert found
    assert all("garden" in example.host for example in found)


def test_three_words_alone_tell_pages_with_them_from_pages_without(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    told = said(capsys, "topic", "new", "gardening", "--like", "compost mulch pruning")
    assert "probabilities are guesses" in told
    model = TopicModel.from_bytes((folder / "gardening.topic").read_bytes())
    lot = random.Random(1)
    about = [model.relevance("compost and mulch", [], text_about(GARDEN, lot, 300)) for _ in range(10)]
    other = [model.relevance("tides", [], text_about(SEA, lot, 300)) for _ in range(10)]
    assert min(about) > 0.5 > max(other)


def test_urls_are_taken_from_the_store(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> None:
    assert "3 examples of the topic, 3 examples of others, 120 pages drawn" in made(capsys, store)
    topic = read_topic(folder / "gardening.topic")
    expected = {url(number): number < 6 for number in (0, 1, 2, 6, 7, 8)}
    assert {example.address: example.is_about for example in topic.examples} == expected


def test_files_are_pages_or_lists_of_urls(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> None:
    lot = random.Random(2)
    Path("page.html").write_text(f"<title>Compost</title><p>{text_about(GARDEN, lot)}")
    Path("note.txt").write_text(text_about(GARDEN, lot))
    Path("urls.txt").write_text(f"# seen\n{url(6)}\n{url(7)}\n")
    said(
        capsys, "topic", "new", "g", "--like", "page.html", "note.txt", "--unlike", "urls.txt", "--store", store
    )  # fmt: skip
    assert [(each.address, each.is_about) for each in read_topic(Path("g.topic")).examples] == [
        ("page.html", True),
        ("note.txt", True),
        (url(6), False),
        (url(7), False),
    ]


def test_test_measures_on_hosts_that_were_not_seen(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    made(capsys, store)
    found = json.loads(said(capsys, "topic", "test", "gardening", "--json"))
    assert (found["yes"], found["hosts_of_yes"], found["hosts_of_no"]) == (3, 3, 3)
    assert found["f1"]["value"] == 1
    told = said(capsys, "topic", "test", "gardening")
    assert "macro" not in told
    assert "warning: hosts with the topic: 3, without: 3" in told


def test_show_says_how_a_page_is_judged_and_why(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> None:
    made(capsys, store)
    told = said(capsys, "topic", "show", "gardening", "--page", url(12), "--store", store)
    first, *reasons = told.splitlines()
    assert float(first.split()[0]) > 0.5
    assert any(word in reasons[0] for word in GARDEN)
    assert "3 examples of the topic from 3 hosts" in said(capsys, "topic", "show", "gardening")


def test_list_names_topics_and_damaged_files(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> None:
    assert "there is no topic" in said(capsys, "topic", "list")
    made(capsys, store)
    Path("broken.topic").write_bytes(b"junk")
    broken, good = said(capsys, "topic", "list").splitlines()
    assert "cannot be used" in broken
    assert "3 like, 3 unlike" in good


def test_export_writes_the_model_alone_or_the_examples(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    made(capsys, store)
    said(capsys, "topic", "export", "gardening", "--out", "model.npz")
    model = TopicModel.from_bytes(Path("model.npz").read_bytes())
    assert model.prior == read_topic(Path("gardening.topic")).model.prior
    assert len(json.loads(said(capsys, "topic", "export", "gardening"))["examples"]) == 6


def test_review_asks_until_the_user_stops_and_keeps_every_answer(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    made(capsys, store)
    with reading(store) as reader:
        session = ReviewSession(folder / "gardening.topic", sampled_pages(reader))
    told: list[str] = []
    ask(session, told.append, iter(["y", "perhaps", "?", "n", "skip", "q", "y"]))
    assert session.answers == 2
    assert sum("undo the last answer" in line for line in told) == 1
    assert any("'perhaps' is not an answer" in line for line in told)
    assert len(read_topic(folder / "gardening.topic").examples) == 8


def test_answers_of_a_review_are_undone_one_after_the_other(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    made(capsys, store)
    before = read_topic(folder / "gardening.topic")
    with reading(store) as reader:
        session = ReviewSession(folder / "gardening.topic", sampled_pages(reader))
    told: list[str] = []
    ask(session, told.append, iter(["u", "y", "n", "s", "u", "u", "undo", "u", "q"]))
    assert session.answers == 0
    assert {each.address for each in read_topic(folder / "gardening.topic").examples} == {
        each.address for each in before.examples
    }
    questions = [line.splitlines()[2].strip() for line in told if "http" in line]
    first, second, third = questions[:3]
    assert questions == [first, second, third, questions[3], third, second, first]
    assert sum("there is no answer to undo" in line for line in told) == 2


def test_what_was_undone_may_be_answered_otherwise(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    made(capsys, store)
    with reading(store) as reader:
        session = ReviewSession(folder / "gardening.topic", sampled_pages(reader))
    question = session.question()
    assert question is not None
    address = question.page.url
    for is_about in (True, False):
        session.answer(address, is_about)
        [given] = [each for each in read_topic(folder / "gardening.topic").examples if each.address == address]
        assert given.is_about is is_about
        assert session.undo()
    assert not session.undo()
    assert address not in [each.address for each in read_topic(folder / "gardening.topic").examples]


def test_keys_are_read_one_by_one_from_a_terminal_and_it_is_as_before_afterwards() -> None:
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    with open(theirs, encoding="utf-8", closefd=False) as terminal, answers_from(terminal) as keys:
        os.write(ours, b"y")
        assert next(keys) == "y"
        os.write(ours, b"\x1b[A\x1bOP\x1b[15~")  # an arrow, F1, F5
        os.write(ours, "né".encode())
        assert [next(keys), next(keys)] == ["n", "é"]
        os.write(ours, b"\x04")
        assert list(keys) == []
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def test_lines_are_read_where_the_input_is_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text("y\nno\n")
    with (tmp_path / "answers.txt").open() as file, answers_from(file) as lines:
        assert list(lines) == ["y\n", "no\n"]
    with answers_from(io.StringIO("s\n")) as lines:
        assert list(lines) == ["s\n"]


@pytest.mark.parametrize(
    "words, is_nothing",
    [
        ("the", True), ("at", True), ("der", True), ("La", True), ("of the (title)", True), ("s", True), ("être", True),
        ("garden", False), ("the garden", False), ("garden (title)", False), ("war", False), ("car", False),
    ],
)  # fmt: skip
def test_function_words_are_no_reasons(words: str, *, is_nothing: bool) -> None:
    assert says_nothing(words) is is_nothing


def test_a_page_that_was_judged_or_skipped_is_not_asked_about_again(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    made(capsys, store)
    with reading(store) as reader:
        session = ReviewSession(folder / "gardening.topic", sampled_pages(reader))
    asked: list[str] = []
    while (question := session.question()) is not None and len(asked) < 8:
        asked.append(question.page.url)
        session.answer(question.page.url, None if len(asked) % 2 else "garden" in question.page.host)
    assert len(set(asked)) == 8
    assert not {url(number) for number in (0, 1, 2, 6, 7, 8)} & set(asked)


def test_examples_that_the_store_lacks_are_fetched_as_a_crawl_fetches_them(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    lot = random.Random(4)
    with served(LoopbackWeb()) as web:
        web.robots("b.test", "User-agent: *\nDisallow: /forbidden")
        like = web.page("a.test", "/", links=["/2"], html=f"<title>Compost</title><p>{text_about(GARDEN, lot)}")
        moved = web.redirect("a.test", "/moved", ("b.test", "/sea"))
        web.page("b.test", "/sea", html=f"<title>Tides</title><p>{text_about(SEA, lot)}")
        forbidden, gone = web.page("b.test", "/forbidden"), web.url("a.test", "/gone")
        settings = [part for override in overrides(web) for part in ("--set", override)]
        assert main(["topic", "new", "g", "--like", like, gone, "--unlike", moved, forbidden, *settings]) == 0
        told = capsys.readouterr()
        assert main(["topic", "new", "x", "--like", gone, *settings]) == 2
        assert "none of the URLs could be fetched" in capsys.readouterr().err
        asked = {(request.host, request.path) for request in web.log}
    assert "fetching 4 pages that the store does not have" in told.err
    for missing in (forbidden, gone):
        assert f"{missing} is not an example: it could not be fetched, or has no text" in told.err
    assert {example.address: example.is_about for example in read_topic(Path("g.topic")).examples} == {
        like: True,
        web.url("b.test", "/sea"): False,
    }
    assert not {("b.test", "/forbidden"), ("a.test", "/2")} & asked


def test_show_is_for_programs_too(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    said(capsys, "topic", "new", "x", "--like", "compost mulch")
    topic = json.loads(said(capsys, "topic", "show", "x", "--json"))
    assert (topic["name"], topic["words"], "page" in topic) == ("x", "compost mulch", False)
    Path("page.txt").write_text("compost and mulch, tomato seedling")
    judged = json.loads(said(capsys, "topic", "show", "x", "--json", "--page", "page.txt"))["page"]
    assert judged["address"] == "page.txt"
    assert judged["probability"] > 0.5


@pytest.mark.parametrize(
    "page, more, message",
    [
        ("http://garden0.test/0", [], "to judge a URL, name the store that holds the page with --store"),
        ("http://nobody.test/", ["--store", "{store}"], "has no text of http://nobody.test/"),
        ("urls.txt", [], "urls.txt is a list of URLs; --page takes one page"),
    ],
)
def test_a_page_that_cannot_be_judged_is_refused_with_the_way_out(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path, page: str, more: list[str], message: str
) -> None:
    said(capsys, "topic", "new", "x", "--like", "compost mulch")
    Path("urls.txt").write_text(url(6))
    command = ["topic", "show", "x", "--page", page, *(each.format(store=store) for each in more)]
    assert message in complaint(capsys, *command)


def test_a_measure_of_pages_of_which_none_was_taken_for_the_topic_is_a_dash() -> None:
    assert telling._numbers(Measure(math.nan, (math.nan, math.nan))) == ("-", "(nothing was judged to be about it)")
    assert telling._numbers(Measure(0.5, (0.25, 0.75))) == ("0.50", "(0.25 to 0.75)")


def test_review_without_a_store_says_how_to_name_one(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    said(capsys, "topic", "new", "x", "--like", "compost mulch")
    assert "name it with --store FILE" in complaint(capsys, "topic", "review", "x")


def test_review_says_so_if_there_is_nothing_left_to_ask(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    said(capsys, "topic", "new", "x", "--like", "compost mulch")
    told: list[str] = []
    ask(ReviewSession(folder / "x.topic", []), told.append, iter([]))
    assert told == ["there is no page to ask about: the store has none with text, or all have been judged"]


def test_review_ends_with_the_last_page_and_says_what_was_not_learnt(folder: Path) -> None:
    given = examples(2, 2)
    write_topic(describe("g", "", given, Background()).topic, Path("g.topic"))
    pages = [
        StoredPage(f"http://{name}.test/", f"http://{name}.test", name, [], "", words)
        for name, words in (("copy", given[0].page), ("other", page_about(SEA, random.Random(6))))
    ]
    session = ReviewSession(Path("g.topic"), pages)
    told: list[str] = []
    ask(session, told.append, iter(["n", "n", "n"]))
    assert session.answers == 1
    assert [line for line in told if line.startswith("not learnt: the examples contradict each other")]
    assert sum("y: about the topic" in line for line in told) == 2


# --- what cannot be, and what is said then ------------------------------------------------------


@pytest.mark.parametrize(
    "words, message",
    [
        (["new", "x"], "say what the topic is"),
        (["new", "x", "--like", "a b c"], "no word of two letters"),
        (["new", "x", "--like", "missing.html"], "missing.html cannot be read"),
        (["new", "x", "--like", "words here", "--unlike", "other words"], "words are for --like"),
        (["new", "a/b c", "--like", "words here"], "cannot be the name of a topic"),
        (["new", "x", "--like", "http://a.test/", "--unlike", "http://a.test/"], "contradict each other"),
        (["show", "none"], "there is no topic none.topic"),
        (["show"], "needs the name of a topic"),
        (["test", "x", "--like", "y"], "for `topic new`"),
        (["new", "x", "--like", "ferry", "--out", "y"], "--out is for `topic export`, not for `topic new`"),
        (["list", "--json"], "--json is for `topic show` and `topic test`, not for `topic list`"),
        (["test", "x", "--page", "y"], "--page is for `topic show`, not for `topic test`"),
        (["show", "x", "--relax"], "--relax is for `topic judge`, not for `topic show`"),
        (["review", "x", "--rounds", "1"], "--rounds is for `topic judge`, not for `topic review`"),
        (["show", "x", "--set", "a.b=1"], "--set is for `topic new`, not for `topic show`"),
        (["judge", "x", "--rounds", "3"], "needs --relax"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_way_out(
    capsys: pytest.CaptureFixture[str], folder: Path, words: list[str], message: str
) -> None:
    assert message in complaint(capsys, "topic", *words)


def test_a_topic_that_cannot_be_written_is_named(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Path("file").touch()
    error = complaint(capsys, "topic", "new", "file/x", "--like", "words here")
    assert "file/x.topic cannot be written: Not a directory" in error


def test_examples_of_one_page_as_like_and_unlike_contradict_each_other(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    for name in ("one.txt", "two.txt"):
        Path(name).write_text("compost and mulch")
    assert "contradict" in complaint(capsys, "topic", "new", "x", "--like", "one.txt", "--unlike", "two.txt")


def test_examples_without_words_teach_nothing(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> None:
    Path("empty.html").write_text("<html><script>1</script>")
    assert "contains any words" in complaint(capsys, "topic", "new", "x", "--like", "empty.html", "--store", store)


def test_examples_of_the_topic_alone_make_one_that_says_that_it_guesses(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    Path("one.txt").write_text("compost and mulch")
    told = said(capsys, "topic", "new", "x", "--like", "one.txt")
    assert "and probabilities are guesses; give a store with --store, or other pages with --unlike" in told
    assert Path("x.topic").exists()


def test_examples_in_another_language_than_the_store_are_noticed(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    Path("one.txt").write_text("Kompost und Mulch für Gemüse im Garten, Saatgut und Pflanzen im Frühjahr")
    told = said(capsys, "topic", "new", "x", "--like", "one.txt", "--store", store)
    assert "in another language" in told
    assert "only 1 example" in told


def test_words_that_no_page_of_the_store_has_still_make_a_topic(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    told = said(capsys, "topic", "new", "x", "--like", "quantum chromodynamics", "--store", store)
    assert "none of the 120 pages sampled from the store matches" in told
    assert Path("x.topic").exists()


def test_a_topic_that_no_page_of_the_store_is_about_is_noticed(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    lot = random.Random(8)
    strange = [f"lepton{number}" for number in range(12)]
    for number in range(4):
        Path(f"{number}.txt").write_text(" ".join(lot.choices(strange, k=80)))
    told = said(capsys, "topic", "new", "x", "--like", "0.txt", "1.txt", "2.txt", "3.txt", "--store", store)
    assert "looks like the topic" in told


def test_a_topic_that_every_page_is_about_is_noticed(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    Path("other.txt").write_text("entirely different words in a text of nothing known")
    like = [url(number) for number in (0, 1, 2, 6, 7, 8, 3, 9)]
    told = said(capsys, "topic", "new", "x", "--like", *like, "--unlike", "other.txt", "--store", store)
    assert "look like any page of the store" in told


def test_a_topic_is_not_replaced_unasked(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    said(capsys, "topic", "new", "x", "--like", "compost mulch")
    assert "--replace" in complaint(capsys, "topic", "new", "x", "--like", "compost mulch")
    said(capsys, "topic", "new", "x", "--like", "compost mulch", "--replace")


def test_a_topic_without_judged_examples_of_both_kinds_cannot_be_tested(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    said(capsys, "topic", "new", "x", "--like", "compost mulch")
    assert "topic review" in complaint(capsys, "topic", "test", "x")


def test_vectors_of_words_lead_to_words_that_no_example_has(
    capsys: pytest.CaptureFixture[str], store: Path, folder: Path
) -> None:
    vectors = Path("vectors")
    vectors.mkdir()
    words = [*GARDEN, "begonia", *SEA, "schooner"]
    (vectors / "vocab.txt").write_text("\n".join(words))
    matrix = np.array([[1.0, 0.0] if place < len(GARDEN) + 1 else [0.0, 1.0] for place in range(len(words))])
    np.save(vectors / "vectors.npy", matrix)
    like, unlike = [url(number) for number in (0, 1, 2)], [url(number) for number in (6, 7, 8)]
    new = ("topic", "new", "g", "--replace", "--like", *like, "--unlike", *unlike, "--store", store)
    chances = []
    for more in ((), ("--embeddings", "vectors")):
        said(capsys, *new, *more)
        model = TopicModel.from_bytes(Path("g.topic").read_bytes())
        chances.append(model.relevance("", [], "begonia begonia") - model.relevance("", [], "schooner schooner"))
    assert chances[0] == pytest.approx(0, abs=1e-6)
    assert chances[1] > 0.2


def test_a_folder_without_vectors_is_refused(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Path("nothing").mkdir()
    said_so = complaint(capsys, "topic", "new", "x", "--like", "compost", "--embeddings", "nothing")
    assert "nothing is downloaded" in said_so
