"""`--plugin`, and names that installed packages bring."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hinterland.cli import main
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.plugins.kinds import REVISIT_POLICY
from hinterland.crawler.policies import POLICIES, add_policy
from hinterland.crawler.settings import load_settings
from hinterland.library import plugin_tables
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.crawls.topic_choice import chosen_topic
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import enter_plugins, plugins_in, require
from hinterland.storage.reading.opening import reading
from tests.support.graph_files import random_web
from tests.support.hinterland import Memory, crawled, overrides
from tests.support.in_process import complaint, said
from tests.support.plug_ins import NEWEST, TITLES, install, tables_as_before
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def every_test_by_itself() -> Iterator[None]:
    with tables_as_before():
        yield


@pytest.fixture
def newest(tmp_path: Path) -> Path:
    file = tmp_path / "newest.py"
    file.write_text(NEWEST, encoding="utf-8")
    return file


def test_simulate_replays_a_policy_of_a_file(newest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = random_web(tmp_path / "web")
    command = ("simulate", web, "--local", "h1.test", "--iterations", 2, "--estimators", "crawled-graph")
    text = said(capsys, *command, "--plugin", newest, "--policies", "newest,bfs")
    assert [line.split()[0] for line in text.splitlines() if "crawled-graph" in line] == ["newest", "bfs"]
    again = said(capsys, *command, "--plugin", newest, "--policies", "newest")  # the same file, not another's
    assert "newest" in again


def test_evaluate_has_its_processes_know_the_policy_of_a_file(
    newest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = random_web(tmp_path / "web")
    rule = ("--min-pages", 1, "--min-frontier", 1, "--min-distance", 0, "--min-reach", 0, "--largest-groups", 1)
    work = ("--iterations", 2, "--budgets", "0.5,1", "--estimators", "crawled-graph", "--processes", 2)
    text = said(capsys, "evaluate", web, *rule, *work, "--policies", "random,newest", "--plugin", newest)
    assert "newest" in text


def test_an_installed_policy_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / "site", "hinterland.policies", "newest = newest_orders:Newest")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    web = random_web(tmp_path / "web")
    command = ("simulate", web, "--local", "h1.test", "--iterations", 2, "--estimators", "crawled-graph")
    assert "newest" in said(capsys, *command, "--policies", "newest")
    refusal = complaint(capsys, *command, "--policies", "newst")
    assert 'there is no policy "newst"; the nearest is "newest". All of them: bfs, ' in refusal


@pytest.mark.parametrize(
    "command",
    [
        ("crawl", "http://a.test/"),
        ("simulate", "g.npz"),
        ("evaluate", "g.npz"),
        ("quality",),
        ("rank",),
        ("index",),
        ("export", "--format", "jsonl"),
    ],
)
def test_a_file_with_a_name_of_ours_is_refused_by_every_command_before_it_does_anything(
    command: tuple[str, ...], newest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest.write_text(NEWEST.replace('"newest"', '"bfs"'), encoding="utf-8")
    expected = f"hinterland: --plugin: {newest}: Hinterland itself has a policy 'bfs'; give yours another name\n"
    assert complaint(capsys, *command, "--plugin", newest) == expected


def test_nothing_of_a_file_is_entered_if_one_of_its_names_is_taken(
    newest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest.write_text(NEWEST.replace("{", '{"novel": Newest, "dfs": Newest, '), encoding="utf-8")
    assert "has a policy 'dfs'" in complaint(capsys, "quality", "--plugin", newest)
    assert "novel" not in POLICIES


async def test_a_policy_of_a_file_steers_a_crawl_that_goes_on_only_with_it(newest: Path, tmp_path: Path) -> None:
    store, again = str(tmp_path / "a.db"), f"--plugin {newest}"
    async with LoopbackWeb() as web:
        for page in ("/1", "/2", "/3"):
            web.page("a.test", page)
        seed = web.page("a.test", "/", links=["/1", "/2", "/3"])
        enter_plugins([str(newest)])
        settings = load_settings(None, "settings.toml", {}, overrides(web, "policy.name=newest"), {})
        await crawl(CrawlPlan(settings, [GivenSeed(seed, "")], store, ["crawl", *again.split()], 2), Memory())
        assert [request.path for request in web.log][-2:] == ["/", "/3"]

        del POLICIES["newest"]
        bare = load_settings(None, "settings.toml", {}, overrides(web), {})
        with pytest.raises(HinterlandError, match='there is no policy "newest"') as refusal:
            await crawl(CrawlPlan(bare, [], store, ["crawl", "--resume"], resume=True), Memory())
        assert f"The last run in {store} was given {again}: give it again, or choose others" in str(refusal.value)
        with pytest.raises(HinterlandError, match='there is no policy "newest"') as refusal:
            await crawl(CrawlPlan(settings, [], store, ["crawl", "--resume"], resume=True), Memory())

        enter_plugins([str(newest)])
        await crawl(CrawlPlan(bare, [], store, ["crawl", "--resume"], resume=True), Memory())
        assert {request.path for request in web.log} >= {"/", "/1", "/2", "/3"}


async def test_resuming_without_the_package_of_the_policy_says_to_install_it(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/1"])
        add_policy("borrowed", POLICIES["bfs"])
        settings = load_settings(None, "settings.toml", {}, overrides(web, "policy.name=borrowed"), {})
        await crawl(CrawlPlan(settings, [GivenSeed(seed, "")], str(tmp_path / "a.db"), ["crawl"], 1), Memory())
        del POLICIES["borrowed"]
        bare = load_settings(None, "settings.toml", {}, overrides(web), {})
        with pytest.raises(HinterlandError, match="found it in a package that is not installed here: install"):
            await crawl(CrawlPlan(bare, [], str(tmp_path / "a.db"), ["crawl"], resume=True), Memory())


JUDGES = """
class Islands:
    def relevance(self, title, headings, text, link_texts=()):
        if title == "odd":
            raise ValueError("an odd page")
        return 0.9 if title == "island" else 0.1

