"""`export` and `import` on the command line: whole commands, and how they fail."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from hinterland.cli.commands import main, parsed
from hinterland.cli.demo.web import DemoWeb
from hinterland.distribution.environment import ROOT
from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import estimator_to_export
from hinterland.storage.exports import FORMATS
from tests.storage.test_warc_reading import record
from tests.support.crawling import crawl
from tests.support.in_process import complaint
from tests.support.ready_programs import ready

pytestmark = pytest.mark.slow

Here = Callable[..., subprocess.CompletedProcess[str]]


def run(*arguments: object, place: Path, more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HINTERLAND_NO_SETUP": "1", **(more or {})}
    program = [sys.executable, str(ROOT / "run.py")] if more else ready(ROOT / "run.py")
    command = [*program, *map(str, arguments)]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def run_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Carries out a command line in this process, in `tmp_path`: to start another takes a second."""
    monkeypatch.chdir(tmp_path)

    def carried_out(*arguments: object) -> subprocess.CompletedProcess[str]:
        exit_code = main(list(map(str, arguments)))
        said = capsys.readouterr()
        return subprocess.CompletedProcess([*map(str, arguments)], exit_code, said.out, said.err)

    return carried_out


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store and its archive, both of the demo."""
    import asyncio

    place = tmp_path_factory.mktemp("demo")

    async def make() -> None:
        async with DemoWeb() as web:
            await crawl(web.addresses, web.seeds, place / "demo.db", warc=place / "warc")

    asyncio.run(make())
    return place


def test_every_format_is_on_the_command_line() -> None:
    for name in (*FORMATS, "cdxj"):
        assert parsed(["export", "--format", name]).format == name


def test_an_export_is_named_like_the_store_and_says_what_it_wrote(
    archive: Path, tmp_path: Path, run_here: Here
) -> None:
    done = run_here("export", archive / "demo.db", "--format", "jsonl", "--what", "links")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "1,761 links written to demo.links.jsonl" in done.stderr
    assert len((tmp_path / "demo.links.jsonl").read_text().splitlines()) == 1761


def test_an_export_to_stdout_is_nothing_but_the_export(archive: Path, tmp_path: Path) -> None:
    done = run("export", archive / "demo.db", "--format", "jsonl", "--output", "-", place=tmp_path)
    assert done.returncode == 0
    assert all(json.loads(line)["url"] for line in done.stdout.splitlines())
    assert list(tmp_path.iterdir()) == []
    assert "rank" in done.stderr  # that there are none yet


def test_a_reader_who_goes_away_is_no_error(archive: Path, tmp_path: Path) -> None:
    command = (
        f"'{sys.executable}' '{ROOT / 'run.py'}' export '{archive / 'demo.db'}' --format edges --output - | head -1"
    )
    environment = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "rror" not in done.stderr


@pytest.mark.parametrize(
    "options, code, message",
    [
        (("--format", "graphml", "--what", "pages"), 2, "cannot write pages; it writes links"),
        (("--format", "sitemap", "--output", "-"), 2, "name it with --output PATH"),
        (("--format", "jsonl", "--output", "no/such/x"), 2, "the folder no/such does not exist"),
        (("--format", "jsonl", "--output", "taken"), 2, "add --force"),
        (("--format", "jsonl", "--estimator", "best"), 3, "no ranks yet"),
        (("--format", "cdxj"), 3, "is not a folder"),
    ],
)
def test_what_cannot_be_written_is_said_with_the_way_out(
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    assert message in complaint(capsys, "export", archive / "demo.db", *options, exit_code=code)
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_a_binary_export_is_not_written_to_a_terminal(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    said = complaint(capsys, "export", archive / "demo.db", "--format", "warc", "--output", "-")
    assert "stdout is a terminal; name a file with --output PATH" in said


def test_ranks_are_those_of_the_estimator_that_was_named() -> None:
    assert estimator_to_export(["flow", "local"], "flow", wants_ranks=True) == "flow"
    with pytest.raises(HinterlandError, match=r'the store has no ranks by "flwo"; .*flow') as refusal:
        estimator_to_export(["flow", "local"], "flwo", wants_ranks=True)
    assert refusal.value.exit_code == 2
    with pytest.raises(HinterlandError, match="the store has no ranks yet; `rank` computes them") as refusal:
        estimator_to_export([], "flow", wants_ranks=True)
    assert refusal.value.exit_code == 3


def test_without_pyarrow_it_says_how_to_get_it(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pyarrow'] = None")
    shadow = {"PYTHONPATH": str(tmp_path)}
    done = run("export", archive / "demo.db", "--format", "parquet", place=tmp_path, more=shadow)
    assert done.returncode == 2
    assert "requirements-parquet.txt" in done.stderr
    assert not list(tmp_path.glob("*.parquet"))


def test_an_imported_archive_can_be_ranked_and_exported(archive: Path, tmp_path: Path, run_here: Here) -> None:
    done = run_here("import", archive / "warc", "--store", "i.db")
    assert done.returncode == 0, done.stderr
    assert "326 pages from 1 file are in i.db: 319 fetched" in done.stdout
    assert "request   338" in done.stdout
    assert "archives were imported" in run_here("status", "i.db").stdout
    assert run_here("rank", "i.db", "--top", "3").returncode == 0
    done = run_here("export", "i.db", "--format", "jsonl", "--output", "-", "--local-only")
    pages = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(page["as_web_sees"] or 0 for page in pages) == pytest.approx(1, abs=1e-6)
    again = run_here("import", archive / "warc", "--store", "i.db", "--json")
    assert json.loads(again.stdout)["pages"] == 0
    assert again.returncode == 0


def test_a_folder_without_archives_gets_no_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "holds no WARC files" in complaint(capsys, "export", tmp_path, "--format", "cdxj", exit_code=3)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_archives_is_indexed_again(archive: Path, tmp_path: Path, run_here: Here) -> None:
    before = (archive / "warc" / "index.cdxj").read_text()
    (archive / "warc" / "index.cdxj").unlink()
    done = run_here("export", archive / "warc", "--format", "cdxj")
    assert done.returncode == 0
    assert (archive / "warc" / "index.cdxj").read_text() == before


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (("nothing.warc",), 2, "there is no archive nothing.warc"),
        (("x.txt",), 2, "is not an archive: its name must end in one of .warc"),
        ((".",), 2, "holds no archive"),
        (("x.warc", "--scope", "prefix"), 2, "--local URL"),
        (("x.warc", "--local", "::"), 2, "--local 1"),
        (("x.warc", "--store", "x.txt"), 3, "x.txt"),
    ],
)
def test_what_cannot_be_imported_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.txt").write_text("no database, and long enough to be seen as none" * 50)
    if "x.warc" in arguments:
        (tmp_path / "x.warc").write_bytes(record())
    assert message in complaint(capsys, "import", *arguments, exit_code=code)


def test_the_exit_code_says_that_an_archive_has_no_page(tmp_path: Path, run_here: Here) -> None:
    (tmp_path / "x.warc.gz").write_bytes(gzip.compress(b"\x1b[31mno archive\n" * 10))
    done = run_here("import", "x.warc.gz", "--store", "s.db")
    assert done.returncode == 4
    assert "file" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["A.WARC.GZ", "a.Warc.Gz", "a.warc.GZ", "A.WARC", "A.WAT.GZ"])
def test_archives_whose_names_are_in_capitals_are_taken_in(tmp_path: Path, name: str, run_here: Here) -> None:
    content = gzip.compress(record()) if name.lower().endswith(".gz") else record()
    (tmp_path / name).write_bytes(content)
    for number, path in enumerate((name, ".")):
        done = run_here("import", path, "--store", f"{number}.db", "--json")
        assert (done.returncode, json.loads(done.stdout)["pages"]) == (0, 1)


@pytest.mark.parametrize("content", [b"", gzip.compress(b"")])
def test_an_empty_archive_is_reported_with_the_reason(tmp_path: Path, content: bytes, run_here: Here) -> None:
    (tmp_path / "x.warc.gz").write_bytes(content)
    done = run_here("import", "x.warc.gz", "--store", "s.db")
    assert done.returncode == 4
    assert "it is empty" in done.stdout or "it holds no record" in done.stdout


def test_a_crawl_goes_on_where_an_import_ended(tmp_path: Path, run_here: Here) -> None:
    (tmp_path / "x.warc").write_bytes(record(block=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/next>"))
    assert run_here("import", "x.warc", "--store", "s.db").returncode == 0
    options = ("--set", "fetching.addresses=a.test=127.0.0.1", "--set", "fetching.max_attempts=1", "--max-pages", "1")
    done = run_here("crawl", "--resume", "--store", "s.db", *options)
    assert done.returncode == 5, done.stderr
    with closing(sqlite3.connect(tmp_path / "s.db")) as store:
        assert dict(store.execute("SELECT url, state FROM page")) == {
            "http://a.test/": "fetched",
            "http://a.test/next": "waiting",
        }
