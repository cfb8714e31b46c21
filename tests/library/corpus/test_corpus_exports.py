"""Exports of what pages say: Markdown, chunks, llms.txt."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from hinterland.cli.commands import main
from hinterland.library.corpus import corpus_pages
from hinterland.library.corpus.corpus_pages import PageToRead
from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import Exported, export
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

LONG = "The keeper lit the lamp every evening, and wrote down which ships had passed. "
GUIDE = f"<html lang=en><title>Guide: a</title><h1 id=g>Guide</h1><p>{LONG * 3}See <a href=/sub/more?x=1#y>more</a>"
LINKS = " and <a href=/none>none</a>.<a href=/copy>c</a><a href=/hidden>h</a><a href=/no>n</a>"
MORE = f"<title>More</title><h1>More</h1><p>{LONG * 30}<pre class=python>x = 1</pre>"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")

    async def make() -> None:
        async with LoopbackWeb() as web:
            seed = web.page("a.test", "/guide", html=GUIDE + LINKS)
            web.page("a.test", "/sub/more?x=1", html=MORE)
            web.page("a.test", "/copy", html=MORE)
            web.page("a.test", "/hidden", html="<meta name=robots content=noindex><p>hidden")
            web.page("a.test", "/no", html=f"<title>No</title><p>{LONG}", headers={"Content-Usage": "train-ai=n"})
            await crawl(web.addresses, [seed], folder / "site.db")

    asyncio.run(make())
    return folder / "site.db"


@pytest.fixture(autouse=True)
def _read_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def here(
        batches: Iterable[Sequence[PageToRead]],
        reader: Callable[[PageToRead], Any],
        failed: Callable[[PageToRead], Any],
        **_: Any,
    ) -> Iterator[list[Any]]:
        for batch in batches:
            pages = pickle.loads(pickle.dumps(batch))  # as they would reach another process
            yield [failed(page) if page.source.url.endswith("/no") else reader(page) for page in pages]

    monkeypatch.setattr(corpus_pages, "read_in_order", here)


def written(store: Path, name: str, target: Path, **options: Any) -> Exported:
    return export(store, name, target, force=True, note=lambda _: None, **options)


def lines(store: Path, target: Path, **options: Any) -> list[dict[str, Any]]:
    written(store, "chunks", target, **options)
    return [json.loads(line) for line in target.read_text().splitlines()]


def test_a_site_becomes_files_in_its_folders_that_link_to_each_other(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "site.markdown"
    found = written(store, "markdown", target, options={"content": "all"}).written
    files = {path.relative_to(target).parts[1:]: path.read_text() for path in target.rglob("*.md")}
    assert found.count == len(files) == 4
    assert found.left_out["noindex, or another page is the canonical one"] == 1
    assert found.left_out["the body, which cannot be read: the stored text was taken"] == 1
    guide = files["guide.md",]
    front, _, text = guide.removeprefix("---\n").partition("---\n\n")
    known = {name: json.loads(value) for name, _, value in (line.partition(": ") for line in front.splitlines())}
    assert list(known) == ["url", "title", "fetched", "language"]
    assert (known["title"], known["language"]) == ("Guide: a", "en")
    [more] = [path for path in files if path[0] == "sub"]
    assert text.startswith("# Guide\n\nThe keeper")
    assert f"[more](sub/{more[1].replace('?', '%3F')}#y)" in text
    assert f"[none]({known['url'].removesuffix('/guide')}/none)" in text
    assert "```python\nx = 1\n```" in files[more]
    assert "[more](http://" in written_text(store, tmp_path, links="web")


def written_text(store: Path, folder: Path, **options: str) -> str:
    target = folder / "web.markdown"
    written(store, "markdown", target, options={"content": "all", **options})
    return next(target.rglob("guide.md")).read_text()


def test_the_same_store_gives_the_same_files(store: Path, tmp_path: Path) -> None:
    for name, suffix in (("chunks", ".jsonl"), ("markdown", ".md"), ("chunks", ".parquet")):
        one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
        for target in (one, two):
            written(store, name, target)
        assert one.read_bytes() == two.read_bytes()


def test_all_pages_may_be_one_file(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "site.md"
    assert written(store, "markdown", target).written.count == 4
    text = target.read_text()
    assert text.startswith("```yaml\nurl: ")
    assert text.count("```yaml\n") == 4
    with pytest.raises(HinterlandError, match="no option"):
        written(store, "markdown", target, options={"links": "web"})


def test_chunks_say_where_they_are_from(store: Path, tmp_path: Path) -> None:
    found = lines(store, tmp_path / "c.jsonl", options={"tokens": 100})
    assert all(chunk["tokens_estimated"] <= 100 for chunk in found)
    more = [chunk for chunk in found if chunk["page"].endswith("/sub/more?x=1")]
    assert [chunk["number"] for chunk in more] == list(range(more[0]["of"]))
    assert more[0]["section"] == ["More"]
    assert {chunk["duplicate_of"] for chunk in found if chunk["page"].endswith("/copy")} <= {more[0]["page"], None}
    [guide, *_] = [chunk for chunk in found if chunk["page"].endswith("/guide")]
    assert guide["url"] == guide["page"] + "#g"
    assert {chunk["title"]: chunk["usage"] for chunk in found}["No"] == {"train-ai": False}


def test_parquet_holds_the_same_chunks(store: Path, tmp_path: Path) -> None:
    expected = lines(store, tmp_path / "c.jsonl")
    written(store, "chunks", tmp_path / "c.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "c.parquet").to_pylist()
    for row in rows:
        row["usage"] = dict(row["usage"])
        row["fetched_at"] = row["fetched_at"].isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert rows == expected


def test_only_what_has_changed_since_is_exported(store: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.jsonl"
    found = lines(store, earlier)
    newest = max(chunk["fetched_at"] for chunk in found)
    again = lines(store, tmp_path / "again.jsonl", since=earlier)
    assert {chunk["fetched_at"] for chunk in again} == {newest}
    assert lines(store, tmp_path / "all.jsonl", since="7d") == found
    assert lines(store, tmp_path / "none.jsonl", since="2999-01-01") == []
    written(store, "chunks", tmp_path / "earlier.parquet")
    assert lines(store, tmp_path / "again.jsonl", since=tmp_path / "earlier.parquet") == again
    for bad in ("yesterday", __file__):
        with pytest.raises(HinterlandError, match=r"--since|earlier export"):
            lines(store, tmp_path / "bad.jsonl", since=bad)


def test_pages_that_refuse_a_use_are_left_out_and_counted(store: Path, tmp_path: Path) -> None:
    for name, target in (("chunks", "c.jsonl"), ("markdown", "m.markdown"), ("llms-txt", "l.llms")):
        found = written(store, name, tmp_path / target, usage="train-ai")
        assert found.written.left_out["no train-ai, says “content-usage: train-ai=n”"] == 1
        assert (tmp_path / f"{target}.manifest.json").exists()
    assert not any("/no" in chunk["page"] for chunk in lines(store, tmp_path / "c.jsonl", usage="train-ai"))


def test_llms_txt_lists_pages_by_their_folders_and_holds_their_text(store: Path, tmp_path: Path) -> None:
    assert written(store, "llms-txt", tmp_path / "l.llms").written.count == 4
    [host] = (tmp_path / "l.llms").iterdir()
    short, full = (host / "llms.txt").read_text(), (host / "llms-full.txt").read_text()
    assert short.startswith("# a.test")
    assert "\n## sub\n\n- [More](<http://a.test" in short
    assert "\n## Other pages\n\n" in short
    assert full.count("\nSource: <http://a.test") == 4
    assert "keeper lit the lamp" in full


@pytest.mark.parametrize(
    "options, says",
    [
        ({"token": 5}, 'option of --format chunks "token".*tokens'),
        ({"tokens": 5}, "from 32 to"),
        ({"tokens": "x"}, "whole number"),
        ({"content": "x"}, "main or all"),
    ],
)
def test_unusable_options_are_errors_that_say_what_is_usable(
    store: Path, tmp_path: Path, options: dict[str, object], says: str
) -> None:
    with pytest.raises(HinterlandError, match=says):
        written(store, "chunks", tmp_path / "c.jsonl", options=options)


def test_formats_without_options_say_so(store: Path, tmp_path: Path) -> None:
    with pytest.raises(HinterlandError, match="has no options"):
        written(store, "jsonl", tmp_path / "c.jsonl", options={"tokens": 5})


def test_the_command_takes_options(store: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["export", str(store), "--format", "chunks", "--output", str(tmp_path / "c.jsonl"), "--option"]
    assert main([*command, "tokens=50"]) == 0
    assert "chunks written to" in capfd.readouterr().err
    assert main([*command, "tokens"]) == 2
    assert "NAME=VALUE" in capfd.readouterr().err