TOPIC_CLASSIFIERS = {"islands": Islands}
"""


async def test_pages_are_judged_by_a_classifier_of_a_file_and_what_it_raises_costs_one(tmp_path: Path) -> None:
    file, store = tmp_path / "judges.py", str(tmp_path / "a.db")
    file.write_text(JUDGES, encoding="utf-8")
    enter_plugins([str(file)])
    topic = chosen_topic(None, None, "islands")
    command = ["crawl", "--plugin", str(file)]
    async with LoopbackWeb() as web:
        for path, title in (("/1", "island"), ("/2", "odd"), ("/3", "sea")):
            web.page("a.test", path, title=title)
        seed = web.page("a.test", "/", links=["/1", "/2", "/3"])
        settings = load_settings(None, "settings.toml", {}, overrides(web, "policy.name=focused"), {})
        files = [str(file)]
        plan = CrawlPlan(settings, [GivenSeed(seed, "")], store, command, topic=topic, plugins=files)
        await crawl(plan, Memory())
        with reading(Path(store)) as reports:
            numbers = [reports.pages.number_of(web.url("a.test", path)) for path in ("/1", "/3")]
            relevance = [reports.topics.relevance_of(number) for number in numbers if number is not None]
            [failure] = reports.pages.failures()
        assert relevance == pytest.approx([0.9, 0.1])
        assert failure.outcome == "parser_crash"
        assert failure.detail == "the topic classifier raised ValueError: an odd page"

        plugin_tables._CLASSIFIERS.clear()
        with pytest.raises(HinterlandError, match='there is no topic classifier "islands"') as refusal:
            await crawl(CrawlPlan(settings, [], store, ["crawl", "--resume"], resume=True), Memory())
        assert f"was given --plugin {file}: give it again, or choose others" in str(refusal.value)


def test_a_classifier_stands_alone() -> None:
    with pytest.raises(HinterlandError, match="leave out --topic and --targets"):
        chosen_topic(None, "application/pdf", "islands")
    with pytest.raises(HinterlandError, match='there is no topic classifier "islands", nor any other'):
        chosen_topic(None, None, "islands")


def test_a_revisit_policy_of_a_file_is_known_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "root.py"
    file.write_text(
        "class Root:\n    def waits(self, price, rates, importance):\n        return price / importance**0.5\n"
        'REVISIT_POLICIES = {"root": Root}\n',
        encoding="utf-8",
    )
    with pytest.raises(HinterlandError, match='there is no revisit policy "root"'):
        require(REVISIT_POLICY, "root")
    enter_plugins([str(file)])
    require(REVISIT_POLICY, "root")
    assert make_revisit_policy("root").waits(2.0, np.ones(1), np.array([4.0])).tolist() == [1.0]


async def test_export_writes_by_an_exporter_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "titles.py").write_text(TITLES, encoding="utf-8")
    async with LoopbackWeb() as web:
        await crawled(web, tmp_path / "a.db", seed := web.page("a.test", "/"))
    enter_plugins([str(tmp_path / "titles.py")])
    target = tmp_path / "titles.md"
    assert main(["export", str(tmp_path / "a.db"), "--format", "titles", "--output", str(target)]) == 0
    assert target.read_text() == seed


# --- plugins ------------------------------------------------------------------------------------


def test_plugins_lists_what_is_installed_and_what_files_have(
    newest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "plugins").startswith("no plug-ins: ")
    install(tmp_path / "site", "hinterland.policies", "recent = newest_orders:Newest")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    shown = said(capsys, "plugins", "--plugin", newest)
    assert [line.split(maxsplit=2) for line in shown.splitlines()] == [
        ["kind", "name", "from"],
        ["policy", "recent", "newest-orders 1.0"],
        ["policy", "newest", str(newest)],
    ]


def test_plugins_says_what_is_wrong_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, "hinterland.policies", "bfs = newest_orders:Newest\nlost = newest_orders:Lost")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["plugins", "--json"]) == 2
    taken, lost = json.loads(capsys.readouterr().out)
    assert (taken["name"], taken["origin"]) == ("bfs", "newest-orders 1.0")
    assert "is ignored: Hinterland has its own of that name" in taken["problem"]
    assert lost["origin"] == "newest-orders 1.0"
    assert "the policy 'lost' of newest-orders 1.0 cannot be imported" in lost["problem"]
    assert main(["plugins"]) == 2
    assert lost["problem"] in capsys.readouterr().out


@pytest.mark.parametrize(
    "command, files",
    [
        ("crawl http://a.test/", []),
        ("crawl --plugin a.py --plugin=b.py --resume", ["a.py", "b.py"]),
        ("crawl --resume --plugin", []),
    ],
)
def test_plug_ins_are_found_in_a_command_line_as_it_was_kept(command: str, files: list[str]) -> None:
    assert plugins_in(command.split()) == files


def test_a_file_may_offer_features_of_the_crawl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "quiet.py"
    file.write_text("from hinterland.features import Feature\n\nFEATURES = {'quiet': Feature}\n", encoding="utf-8")
    assert said(capsys, "plugins", "--plugin", file).splitlines()[1].split() == ["feature", "quiet", str(file)]
