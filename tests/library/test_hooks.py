"""Hooks of the program itself: objects it hands to a crawl, and plug-ins in the file that runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hinterland
from hinterland.distribution.environment import ROOT
from hinterland.errors import CommandError
from hinterland.hooks import Hook, HookPage
from tests.support.hinterland import overrides
from tests.support.ready_programs import ready
from tests.support.web import LoopbackWeb
from tests.support.web_thread import served

FIELDS = {"words": "integer"}
HEAD = """\
import json, sys
import hinterland
from hinterland.hooks import Hook

url, settings, store = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
"""
TAIL = """
with hinterland.Store(store) as opened:
    for row in opened.records(TABLE):
        print(row["words"], row["url"])
"""
BY_SCRIPT = {
    "a function of the script": """
import re
WORD = re.compile("[a-z]+")
def count(text):
    return len(WORD.findall(text))
def size(page):
    return {"words": count(page.text())}
hinterland.crawl(url, store, settings=settings, hooks=[Hook("**", {"words": "integer"}, size)])
TABLE = "size"
""",
    "a lambda with a name": """
hooks = [Hook("**", {"words": "integer"}, lambda page: {"words": len(page.text().split())}, table="size")]
hinterland.crawl(url, store, settings=settings, hooks=hooks)
TABLE = "size"
""",
    "a closure that gives several": """
def counting(least):
    def read(page):
        words = len(page.text().split())
        if words >= least:
            yield {"words": words}
    return read
hinterland.crawl(url, store, settings=settings, hooks={"size": Hook("**", {"words": "integer"}, counting(1))})
TABLE = "size"
""",
    "an object of a class of the script": """
from dataclasses import dataclass
@dataclass
class PageSize:
    pages: str = "**"
    least: int = 1
    fields = {"words": "integer"}
    def read(self, page):
        words = len(page.text().split())
        return {"words": words} if words >= self.least else None
hinterland.crawl(url, store, settings=settings, hooks=[PageSize()])
TABLE = "page_size"
""",
    "a plug-in that is the script itself, without a guard": """
def read(page):
    return {"words": len(page.text().split())}
HOOKS = {"size": Hook("**", {"words": "integer"}, read)}
hinterland.crawl(url, store, settings=settings, plugins=[__file__])
TABLE = "size"
""",
    "a plug-in that is the script itself, with a guard": """
def read(page):
    return {"words": len(page.text().split())}
HOOKS = {"size": Hook("**", {"words": "integer"}, read)}
if __name__ == "__main__":
    hinterland.crawl(url, store, settings=settings, plugins=[__file__])
TABLE = "size"
""",
    "a policy and a hook in the script itself": """
from hinterland.policies import FixedOrder
class Newest(FixedOrder):
    def discovered(self, pages, depths):
        return pages.astype(float)
POLICIES = {"newest-here": Newest}
HOOKS = {"size": Hook("**", {"words": "integer"}, lambda page: {"words": len(page.text().split())})}
hinterland.crawl(url, store, settings=settings, policy="newest-here", plugins=[__file__])
TABLE = "size"
""",
    "hooks by the attribute of the package": """
hook = hinterland.hooks.Hook("**", {"words": "integer"}, lambda page: {"words": len(page.text().split())}, table="size")
try:
    hinterland.crawl(url, store, settings={"identity.contact": "no contact"}, hooks=[hook])
except hinterland.errors.CommandError:
    hinterland.crawl(url, store, settings=settings, hooks=[hook])
TABLE = "size"
""",
}


@pytest.fixture
def web() -> Iterator[LoopbackWeb]:
    with served(LoopbackWeb(latency=0.0)) as web:
        web.page("a.test", "/", links=["/1"])
        web.page("a.test", "/1", links=["/"])
        yield web


def settings_for(web: LoopbackWeb) -> dict[str, str]:
    return dict(override.split("=", 1) for override in overrides(web))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_SCRIPT)
def test_a_script_reads_pages_by_its_own_functions(name: str, web: LoopbackWeb, tmp_path: Path) -> None:
    script = tmp_path / "crawl_and_count.py"
    script.write_text(HEAD + BY_SCRIPT[name] + TAIL, encoding="utf-8")
    given = [web.url("a.test"), json.dumps(settings_for(web)), str(tmp_path / "a.db")]
    done = subprocess.run(
        [*ready(script), *given], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_plug_in_that_is_the_script_itself_may_be_given_by_another_name_of_its_file(
    web: LoopbackWeb, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    text = BY_SCRIPT["a plug-in that is the script itself, without a guard"].replace("__file__", "'./other.py'")
    script.write_text(HEAD + text + TAIL, encoding="utf-8")
    (tmp_path / "other.py").symlink_to(script)
    given = [web.url("a.test"), json.dumps(settings_for(web)), str(tmp_path / "a.db")]
    done = subprocess.run(
        [sys.executable, "-m", "script", *given],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr


@pytest.mark.slow
def test_a_script_that_another_program_runs_may_have_hooks_too(web: LoopbackWeb, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(HEAD + BY_SCRIPT["a function of the script"] + TAIL, encoding="utf-8")
    given = [web.url("a.test"), json.dumps(settings_for(web)), str(tmp_path / "a.db")]
    program = f"import runpy, sys; sys.argv = ['x', *{given!r}]; runpy.run_path('script.py', run_name='its_own_name')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr


def read_one(page: HookPage) -> dict[str, object]:
    return {"words": len(page.url)}


@pytest.mark.slow
def test_a_hook_that_does_wrong_costs_its_own_records_alone(web: LoopbackWeb, tmp_path: Path) -> None:
    hooks = [Hook("**", FIELDS, lambda page: {"words": 1 // 0}, table="bad"), Hook("**", FIELDS, read_one)]
    ending = hinterland.crawl(web.url("a.test"), tmp_path / "a.db", settings=settings_for(web), hooks=hooks)
    assert ending.content is not None
    assert {report.name: report.records for report in ending.content.extracted} == {"bad": 0, "read_one": 2}
    with hinterland.Store(tmp_path / "a.db") as store:
        assert [row["words"] for row in store.records("read_one")] == [len(each.url) for each in store.pages()]


class Opened:
    def __init__(self) -> None:
        self.file = Path(os.devnull).open("rb")  # noqa: SIM115  # what cannot be handed to another process

    def __call__(self, page: HookPage, /) -> dict[str, object]:
        return {"words": len(self.file.read())}


@pytest.mark.parametrize(
    "hooks, complaint",
    [
        ([Hook("**", FIELDS, lambda page: None)], "has no name: give it one"),
        ([Hook("**", {"words": "number of"}, read_one)], "number of"),
        ([Hook("**", FIELDS, read_one), Hook("**", FIELDS, read_one)], "two hooks fill the table 'read_one'"),
        ([Hook("**", FIELDS, Opened(), table="size")], "'size' cannot be passed to the parser processes"),
        ([read_one], "has no pages and no fields and no read"),
        (Hook("**", FIELDS, read_one), "a list of hooks"),
        ("size", "a list of hooks"),
        (["nobody-has-it"], 'there is no hook "nobody-has-it"'),
        ([Hook("**", FIELDS, read_one, table="No Name")], "No Name"),
        ([Hook("**", FIELDS, 3)], "its `read` cannot be called"),  # type: ignore[arg-type]  # the mistake at hand
    ],
)
def test_what_is_no_hook_is_refused_before_anything_begins(hooks: Any, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=complaint):
        hinterland.crawl("http://a.test/", tmp_path / "a.db", hooks=hooks)
    assert not (tmp_path / "a.db").exists()
