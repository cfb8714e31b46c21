"""Lets every kind of fault happen to every way of working, and compares with the same work undisturbed.

    python -m benchmarks.faults                                    all of it, some twenty minutes
    python -m benchmarks.faults --list
    python -m benchmarks.faults --kind network --mode bfs          kinds whose names contain a word
    python -m benchmarks.faults --kind "network silent 60 s" --speed 1      in real time

Every cell has a web, a network and mounts of its own (`unshare`; needs root or user namespaces), and leaves nothing
behind. The clock of a crawl runs `--speed` times faster, so that its settings are the shipped ones and an outage of 30
minutes takes one. The exit code is 1 if anything was lost in any cell.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks.farm import REPOSITORY
from benchmarks.faults.cell import Cell, Seen, carry_out, undisturbed
from benchmarks.faults.kinds import FAULTS, Fault
from benchmarks.faults.modes import MODES
from benchmarks.faults.report import Matrix, as_markdown, as_text
from benchmarks.faults.web import WebPlan

_PORT: Final = 8080
_SPEED: Final = 30.0


def main() -> None:
    """Run the faults in all modes, or one cell, and write the reports."""
    arguments = _arguments()
    if arguments.cell:
        _one_cell(arguments)
        return
    kinds = [fault for fault in FAULTS.values() if not arguments.kind or any(w in fault.name for w in arguments.kind)]
    if arguments.list:
        print("\n".join(f"{fault.name:45} {fault.promise}" for fault in kinds))
        return
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        matrix = _matrix(kinds, arguments, Path(arguments.keep or name).resolve())
    if arguments.json:
        arguments.json.write_text(json.dumps(matrix.as_json(), indent=1, ensure_ascii=False), encoding="utf-8")
    if arguments.markdown:
        arguments.markdown.write_text(as_markdown(matrix), encoding="utf-8")
    print(as_text(matrix))
    sys.exit(1 if matrix.lost else 0)


def _matrix(kinds: list[Fault], arguments: argparse.Namespace, folder: Path) -> Matrix:
    modes = [MODES[name] for name in arguments.mode]
    calm = folder / "calm"
    needed = dict.fromkeys(["bfs", "hinterland", "warc", *arguments.mode])
    for name in needed:
        if not (calm / name / "facts.json").exists():
            seen = _apart("", name, arguments, calm / name, calm)
            if seen.lost:
                sys.exit(f"{name}, undisturbed: {'; '.join(seen.lost)}")
    matrix = Matrix([fault.name for fault in kinds], [mode.name for mode in modes], arguments.speed)
    cells = [(fault, mode) for fault in kinds for mode in modes if mode.name not in fault.without]

    def carry(at: int) -> None:
        fault, mode = cells[at]
        place = folder / f"{at}"
        seen = _apart(fault.name, mode.name, arguments, place, calm)
        matrix.cells[fault.name, mode.name] = seen
        how = "lost" if seen.lost else "kept"
        print(
            f"{how}  {fault.name}, {mode.name}, {seen.seconds:.0f} s: {'; '.join(seen.lost or seen.claims)}", flush=True
        )

    with ThreadPoolExecutor(arguments.jobs) as threads:
        for done in [threads.submit(carry, at) for at in range(len(cells))]:
            done.result()
    for fault in kinds:
        matrix.promises[fault.name] = fault.promise
        for mode_name, why in fault.without.items():
            matrix.senseless[fault.name, mode_name] = why
    return matrix


def _apart(fault: str, mode: str, arguments: argparse.Namespace, folder: Path, calm: Path) -> Seen:
    """One cell in namespaces of its own: network, mounts and processes, all gone with it."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "seen.json"
    inside = [
        *(sys.executable, "-m", "benchmarks.faults", "--cell", fault, "--mode", mode, "--speed", str(arguments.speed)),
        *("--keep", str(folder), "--calm", str(calm), "--seed", str(arguments.seed)),
    ]
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    apart = ["unshare", *as_root, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    done = subprocess.run([*apart, *inside], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode or not report.exists():
        return Seen(lost=[f"the harness failed: {done.stderr[-2000:]}"])
    return Seen(**json.loads(report.read_text()))


def _one_cell(arguments: argparse.Namespace) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    fault = FAULTS.get(arguments.cell[0])
    plan = WebPlan(_PORT, flood=fault.flood if fault is not None else 0)
    folder = Path(arguments.keep)
    cell = Cell(MODES[arguments.mode[0]], folder, plan, calm=arguments.calm, speed=arguments.speed, seed=arguments.seed)
    seen = carry_out(undisturbed if fault is None else fault.happen, cell)
    (folder / "seen.json").write_text(json.dumps(asdict(seen)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", metavar="WORD", help="only kinds with this in their names")
    parser.add_argument("--mode", nargs="+", choices=MODES, default=list(MODES), help="default: all")
    parser.add_argument("--speed", type=float, default=_SPEED, help=f"of the crawl's clock; default {_SPEED:.0f}")
    parser.add_argument("--jobs", type=int, default=2, help="cells at a time; default 2")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the faults")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--keep", metavar="DIR", help="keep all files there; undisturbed works found there are taken")
    parser.add_argument("--list", action="store_true", help="name the kinds of fault")
    parser.add_argument("--cell", nargs=1, help=argparse.SUPPRESS)
    parser.add_argument("--calm", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
