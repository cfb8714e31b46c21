"""`index` and `search`: from a store to answers on a terminal, in a pipe and as JSON."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from hinterland.cli.commands import main
from hinterland.cli.exit_codes import OK, STORE, USAGE
from hinterland.cli.index import as_text as index_text
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.search import as_text as search_text
from hinterland.library.text.wording import json_text
from hinterland.search.answers import Fragment, Hit, ScorePart, SearchAnswer
from hinterland.search.index_report import IndexReport
from hinterland.storage.lock import StoreLock
from tests.support.hinterland import ROOT
from tests.support.search_site import indexed_site

pytestmark = pytest.mark.slow

STEERING = {chr(code) for code in (*range(32), *range(127, 160), 0x202E)} - {"\n"}
"""What must never reach a terminal."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store, with its index beside it."""
    folder = tmp_path_factory.mktemp("made")
    indexed_site(folder)
    return folder / "site.db"


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(made.with_suffix(".index"), tmp_path / "site.index")
    return Path(shutil.copy(made, tmp_path / "site.db"))


def said(capsys: pytest.CaptureFixture[str], *command: str | Path, code: int = OK) -> str:
    """What a command writes to where it has to write it."""
    assert main([str(part) for part in command]) == code
    written = capsys.readouterr()
    assert not STEERING & set(written.out + written.err)
    return written.out if code == OK else written.err


# --- index --------------------------------------------------------------------------------------


def test_an_index_is_built_then_only_brought_up_to_date(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Path(shutil.copy(made, tmp_path / "my site.db"))
    first = said(capsys, "index", store)
    assert f"{tmp_path}/my site.index: " in first
    assert "pages left out (noindex, or a usage preference): 1" in first
    assert "pages merged with one of the same content: 1" in first
    assert "ranked by the estimator outside-model" in first
    assert first.endswith(f"Next   python3 run.py search '{store}' WORDS\n")
    second = json.loads(said(capsys, "index", store, "--json"))
    assert (second["written"], second["removed"]) == (0, 0)
    assert second["unchanged"] == second["documents"] > 60
    assert second["index"] == str(tmp_path / "my site.index")
    rebuilt = json.loads(said(capsys, "index", store, "--json", "--rebuild"))
    assert (rebuilt["written"], rebuilt["documents"]) == (second["documents"], second["documents"])


@pytest.mark.parametrize(
    "victim, stage, is_replaced",
    [("site.db", "PageRank", False), ("site.db", "documents", True), ("site.index", "documents", False)],
)
def test_a_store_or_an_index_that_goes_while_it_is_built_is_named_and_nothing_half_true_is_left(
    victim: str,
    stage: str,
    is_replaced: bool,
    made: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Path(shutil.copy(made, tmp_path / "site.db"))
    count = ProgressLine.count

    def count_and_remove(self: ProgressLine, what: str, done: int, of: int) -> None:
        if what == stage and not (tmp_path / "gone").exists():
            (tmp_path / victim).rename(tmp_path / "gone")
            if is_replaced:
                shutil.copy(made, store)
        count(self, what, done, of)

    monkeypatch.setattr(ProgressLine, "count", count_and_remove)
    complaint = said(capsys, "index", store, code=STORE)
    fate = "was replaced" if is_replaced else "was deleted or moved"
    assert f"hinterland: {tmp_path / victim} {fate} while it was being" in complaint
    assert complaint.endswith("; run `index` again\n")


def test_progress_goes_to_stderr_in_lines(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(store), "--index", str(tmp_path / "elsewhere")]) == OK
    written = capsys.readouterr()
    lines = written.err.splitlines()
    assert lines[0].startswith("main content: 0 of ")
    assert lines[-2:] == ["PageRank", "suggestions"]
    assert "\r" not in written.err
    assert f"{tmp_path / 'elsewhere'}: " in written.out
    assert written.out.endswith(f"WORDS --index {tmp_path / 'elsewhere'}\n")


def test_what_keeps_an_index_from_being_written_is_said(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "there is no store" in said(capsys, "index", tmp_path / "none.db", code=STORE)
    assert not (tmp_path / "none.index").exists()
    (tmp_path / "file").write_text("")
    assert "cannot be written" in said(capsys, "index", store, "--index", tmp_path / "file", code=STORE)
    lock = StoreLock(tmp_path / "site.index" / "build")
    lock.acquire()
    try:
        assert "another `index` is building" in said(capsys, "index", store, code=STORE)
    finally:
        lock.release()
    manifest = tmp_path / "site.index" / "index.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 99}))
    assert "`index --rebuild` rebuilds it" in said(capsys, "index", store, code=STORE)
    said(capsys, "index", store, "--rebuild")
    assert "1-1 of 1 page," in said(capsys, "search", store, "pebbles")


def test_a_disk_without_room_for_the_index_is_not_blamed_on_the_store(made: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(made, tmp_path / "site.db"))
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (40_000, 40_000))  # enough for SQLite to open files
    command = [sys.executable, str(ROOT / "run.py"), "index", str(store)]
    environment = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=limit)
    assert f"hinterland: the index in {tmp_path}/site.index cannot be written: " in done.stderr
    assert done.returncode == STORE


