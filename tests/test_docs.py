"""What the documentation says is true: its commands run, its outputs come, its names exist.

How a Markdown file is read, section by section:

- ```sh blocks run in `sh`, in order, in one empty directory for each section of how-to.md and commands.md and for
  each other file. `<!-- not run: needs the internet -->`, or a package index, on the line before excuses a block,
  `<!-- exit code: 5 -->` names the exit code it must have, `<!-- Ctrl-C -->` says that Ctrl-C is pressed once it crawls
  or serves. The program is the one that a wheel of this checkout installs, for ```python blocks, too; its imports are
  made once for all commands and blocks.
- Every line of a ```text block must be among what the block before it wrote, figures that differ from run to run
  (ports, seconds, sizes) left aside.
- ```sql blocks are executed on the store of the demo, ```python blocks run after the sh blocks before them; blocks
  after `<!-- file: NAME -->` are written into that file.
- `section.key = value` names a default, `section.key` a setting.

There is no internet: names of example sites are replaced by hosts of the demo web, which is served here. What else a
document takes for granted, stores of its reader and such, is in GIVEN.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli.commands import parser
from hinterland.cli.demo.web import DemoWeb
from hinterland.cli.exit_codes import exit_code_table
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import RETRY_RULES
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.policies import POLICIES
from hinterland.crawler.settings import SECTIONS, load_settings, toml
from hinterland.crawler.settings.removed import REMOVED
from hinterland.distribution.environment import ROOT
from hinterland.storage.schema import LINK_KINDS
from tests.support.bulk_server import bulk_server
from tests.support.forward_proxy import forward_proxy
from tests.support.installation import Environment, copied, wheel_of
from tests.support.ready_programs import ready
from tests.support.web_thread import served
from tests.support.web_tls import self_signed

pytestmark = pytest.mark.slow

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])
NAMES = [str(file.relative_to(ROOT)) for file in DOCUMENTS]
IN_SECTIONS = ("docs/how-to.md", "docs/commands.md")
DEMO = "python3 run.py demo"
SECONDS = 300  # four times slower machines included


# --- reading Markdown ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. mark: the comment on the line before it, without its delimiters."""

    language: str
    text: str
    mark: str
    line: int

    @property
    def is_run(self) -> bool:
        return self.language == "sh" and not self.mark.startswith("not run")


_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>.*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks(text: str) -> list[Block]:
    return [
        Block(found["language"], found["text"], found["mark"] or "", text[: found.start()].count("\n") + 1)
        for found in _BLOCK.finditer(text)
    ]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def parts() -> Iterator[tuple[str, str]]:
    """(name, text) of what runs in a directory of its own."""
    for name in NAMES:
        if name not in IN_SECTIONS:
            yield name, text_of(name)
            continue
        for section in re.split(r"^(?=## )", text_of(name), flags=re.MULTILINE):
            yield f"{name}: {section.partition(chr(10))[0].lstrip('# ')}", section


RUN_PARTS = {name: text for name, text in parts() if any(block.is_run for block in blocks(text))}
COMMANDS = [
    (name, line)
    for name in NAMES
    for block in blocks(text_of(name))
    if block.language in ("sh", "ini", "crontab")
    for line in re.findall(r"python3 run\.py.*", block.text.replace("\\\n", " "))
]


