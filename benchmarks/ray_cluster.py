"""A crawl on a Ray cluster of four nodes on this machine, with actors, nodes and the command killed at random.

    python -m pip install -r requirements-cluster.txt
    python -m benchmarks.ray_cluster small --shards 4 --actors 10 --nodes 5 --drivers 5

Crawls a set of the webfarm once in one process and once on the cluster, in which kills are spread over the crawl.
Prints how long it took until all shards had a process again, and how many requests were made again. A command that was
killed (--drivers) is given again, with --resume. The exit code is 0 if pages, outcomes and links are the same.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

from benchmarks.contestants import DEFAULT_PROGRAM, Task, crawl_command
from benchmarks.farm import SETS, Farm, add_farm_options, farm_of
from benchmarks.measuring import command_lines
from benchmarks.shards import differences

_NODES: Final = 4
ACTOR: Final = b"ray::ShardActor"
"""What the command line of an actor that is a shard begins with."""
_RECOVERY_SECONDS: Final = 60.0


def main() -> None:
    """Crawl, crawl with kills, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--actors", type=int, default=10, help="how many of them are killed (default: 10)")
    parser.add_argument("--nodes", type=int, default=2, help="how many of these (default: 2)")
    parser.add_argument("--drivers", type=int, default=0, help="how often the command is killed (default: 0)")
    parser.add_argument("--delay", type=float, default=0.0, help="politeness.delay_seconds under the kills")
    parser.add_argument("--apart", type=float, default=10.0, help="seconds between kills, on average (default: 10)")
    parser.add_argument("--seed", type=int, default=1, help="of the order and the moments of the kills")
    add_farm_options(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ray-cluster-") as name:
        sys.exit(0 if _survives(farm_of(arguments), arguments, Path(name)) else 1)


def _survives(farm: Farm, arguments: argparse.Namespace, folder: Path) -> bool:
    log = folder / "requests.log"
    with farm.serving(arguments.set, log=log):
        seeds = folder / "seeds.txt"
        seeds.write_text("\n".join(farm.seeds(arguments.set)) + "\n", encoding="utf-8")
        calm, killed = (_task(seeds, folder / name) for name in ("calm", "killed"))
        subprocess.run(_command(calm, 0.0), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = _crawl_on_ray(killed, arguments)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    asked = Counter(line.partition(" ")[0] for line in lines if killed.contact in line)
    calmly = Counter(line.partition(" ")[0] for line in lines if calm.contact in line)
    print(f"{arguments.set}: {seconds:.0f} s; {asked.total() - calmly.total()} requests more than undisturbed")
    return differences(calm.store, killed.store) == 0


def _task(seeds: Path, folder: Path) -> Task:
    folder.mkdir()
    return Task(DEFAULT_PROGRAM, seeds, None, spread=False, folder=folder)


def _command(task: Task, delay: float) -> list[str]:
    return [*crawl_command(task), "--set", f"politeness.delay_seconds={delay}"]


def _crawl_on_ray(task: Task, arguments: argparse.Namespace) -> float:
    """Crawl on a Ray cluster, and return the seconds it took."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        nodes = [cluster.add_node(num_cpus=arguments.shards) for _ in range(_NODES - 1)]
        command = [*_command(task, arguments.delay), "--cluster", f"ray:{arguments.shards}@{cluster.address}"]
        started = time.monotonic()
        process = _kill(cluster, nodes, command, arguments)  # in the main thread: Ray handles signals there
        process.wait()
        return time.monotonic() - started
    finally:
        cluster.shutdown()


def _begun(command: list[str]) -> subprocess.Popen[str]:
    env = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
    quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
    process = subprocess.Popen(command, env=env, stdout=quiet, stderr=pipe, text=True)
    threading.Thread(target=_tell_warnings, args=(process,), daemon=True).start()
    return process


def _tell_warnings(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if "warning" in line:
            print(f"  {line.strip()[:150]}")


def _kill(cluster: Any, nodes: list[Any], command: list[str], arguments: argparse.Namespace) -> subprocess.Popen[str]:
    """Kill actors, nodes and drivers, and return the command that runs at the end."""
    draw, process = random.Random(arguments.seed), _begun(command)
    kinds = ["actor"] * arguments.actors + ["node"] * arguments.nodes + ["driver"] * arguments.drivers
    draw.shuffle(kinds)
    _wait_for(arguments.shards)
    for kind in kinds:
        time.sleep(arguments.apart * (0.5 + draw.random()))
        if process.poll() is not None:
            print("  the crawl had ended before the last kill: give it a longer --delay")
            return process
        killed = time.monotonic()
        if kind == "node":
            node = draw.choice(nodes)
            cluster.remove_node(node, allow_graceful=False)
            nodes.remove(node)
            nodes.append(cluster.add_node(num_cpus=arguments.shards))
        elif kind == "driver":
            before = set(_actors())
            process.kill()
            process.wait()
            process = _begun([*command, "--resume"])
            while before & set(_actors()) and time.monotonic() < killed + _RECOVERY_SECONDS:
                time.sleep(0.1)
        else:
            os.kill(draw.choice(_actors()), signal.SIGKILL)
            time.sleep(0.1)
        _wait_for(arguments.shards)
        print(
            f"  {kind} killed; all {arguments.shards} shards have a process after {time.monotonic() - killed:.1f} s",
            flush=True,
        )
    return process


def _wait_for(shards: int) -> None:
    deadline = time.monotonic() + _RECOVERY_SECONDS
    while len(_actors()) < shards and time.monotonic() < deadline:
        time.sleep(0.1)


def _actors() -> list[int]:
    """Return the ids of the processes of shards."""
    return [number for number, words in command_lines() if words.startswith(ACTOR)]


if __name__ == "__main__":
    main()
