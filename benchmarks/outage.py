"""Pull the cable in the middle of a crawl of the webfarm, and check that it still finds every page.

    python -m benchmarks.outage small --seconds 60 --speed 1
    python -m benchmarks.outage small --seconds 1800                  a minute, by a clock that runs 30 times faster

Farm and crawl get a network, mounts and processes of their own (`unshare`; needs root). When half of the pages have
been requested, the loopback interface goes down for that time: nothing arrives, and no error is reported. The crawl has
to finish by itself. What it found is compared with the truth as in `benchmarks.reachability`, where pages that failed
or were never visited because of the outage have no explanation. The exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks.contestants import DEFAULT_PROGRAM, Task, crawl_command
from benchmarks.farm import HOSTS_FILE, REPOSITORY, SETS, Farm, add_farm_options, farm_of
from benchmarks.faults.skewed import Skew
from benchmarks.reachability import default_canonicaliser, is_explained
from benchmarks.truth import Truth

_INSIDE: Final = "OUTAGE_NAMESPACE"


def main() -> None:
    """Run the crawl with the outage in namespaces of its own, and print the comparison."""
    arguments = _arguments()
    if not os.environ.get(_INSIDE):
        apart = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        again = [sys.executable, "-m", "benchmarks.outage", *sys.argv[1:]]
        done = subprocess.run([*apart, *again], cwd=REPOSITORY, env={**os.environ, _INSIDE: "1"}, check=False)
        sys.exit(done.returncode)
    farm = farm_of(arguments)
    with tempfile.TemporaryDirectory(prefix="outage-") as name:
        folder = Path(name)
        names = folder / "hosts"
        names.write_bytes(HOSTS_FILE.read_bytes())
        subprocess.run(["mount", "--bind", names, HOSTS_FILE], check=True)
        _loopback("up")
        sys.exit(0 if _try(farm, arguments, folder) else 1)


def _try(farm: Farm, arguments: argparse.Namespace, folder: Path) -> bool:
    truth = Truth(farm, arguments.set, default_canonicaliser().canonical)
    log, seeds, said = folder / "requests.log", folder / "seeds.txt", folder / "said.txt"
    seeds.write_text("\n".join(farm.seeds(arguments.set)) + "\n", encoding="utf-8")
    task = Task(DEFAULT_PROGRAM.resolve(), seeds, None, spread=False, folder=folder)
    aliases = ",".join(farm.aliases(arguments.set))
    _, _, *line = crawl_command(task)
    skew = json.dumps(asdict(Skew(time.time(), arguments.speed)))
    command = [sys.executable, "-m", "benchmarks.faults.skewed", skew, *line, "--set", f"scope.hosts={aliases}"]
    # The clock may run faster, but pages are not parsed any faster.
    command += ["--set", f"parsing.timeout_seconds={10 * arguments.speed:g}"]
    with farm.serving(arguments.set, log=log), said.open("wb") as output:
        began = time.monotonic()
        crawl = subprocess.Popen(command, cwd=REPOSITORY, stdout=output, stderr=output)
        while _requests(log, task) < len(truth.pages) // 2:
            if crawl.poll() is not None:
                sys.exit(f"the crawl ended before the outage:\n{said.read_text()}")
            time.sleep(0.05)
        at, before = time.monotonic() - began, _requests(log, task)
        _loopback("down")
        time.sleep(arguments.seconds / arguments.speed)
        _loopback("up")
        code = crawl.wait()
    title = f"{arguments.set}, {arguments.seconds:g} s without a network"
    print(
        f"{title}, {arguments.seconds / arguments.speed:.0f} s of true time, {at:.0f} s after the start and {before}"
        f" requests; the crawl ended with {code} after {time.monotonic() - began:.0f} s"
    )
    if code:
        print(said.read_text(errors="replace")[-4000:])
    return is_explained(title, task.store, truth, (), was_cut_off=True) and code == 0


def _requests(log: Path, task: Task) -> int:
    return log.read_bytes().count(task.contact.encode()) if log.exists() else 0


def _loopback(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the crawl's clock; default 60")
    parser.add_argument("--speed", type=float, default=30.0, help="of the crawl's clock; default 30")
    add_farm_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