def tables(text: str) -> list[list[list[str]]]:
    """The rows of every table, without its head; cells without the blanks around them."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()]
        found.append([[cell.strip() for cell in row] for row in rows[2:]])
    return found


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


# --- the demo web and one crawl of it -----------------------------------------------------------


GIVEN = {
    "docs/mcp.md": ("hinterland.db", "docs.db", "wiki.db"),
    "docs/search.md": ("other.db", "docs.db", "wiki.db", "blog.db"),
    "docs/serving.md": ("mine.db",),
    "docs/topics.md": ("big.db", "saved-page.html", "my-urls.txt"),
    "docs/how-to.md: Crawl through a proxy, or with a certificate authority of your own": ("company-ca.pem",),
}
"""What the reader of a document has beside the store of the demo, of which other stores are copies."""


def give(name: str, place: Path, demo: Demo, port: int) -> None:
    for file in GIVEN.get(name, ()):
        if file.endswith(".db"):
            shutil.copy(demo.store, place / file)
        elif file.endswith(".html"):
            (place / file).write_text("<title>Compost</title><p>Soil, compost and leaf mould for the beds.")
        elif file.endswith(".txt"):
            (place / file).write_text(f"http://gazette.example:{port}/\nhttp://museum.example:{port}/\n")
        else:
            self_signed(place, ["company.example"])[1].rename(place / file)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an installation, made once for all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "installed"
    place.mkdir(exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            environment = Environment.made(place)
            environment.pip("install", "--no-deps", "--no-index", "--no-compile", wheel_of(copied(place)))
            environment.share_compiled_code(place / "cache")
            (place / "done").touch()
    return place / "venv" / "bin"


def cache_of(installed: Path) -> str:
    """Where what is compiled lies, for all documents."""
    return str(installed.parent.parent / "cache")


@pytest.fixture(scope="session")
def demo_port() -> Iterator[int]:
    """The demo web, served from a thread."""
    with served(DemoWeb()) as web:
        yield web.port


@dataclass(frozen=True, slots=True)
class Demo:
    store: Path
    output: str


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, installed: Path) -> Demo:
    """What `python3 run.py demo` leaves and says; it is the same command wherever the documents use it, and is run once
    for all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo"
    place.mkdir(exist_ok=True)
    said = place / "said.txt"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            command = [str(installed / "hinterland"), "demo"]
            given = environment(place, XDG_CACHE_HOME=cache_of(installed))
            done = subprocess.run(command, cwd=place, env=given, capture_output=True, text=True, timeout=SECONDS)
            assert done.returncode == 0, done.stderr
            said.write_text(done.stdout + done.stderr)
    return Demo(place / "demo.db", said.read_text())


def environment(place: Path, **more: str) -> dict[str, str]:
    """For a process that runs in `place`, where `python3` and `sqlite3` are ours."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("HINTERLAND_", "PYTHON"))},
        "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix),  # what the tests import is compiled already
        "HOME": str(place / ".home"),
        "HINTERLAND_POLITENESS__DELAY_SECONDS": "0.005",  # the demo web is ours
        "HINTERLAND_POLITENESS__DELAY_FACTOR": "0",
        "HINTERLAND_POLITENESS__ADDRESS_DELAY_SECONDS": "0",
        "DOCS_DELAY": "0.005",
        "PATH": f"{place / '.bin'}{os.pathsep}{os.environ['PATH']}",
        **more,
    }


# A crawl that documents ask for is made quick, whatever they say of its rests, and a server takes a free port.
PROGRAM = """\
#!/bin/sh
export XDG_CACHE_HOME={cache}
case "$1" in
crawl) set -- "$@" --set politeness.delay_seconds=$DOCS_DELAY --set politeness.delay_factor=0 \\
        --set politeness.address_delay_seconds=0 --set report.interval_seconds=0.1 --set parsing.processes=1 ;;
recrawl) set -- "$@" --set report.interval_seconds=0.1 ;;
serve) set -- "$@" --port 0 ;;
esac
exec {program} "$@"
"""

PYTHON = """\
#!/bin/sh
if [ "$1" = run.py ]; then shift; exec hinterland "$@"; fi
exec {python} "$@"
"""

QUICK = {
    "politeness.delay_seconds": "0.005",
    "politeness.delay_factor": "0",
    "politeness.address_delay_seconds": "0",
    "parsing.processes": "1",
}

SQLITE = f"""\
#!{sys.executable}
import sqlite3, sys
with sqlite3.connect(f"file:{{sys.argv[1]}}?mode=rw", uri=True) as store:
    for row in store.execute(sys.argv[2]):
        print("|".join("" if value is None else str(value) for value in row))
