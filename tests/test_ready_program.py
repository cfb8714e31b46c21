"""A process that was forked from the ready program is like one that was started."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.ready_programs import ROOT, ready

pytestmark = pytest.mark.slow


def script(folder: Path, text: str) -> list[str]:
    (folder / "script.py").write_text(text, encoding="utf-8")
    return ready(folder / "script.py")


def test_it_is_the_program() -> None:
    done = subprocess.run([*ready(ROOT / "run.py"), "crawl", "--nonsense"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--nonsense" in done.stderr


def test_streams_folder_arguments_and_environment_are_those_of_the_caller(tmp_path: Path) -> None:
    command = script(
        tmp_path,
        "import os, sys\n"
        "sys.stderr.write(sys.stdin.read())\n"
        "print(__name__, sys.argv[1:], os.getcwd(), os.environ['GIVEN'], 'HOME' in os.environ, sys.path[0])\n",
    )
    (tmp_path / "here").mkdir()
    done = subprocess.run(
        [*command, "a", "b c"],
        input="é",
        cwd=tmp_path / "here",
        env={"GIVEN": "x"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout == f"__main__ ['a', 'b c'] {tmp_path}/here x False {tmp_path}\n"
    assert (done.stderr, done.returncode) == ("é", 0)


@pytest.mark.parametrize(
    "ending, code", [("sys.exit(7)", 7), ("sys.exit()", 0), ("1 / 0", 1), ("os.kill(os.getpid(), 15)", -15)]
)
def test_it_ends_as_the_script_ends(tmp_path: Path, ending: str, code: int) -> None:
    command = script(tmp_path, f"import atexit, os, sys\natexit.register(print, 'last')\nprint('first')\n{ending}\n")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code
    assert ("ZeroDivisionError" in done.stderr) == (ending == "1 / 0")
    assert done.stdout == ("" if code < 0 else "first\nlast\n")  # what a signal ends flushes nothing


def test_ctrl_c_is_passed_on(tmp_path: Path) -> None:
    waits = "    print('ready', flush=True)\n    time.sleep(600)\n"
    text = f"import time\ntry:\n{waits}except KeyboardInterrupt:\n    print('^C')\n"
    with subprocess.Popen(script(tmp_path, text), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "^C\n"
    assert process.returncode == 0


def test_it_is_killed_with_the_process_that_stands_in_for_it_and_has_one_thread(tmp_path: Path) -> None:
    text = "import os, time\nprint(os.getpid(), *os.listdir('/proc/self/task'), flush=True)\ntime.sleep(600)\n"
    with subprocess.Popen(script(tmp_path, text), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        number, *threads = process.stdout.readline().split()
        assert threads == [number]
        process.kill()
        assert process.stdout.read() == ""  # which ends when nobody has it open any more
