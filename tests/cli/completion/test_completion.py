"""What the shells make of what `completion` prints."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

from hinterland.cli.command_parser import CommandParser
from hinterland.cli.completion import SHELLS
from hinterland.cli.completion.shells import bash, fish, zsh
from hinterland.cli.completion.words import Option, Value, words_of
from hinterland.crawler.policies import POLICIES
from hinterland.crawler.settings import SECTIONS
from tests.support.in_process import said


def ran(shell: str, *arguments: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"there is no {shell} here")  # CI has all shells: there, a skip is a failure
    done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names_with(beginning: str) -> list[str]:
    names = [f"{section}.{key}" for section, keys in SECTIONS.items() for key in keys.rules()]
    return [name for name in names if name.startswith(beginning)]


TYPED = [
    ("cr", ["crawl"]),
    ("crawl --pol", ["--policy"]),
    ("crawl --policy b", ["bfs"]),
    ("export --format js", ["jsonl"]),
    ("completion z", ["zsh"]),
    ("settings --json --st", ["--store"]),
    ("crawl --resume --retry ref", ["refused"]),
    ("crawl --resume --retry too_l", ["too_large"]),
    ("model pref", ["preferential"]),
    ("model preferential --order b", ["bfs"]),
    ("sample --method und", ["undirected"]),
    ("quality --policies b", ["bfs"]),
    ("crawl --set storage.keep_b", ["storage.keep_bodies=", "storage.keep_bodies_mb="]),
    ("recrawl --set revisits.keep_t", ["revisits.keep_texts="]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "typed, completed",
    [
        *TYPED,
        ("crawl --policy =", list(POLICIES)),
        ("crawl --set storage.keep_bodies = t", ["true"]),
        ("crawl --set storage.commit_seconds = ", []),
        ("crawl --set s", [f"{name}=" for name in names_with("s")]),
    ],
)
def test_bash_completes_it(typed: str, completed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run.py", *typed.split()]
    ask = f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _hinterland; echo ${{COMPREPLY[*]}}"
    assert ran("bash", "-c", said(capsys, "completion", "bash") + ask).split() == completed


@pytest.mark.slow
@pytest.mark.parametrize(
    "typed, completed",
    [
        *TYPED,
        ("status /dev/nul", ["/dev/null"]),
        ("crawl --set /dev/nul", []),
        ("crawl --set storage.keep_bodies=t", ["storage.keep_bodies=true"]),
    ],
)
def test_fish_completes_it(typed: str, completed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = ran("fish", "-c", said(capsys, "completion", "fish") + f"complete -C {shlex.quote(f'run.py {typed}')}")
    assert [line.partition("\t")[0] for line in found.splitlines()] == completed


def test_zsh_can_read_it(capsys: pytest.CaptureFixture[str]) -> None:
    script = said(capsys, "completion", "zsh")
    ran("zsh", "-n", "-c", script)
    names = ran("zsh", "-c", f"compdef() {{ print $1 $2 }}\n{script}\nwhence -w _hinterland")
    assert names.split() == ["_hinterland", "run.py", "_hinterland:", "function"]


@pytest.mark.parametrize("shell", SHELLS)
def test_an_option_is_shown_whatever_letters_its_help_has(shell: str) -> None:
    parser = CommandParser()
    parser.add_argument("--odd", metavar="A:B", help="""it's "so": [odd] $(echo no) `echo no` 100 %% \\ (default: 3)""")
    words = [words_of("do", "it's", parser, {})]
    script = {"bash": bash, "zsh": zsh, "fish": fish}[shell]("run.py", words, {"a.b": ("c",)})
    assert ran(shell, "-n", "-c", script) == ""
    assert "--odd" in script or "-l odd" in script


def test_what_follows_an_option_is_known_from_the_parser() -> None:
    parser = CommandParser(add_help=False)
    parser.add_argument("graph", nargs="+", metavar="FILE", help="one or more")
    parser.add_argument("--policy", metavar="NAME", help="the order; and so on (default: %(default)s)")
    parser.add_argument("--json", action="store_true")
    found = words_of("try", "try it", parser, {"policy": ["bfs"]})
    assert found.others == [Option((), "one or more", Value.FILE, (), "FILE", is_repeatable=True)]
    assert found.options == [
        Option(("--policy",), "the order", Value.TEXT, ("bfs",), "NAME"),
        Option(("--json",), "", Value.NONE, (), "JSON"),
    ]