"""


HOME = (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions")


def prepare(place: Path, demo: Demo, installed: Path) -> None:
    """A directory that looks like the root of a checkout to the commands in the documents, and a home. Where they say
    `python3 run.py` or `hinterland`, the installed program runs."""
    for folder in (".bin", *(f".home/{each}" for each in HOME)):
        (place / folder).mkdir(parents=True)
    command = shlex.join(ready_installed(installed, installed / "hinterland"))
    program = PROGRAM.format(program=command, cache=shlex.quote(cache_of(installed)))
    python = PYTHON.format(python=shlex.quote(str(installed / "python")))
    for name, script in (("python3", python), ("hinterland", program), ("sqlite3", SQLITE)):
        (place / ".bin" / name).write_text(script)
        (place / ".bin" / name).chmod(0o755)
    shutil.copy(demo.store, place)


def ready_installed(installed: Path, script: Path) -> list[str]:
    """How the Python of the installation carries out a script, with the program's imports already made."""
    imports = environment(installed.parent, XDG_CACHE_HOME=cache_of(installed))
    return ready(script, python=installed / "python", environment=imports)


SERVERS = {"localhost:9200": bulk_server, "proxy.example:3128": forward_proxy}
"""What is served while a block runs that names it."""


def on_the_demo_web(text: str, port: int) -> str:
    """The text, with hosts of the demo web in place of the example sites."""
    for example, ours in (
        ("https://your.site.example/articles/", f"http://gazette.example:{port}/news/seal-stops-traffic-on-the-pier"),
        ("https://your.site.example/", f"http://gazette.example:{port}/"),
        ("http://staging.example:8080/", f"http://inn.example:{port}/"),
        ("staging.example=10.0.0.7", "inn.example=127.0.0.1"),
        ("10.0.0.0/24", "127.0.0.0/8"),
        ("localhost:8000", f"inn.example:{port}"),
        ("http://wiki.local/", f"http://inn.example:{port}/"),
        ("192.168.0.0/24", "127.0.0.0/8"),
        ("fetching.lookups=system", "fetching.lookups=system --set fetching.addresses=inn.example=127.0.0.1"),
        ("https://garden.example.org/soil", f"http://kitchen.example:{port}/"),
        ("https://shop.example.org/", f"http://weather.example:{port}/"),
    ):
        text = text.replace(example, ours)
    return text


# --- running the documents ----------------------------------------------------------------------


@pytest.mark.parametrize("name", RUN_PARTS)
def test_commands_run_installed_and_say_what_the_document_shows(
    name: str, tmp_path: Path, demo: Demo, installed: Path, demo_port: int
) -> None:
    prepare(tmp_path, demo, installed)
    give(name, tmp_path, demo, demo_port)
    output = ""
    for block in blocks(RUN_PARTS[name]):
        place = f"{name}, line {block.line}"
        if block.mark.startswith("file: "):
            (tmp_path / block.mark.removeprefix("file: ")).write_text(block.text)
        elif block.is_run:
            output = demo.output if block.text.strip() == DEMO else run(block, tmp_path, demo_port, place)
        elif block.language == "python":
            output = run_python(block, tmp_path, installed, demo_port, place)
        elif block.language == "text":
            said = {comparable(line) for line in output.splitlines()}
            for line in filter(None, map(comparable, block.text.splitlines())):
                assert line in said, f"{place}: {line!r} is not in\n{output}"