def test_the_summary_says_what_was_left_out_and_what_would_be_better() -> None:
    nothing = IndexReport(0, 0, 0, 0, {}, {}, {}, {}, "", 12, 0.1)
    assert "not ranked: no page of the local domain was fetched" in index_text(nothing, "a", "b", is_elsewhere=False)
    report = IndexReport(
        3,
        2,
        1,
        1,
        {"redirect": 5, "near-duplicate": 0},
        {"all": 3, "failed": 1},
        {"en": 2, "": 1},
        {"sv": 1},
        "any",
        9,
        1,
        cut=7,
    )
    text = index_text(report, "a.db", "b", is_elsewhere=False)
    assert "b: 3 documents, 9 bytes, 1.0 s\n  2 written, 1 unchanged, 1 removed\n" in text
    assert "redirects merged with the page they lead to: 5" in text
    assert "near" not in text
    assert "because their main content was not found in time: 1" in text
    assert "titles or descriptions indexed by their first 1,000 characters: 7" in text
    assert "languages: en 2, unknown 1" in text
    assert "no stemming, because there are too few documents: sv" in text
    assert "without page bodies: names in code are found by headings and links" in text


# --- search -------------------------------------------------------------------------------------


def test_hits_have_title_url_and_passage(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = said(capsys, "search", made, "pebbles")
    lines = output.splitlines()
    assert lines[0] == "  1  Pebbles  (+1 copy)"
    assert lines[1].strip().startswith("http://ferry.example:")
    assert lines[1].endswith("/twin")
    assert "The same pebbles twice" in output
    assert lines[-1].startswith("1-1 of 1 page, ")
    assert lines[-1].endswith(" ms")
    assert said(capsys, "search", made, "url:untitled").startswith("  1  (no title)\n")


def test_search_says_that_the_store_is_newer_than_its_index(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "note" not in said(capsys, "search", store, "pebbles")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE run SET progress = json_set(progress, '$.visits', 1000000)")
    assert said(capsys, "search", store, "pebbles").startswith(
        "note: the crawl has continued since the index was built"
    )


def test_the_index_of_a_renamed_store_is_found_and_the_next_build_gives_it_the_new_name(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = said(capsys, "search", store, "pebbles", "--limit", "3").splitlines()[:-1]
    renamed = store.rename(store.with_name("renamed.db"))
    assert main(["search", str(renamed), "pebbles", "--limit", "3"]) == OK
    found = capsys.readouterr()
    assert found.out.splitlines()[:-1] == before
    assert f"the index of {renamed} is {store.with_suffix('.index')}, made before the store was renamed" in found.err
    assert main(["index", str(renamed), "--json"]) == OK
    built = capsys.readouterr()
    assert f"was renamed to {renamed.with_suffix('.index')}, because its store was renamed" in built.err
    assert json.loads(built.out)["written"] == 0
    assert not store.with_suffix(".index").exists()
    assert said(capsys, "search", renamed, "pebbles", "--limit", "3").splitlines()[:-1] == before


@pytest.mark.parametrize("version", ["as it was", "of a later version"])
def test_a_copy_of_a_store_does_not_take_the_index_of_the_original(
    version: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copy(store, store.with_name("copy.db"))
    if version == "of a later version":
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("INSERT INTO migration VALUES ('9999-from-the-future', '2099-01-01')")
    assert "there is no index in" in said(capsys, "search", copy, "pebbles", code=STORE)
    assert store.with_suffix(".index").exists()


@pytest.mark.parametrize("command", [("index", "."), ("search", ".", "pebbles")])
def test_a_folder_is_no_store(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert "is a folder; name the file of a store" in said(capsys, *command, code=STORE)


def test_the_index_of_another_store_is_not_taken_for_that_of_a_renamed_one(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renamed = store.rename(store.with_name("renamed.db"))
    with closing(sqlite3.connect(renamed)) as connection, connection:
        connection.execute("UPDATE run SET started_at = started_at + 1")  # as of another crawl
    assert "there is no index in" in said(capsys, "search", renamed, "pebbles", code=STORE)


def test_words_of_the_command_line_are_one_query(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = json.loads(said(capsys, "search", made, "boat -lamp", "--json"))
    assert one["query"] == "boat -lamp"
    assert json.loads(said(capsys, "search", made, "--json", "--", "boat", "-lamp"))["total"] == one["total"] == 16
    assert json.loads(said(capsys, "search", made, '"lamp and the boat"', "--json"))["total"] > 0


def test_pages_of_results_go_on_where_the_last_ended(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = said(capsys, "search", made, "boat", "--limit", "3", "--offset", "30")
    assert output.startswith(" 31  ")
    assert "\n31-32 of 32 pages, " in output
    assert said(capsys, "search", made, "boat", "--offset", "32") == "There are no more than 32 hits.\n"
    assert said(capsys, "search", made, "nowhere") == 'No page has "nowhere".\nNothing found.\n'


def test_a_misspelt_query_is_answered_as_it_was_meant_and_says_so(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = said(capsys, "search", made, "boat", "lmap", "--limit", "1")
    first, second = output.splitlines()[:2]
    assert first == 'No page has "lmap". Results for: boat lamp (to search as written: --verbatim)'
    assert second.startswith("  1  ")
    verbatim = said(capsys, "search", made, "boat", "lmap", "--limit", "1", "--verbatim")
    assert "boat lamp" not in verbatim
    assert "lacks: lmap" in verbatim
    asked = said(capsys, "search", made, "boat", "-lamp", "site:other.example")
    assert asked.splitlines()[-2:] == ["More results for: boat -lamp (16 pages)", "Nothing found."]


def test_json_has_all_of_the_answer(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(said(capsys, "search", made, "boat", "lamp", "?!", "--limit", "2", "--explain", "--json"))
    assert set(answer) == {"query", "hits", "offset", "total", "is_exact", "notes", "seconds", "facets", "rescue"}
    assert (answer["query"], answer["total"], answer["is_exact"]) == ("boat lamp ?!", 16, True)
    assert answer["notes"] == ["ignored, since there is no word in: ?!"]
    for hit in answer["hits"]:
        assert sum(part["value"] for part in hit["parts"]) == pytest.approx(hit["score"])
        assert {piece["text"].lower() for piece in hit["snippet"] if piece["is_match"]} == {"boat", "lamp"}


def test_what_a_page_says_cannot_steer_the_terminal(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "search", made, "title:escape")
    assert "owned" in text
    assert "\\x1b" in text
    assert "\\u202e" in text
    found = json.loads(said(capsys, "search", made, "title:escape", "--json"))["hits"][0]
    assert "\u202e" in "".join(piece["text"] for piece in found["title"])
    assert "hatch" in "".join(piece["text"] for piece in found["snippet"])


def test_what_was_asked_for_cannot_steer_the_terminal_either(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "search", made, "tilte:\x1b[31m\u202e\x9b pebbles \udcff")
    said(capsys, "search", made, "pebbles \x1b[31m\u202e \udcff", "--json")
    said(capsys, "search", made, "\x1b\x9b\u202e!", code=USAGE)
    said(capsys, "search", made, "since:\x1b\x9b\u202e!", code=USAGE)


def test_every_text_of_a_hit_is_escaped() -> None:
    bad = "a\x1b[1m\u202eb\n c"
    pieces = (Fragment(bad, True), Fragment(f" {bad} ", False))
    hit = Hit(1, f"http://x/{bad}", pieces, pieces, bad, "en", 0.0, 1.0, (ScorePart("rounding", -1e-7),), 2, (bad,))
    answer = SearchAnswer(bad, (hit,), 0, 1, False, (bad,), 0.01)
    text = search_text(answer, marks=("<", ">"), with_parts=True)
    assert not STEERING & set(text)
    assert "<a\\x1b[1m\\u202eb c> a\\x1b[1m\\u202eb c " in text
    assert text.splitlines()[0].startswith("note: a\\x1b[1m")
    assert "(+2 copies)" in text
    assert "\n     lacks: a\\x1b[1m\\u202eb" in text
    assert "rounding" not in text  # of a millionth
    assert text.endswith("10 ms; very many pages match, so only the best by text were ranked")
    assert not STEERING & set(json_text([bad, "\x7f\x9b\U000e0001"]))
    assert json.loads(json_text([bad, "\x7f\x9b\U000e0001\ud800"])) == [bad, "\x7f\x9b\U000e0001\ud800"]


def test_a_hit_without_text_is_shown_without_a_passage() -> None:
    hit = Hit(1, "http://a.test/", (), (), "http://a.test", "en", 0.0, 1.0, (), 0, ())
    text = search_text(SearchAnswer("q", (hit,), 0, 1, True, (), 0.01), marks=("<", ">"), with_parts=False)
    assert text.splitlines()[:2] == ["  1  (no title)", "     http://a.test/"]
    assert text.splitlines()[2:] == ["", "1-1 of 1 page, 10 ms"]


@pytest.mark.parametrize(
    "is_terminal, environment, is_bold", [(True, {}, True), (True, {"NO_COLOR": "1"}, False), (False, {}, False)]
)
def test_matches_are_bold_on_a_terminal_that_may_show_it(
    is_terminal: bool,
    environment: dict[str, str],
    is_bold: bool,
    made: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    assert main(["search", str(made), "pebbles"]) == OK
    assert ("\x1b[1mpebbles\x1b[0m" in capsys.readouterr().out) == is_bold


def test_explain_shows_the_addends(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = said(capsys, "search", made, "boat", "--explain", "--limit", "1")
    lines = output.splitlines()
    score = next(float(line.split()[1]) for line in lines if line.strip().startswith("score "))
    start = next(place for place, line in enumerate(lines) if "score " in line) + 1
    addends = [float(line.split()[0]) for line in lines[start : lines.index("", start)]]
    assert sum(addends) == pytest.approx(score, abs=0.001 * len(addends))
    assert "PageRank in the whole web, S = " in output


def test_settings_of_the_command_line_count(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def parts(*more: str) -> dict[str, float]:
        command: list[str | Path] = ["search", made, "boat", "--explain", "--json", "--limit", "1", *more]
        return {part["name"]: part["value"] for part in json.loads(said(capsys, *command))["hits"][0]["parts"]}

    assert parts()["rank"] > 0
    assert parts("--set", "search.rank_weight=0")["rank"] == 0
    assert parts("--set", "search.rank_source=none")["rank"] == 0
    assert parts("--set", "search.rank_weight=40")["rank"] > parts()["rank"]


def test_an_index_elsewhere_needs_no_store(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moved = shutil.copytree(made.with_suffix(".index"), tmp_path / "moved")
    answer = said(capsys, "search", tmp_path / "none.db", "pebbles", "--index", moved)
    assert "1-1 of 1 page" in answer


def test_where_there_is_no_index_the_command_that_makes_it_is_named(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Path(shutil.copy(made, tmp_path / "my site.db"))
    complaint = said(capsys, "search", store, "boat", code=STORE)
    assert complaint.startswith(f"hinterland: there is no index in {tmp_path}/my site.index; build it:\n")
    assert complaint.endswith(f"\n  python3 run.py index '{store}'\n")
    elsewhere = said(capsys, "search", store, "boat", "--index", tmp_path / "there", code=STORE)
    assert elsewhere.endswith(f" --index {tmp_path}/there\n")
    neither = said(capsys, "search", tmp_path / "none.db", "boat", code=STORE)
    assert f"and there is no store {tmp_path}/none.db to build it from" in neither
    turned_round = said(capsys, "search", "boat", store, code=STORE)
    assert f"the store comes first: search '{store}' WORDS" in turned_round


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["-bus"], "only has exclusions"),
        (["lang:german"], "lang:german is not a language"),
        (["boat", "--limit", "101"], "limit has to be from 1 to 100"),
        (["boat", "--offset", "1001"], "offset from 0 to 1,000"),
        (["x" * 3_000], "3,000 characters"),
    ],
)
def test_what_cannot_be_asked_is_a_wrong_command_line(
    arguments: list[str], complaint: str, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", str(made), *arguments]) == USAGE
    assert complaint in capsys.readouterr().err