def run(block: Block, place: Path, port: int, where: str) -> str:
    """What the block writes to stdout and stderr."""
    more = {}
    if "allow_networks" not in block.text:  # else the document has to show how it is done
        more["HINTERLAND_FETCHING__ALLOW_NETWORKS"] = "127.0.0.0/8"
    if "fetching.addresses" not in block.text:
        more["HINTERLAND_FETCHING__ADDRESSES"] = ",".join(f"{host}=127.0.0.1" for host in DemoWeb().addresses)
    script = on_the_demo_web(block.text.replace(DEMO + "\n", ":\n"), port)
    for name, serving in SERVERS.items():
        if name in script:
            with serving() as server_port:
                text = script.replace(name, f"127.0.0.1:{server_port}")
                return run(replace(block, text=text), place, port, where)
    is_interrupted = block.mark == "Ctrl-C"
    if is_interrupted:
        more["DOCS_DELAY"] = "0.1"  # it must not be over before the key is pressed
    shell = subprocess.Popen(
        ["sh", "-ec", f"exec {script}" if is_interrupted else script],
        cwd=place,
        env=environment(place, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    before = ""
    if is_interrupted:
        before = wait_for_progress(shell)
        shell.send_signal(signal.SIGINT)
    try:
        output = before + shell.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        shell.kill()
        output = before + shell.communicate()[0]
    named = re.fullmatch(r"exit code: (\d+)", block.mark)
    stopped = 0 if " serve " in script else EndReason.STOPPED.exit_code
    expected = int(named[1]) if named else stopped if is_interrupted else 0
    assert shell.returncode == expected, f"{where}: exit code {shell.returncode}, not {expected}\n{script}\n{output}"
    return output


def wait_for_progress(crawl: subprocess.Popen[str]) -> str:
    assert crawl.stdout is not None
    seen = ""
    for line in crawl.stdout:
        seen += line
        if "pages fetched" in line or "Ctrl-C ends it" in line:
            return seen
    raise AssertionError(f"it ended before Ctrl-C could be pressed:\n{seen}")


def run_python(block: Block, place: Path, installed: Path, port: int, where: str) -> str:
    addresses = ",".join(f"{host}=127.0.0.1" for host in DemoWeb().addresses)
    reachable = {"fetching.allow_networks": "127.0.0.0/8", "fetching.addresses": addresses} | QUICK
    text = on_the_demo_web(block.text, port).replace("settings={", f"settings={repr(reachable)[:-1]}, ")
    (place / "block.py").write_text(text)
    command = ready_installed(installed, place / "block.py")
    given = environment(place, XDG_CACHE_HOME=cache_of(installed))
    done = subprocess.run(command, cwd=place, env=given, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"{where}: {done.stderr}"
    return done.stdout


def test_the_notebook_says_what_it_shows(
    tmp_path: Path, demo: Demo, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat
    from nbclient import NotebookClient

    shutil.copy(demo.store, tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Environment(installed.parent).packages))
    monkeypatch.setenv("XDG_CACHE_HOME", cache_of(installed))
    shown = nbformat.read(ROOT / "docs/library.ipynb", as_version=4)
    run = deepcopy(shown)
    NotebookClient(run, timeout=SECONDS, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for ours, theirs in zip(run.cells, shown.cells, strict=True):
        if ours.cell_type == "code":
            assert said_by(ours) == said_by(theirs), ours.source


def said_by(cell: Any) -> list[str]:
    """The texts, and of what kinds the outputs are; pictures are looked at by people."""
    said = []
    for output in cell.outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain", "")
        said += [*map(comparable, text.splitlines()), *sorted(data)]
    return said


def comparable(line: str) -> str:
    """The line without what differs from run to run, and however wide its columns are."""
    line = line.replace("python3 run.py", "hinterland")
    line = re.sub(r":\d{4,5}\b", ":PORT", line)
    line = re.sub(r"\b\d+ min \d\d s\b|\b\d+(\.\d+)? s\b", "SECONDS", line)
    line = re.sub(r"\(\d+(\.\d+)? [KMG]?B\)", "", line)
    return " ".join(line.split())


@pytest.mark.parametrize("name", NAMES)
def test_blocks_that_are_not_run_say_why(name: str) -> None:
    for block in blocks(text_of(name)):
        assert block.language, f"{name}, line {block.line}: a block without a language"
        if block.mark:
            reason = r"not run: needs (the internet|a package index|two ports)(: .+)?"
            known = rf"{reason}|exit code: \d+|Ctrl-C|file: [\w-]+\.\w+"
            assert re.fullmatch(known, block.mark), f"{name}, line {block.line}: {block.mark!r} is no mark"


@pytest.mark.parametrize("name, command", COMMANDS)
def test_every_command_line_is_understood_even_if_it_is_not_run(name: str, command: str) -> None:
    command = re.sub(r"\$\((?:[^()]|\([^()]*\))*\)", "X", command)
    words = shlex.split(re.split(r" (?:>>?|\|\|?|#) |\s*\)\"?$", command)[0])[2:]
    if words in (["--version"], ["crawl", "--help"]):
        return  # they end the process
    arguments = parser().parse_args(words)
    load_settings(None, "", {}, getattr(arguments, "overrides", []), {})


# --- what is named exists -----------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_settings_that_are_named_exist_and_have_the_defaults_that_are_told(name: str) -> None:
    text = text_of(name)
    sections = "|".join(SECTIONS)
    for section, key in re.findall(rf"(?:`|--set '?)({sections})\.([a-z_0-9]+)", text):
        is_column = section in ("robots", "policy", "hinterland") and key in ("txt", "py", "db")
        is_module = section == "hinterland" and any(
            (ROOT / "hinterland" / each).exists() for each in (f"{key}.py", key)
        )
        was_known = name == "CHANGELOG.md" and f"{section}.{key}" in REMOVED
        is_known = is_column or is_module or was_known or key in SECTIONS[section].rules()
        assert is_known, f"{name}: there is no setting {section}.{key}"
    for section, key, value in re.findall(rf"`({sections})\.(\w+) = ([^`]+)`", text):
        default = toml(SECTIONS[section].rules()[key].default)
        assert value == default, f"{name}: the default of {section}.{key} is {default}"
    for variable in re.findall(r"HINTERLAND_([A-Z_]+__[A-Z_]+)", text):
        section, _, key = variable.lower().partition("__")
        assert variable == "SECTION__KEY" or key in SECTIONS[section].rules(), f"{name}: {variable}"


def test_every_setting_is_named_in_a_document() -> None:
    texts = "".join(map(text_of, NAMES))
    named = set(re.findall(r"\b([a-z_]+\.[a-z_0-9]+)", texts))
    settings = {f"{section}.{key}" for section, kind in SECTIONS.items() for key in kind.rules()}
    assert settings <= named, sorted(settings - named)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    text = re.sub(r"```.*?```", "", text_of(name), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, fragment = target.partition("#")
        assert "://" not in target, f"{name}: {target}: the documents stand by themselves"
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), f"{name}: there is no {target}"
        if fragment:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert fragment in [re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings], target


@pytest.mark.parametrize("name", NAMES)
def test_files_and_tests_that_are_named_exist(name: str) -> None:
    named = r"`((?:crawler|storage|analysis|tests|benchmarks|docs)/[\w./-]*)(?:::(test_\w+))?`"
    for file, test in re.findall(named, text_of(name)):
        assert (ROOT / file).exists(), f"{name}: there is no {file}"
        assert not test or f"def {test}(" in text_of(file), f"{name}: there is no {test} in {file}"


def test_the_picture_has_words_for_those_who_do_not_see_it() -> None:
    picture = text_of("docs/picture.svg")
    assert "<title" in picture
    assert "<desc" in picture
    assert "prefers-color-scheme: dark" in picture


# --- commands.md --------------------------------------------------------------------------------


def test_every_command_is_documented_and_leads_to_its_options() -> None:
    (subparsers,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    rows = {quoted(row[0])[0].split()[0]: row[2] for row in tables(text_of("docs/commands.md"))[0]}
    assert set(rows) == set(subparsers.choices)
    for command, more in rows.items():
        assert f"(reference/commands.md#{command})" in more  # generated, and compared with the code in test_site.py


def test_every_exit_code_is_documented_with_its_reason() -> None:
    rows = {(int(row[0]), *quoted(row[1])) for row in tables(text_of("docs/commands.md"))[1]}
    assert {(reason.exit_code, reason.label) for reason in EndReason} <= rows
    in_help = {int(code) for code in re.findall(r"^ *(\d+)  ", exit_code_table(), re.MULTILINE)}
    assert {code for code, *_ in rows} == in_help | {130}


def test_every_json_event_and_counter_is_documented(
    tmp_path: Path, demo: Demo, installed: Path, demo_port: int
) -> None:
    prepare(tmp_path, demo, installed)
    command = "python3 run.py crawl https://your.site.example/ --max-depth 1 --log-json 2> errors.txt\n"
    lines = run(Block("sh", command, "", 0), tmp_path, demo_port, "a crawl").splitlines()
    events = {event["event"]: event for event in map(json.loads, lines)}
    _, _, _, event_rows, counter_rows, _ = tables(text_of("docs/commands.md"))
    documented = {quoted(row[0])[0]: set(quoted(row[2])) for row in event_rows}
    counters = {key for row in counter_rows for key in quoted(row[0])}
    assert set(documented) == {"note", "warning", "phase", "progress", "end", "error"}
    assert set(events["end"]) == {"event", "time"} | documented["end"]
    assert set(events["progress"]) == {"event", "time"} | counters
    assert set(events["end"]["run"]) == counters
    (frontier,) = (quoted(row[1]) for row in counter_rows if row[0] == "`frontier`")
    assert set(events["end"]["run"]["frontier"]) == set(frontier)


def test_every_outcome_is_documented_with_its_tries() -> None:
    rows = {quoted(row[0])[0]: (row[2], row[3]) for row in tables(text_of("docs/commands.md"))[5]}
    expected = {}
    for kind in OutcomeKind:
        rule = RETRY_RULES.of(kind)
        tries = str(rule.attempts) if rule.attempts > 1 else ""
        expected[kind.value] = (tries, "host" if rule.blames_host else "")
    assert rows == expected


# --- schema.md ----------------------------------------------------------------------------------


@pytest.fixture
def demo_store(demo: Demo, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    store = sqlite3.connect(shutil.copy(demo.store, tmp_path))
    yield store
    store.close()


def test_the_queries_of_schema_md_run(demo_store: sqlite3.Connection) -> None:
    queries = [block.text for block in blocks(text_of("docs/schema.md")) if block.language == "sql"]
    assert len(queries) >= 4
    for query in queries:
        demo_store.execute(query).fetchall()


def test_every_view_and_its_columns_are_documented(demo_store: sqlite3.Connection) -> None:
    views = {quoted(row[0])[0]: quoted(row[2]) for row in tables(text_of("docs/schema.md"))[0]}
    assert views == {view: columns(demo_store, view) for view in named(demo_store, "view")}


def test_every_table_is_documented_with_its_key_and_columns_it_has(demo_store: sqlite3.Connection) -> None:
    rows = {quoted(row[0])[0]: row for row in tables(text_of("docs/schema.md"))[1]}
    assert set(rows) == named(demo_store, "table")
    for table, (_, key, content) in rows.items():
        information = demo_store.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()
        assert quoted(key)[0].split(", ") == [name for name, place in information if place], table
        told = [each for each in quoted(content) if "." not in each]
        assert set(told) <= set(columns(demo_store, table)), table


def test_every_page_state_and_kind_of_link_is_documented() -> None:
    text = text_of("docs/schema.md")
    assert {quoted(row[0])[0] for row in tables(text)[2]} == {state.value for state in PageState}
    assert ", ".join(LINK_KINDS) in text


@pytest.mark.parametrize("name", NAMES)
def test_columns_that_are_named_exist(name: str, demo_store: sqlite3.Connection) -> None:
    both = named(demo_store, "view") | named(demo_store, "table")
    for table, column in re.findall(rf"`({'|'.join(sorted(both))})\.([a-z_]+)[` ]", text_of(name)):
        is_setting = column in SECTIONS[table].rules() if table in SECTIONS else False
        is_file = f"{table}.{column}" in ("robots.txt", "run.py", "ranks.npz", "sitemap.xml")
        is_known = is_setting or column in columns(demo_store, table) or is_file
        assert is_known, f"{name}: {table} has no column {column}"


def named(store: sqlite3.Connection, kind: str) -> set[str]:
    found = store.execute("SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'", (kind,))
    return {name for (name,) in found}


def columns(store: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in store.execute(f"SELECT name FROM pragma_table_info('{table}')")]


# --- policies.md --------------------------------------------------------------------------------


def test_every_policy_is_documented() -> None:
    assert {quoted(row[0])[0] for row in tables(text_of("docs/policies.md"))[0]} == set(POLICIES)


def test_plug_ins_that_are_shown_have_fewer_than_twenty_lines() -> None:
    examples = [block for block in blocks(text_of("docs/plug-ins.md")) if block.language == "python"]
    assert len(examples) >= 3
    for example in examples:
        assert example.text.count("\n") < 20, example.mark
