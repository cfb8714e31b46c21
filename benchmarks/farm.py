"""Serves the sets of the webfarm, a loopback web of real documentation sites, one at a time.

The farm's own command does the work; this module finds it, pins the server to its core, and leaves the
machine as it was: the set that was served before is served again afterwards.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parent.parent
HOSTS_FILE: Final = Path("/etc/hosts")
SETS: Final = ("small", "full")
LOG_FORMAT: Final = "$scheme://$http_host$request_uri $status $http_user_agent"


@dataclass(frozen=True, slots=True)
class Farm:
    """The built sets (name -> root folder) of one webfarm, and the core its server runs on."""

    command: Path
    roots: dict[str, Path]
    cpu: int

    @contextmanager
    def serving(self, name: str, *, spread: bool = False, log: Path | None = None) -> Iterator[None]:
        """Serve one set, all of it in memory already, for the time of a block.

        spread: give each host an address of its own. log: write a line in LOG_FORMAT there for each request.
        """
        if not (self.roots[name] / "built.json").exists():
            sys.exit(f"the set {name} is not built; build it with: {shlex.join(self._line('build', name))}")
        before = next((each for each in SETS if self._is_running(each)), None)
        if before is not None:
            self._run("stop", before)
        options = ["--spread"] if spread else []
        try:
            self._run("start", name, "--cpu", str(self.cpu), *options)
            if log is not None:
                self._log_requests(name, log)
            self._install_names(name, options)
            self._run("warm", name)
            yield
        finally:
            self._run("stop", name)
            if before is not None:
                self._run("start", before, "--cpu", str(self.cpu))
                self._install_names(before, [])

    def seeds(self, name: str) -> list[str]:
        """Return the entry pages of a set, one or more per host."""
        return self._run("seeds", name).split()

    def aliases(self, name: str) -> list[str]:
        """Host names that only redirect to another host of the set."""
        return [alias for line in self._run("hosts", name).splitlines() for alias in line.split()[2:]]

    def truth(self, name: str, kind: str) -> set[str]:
        """Return the URLs that the farm's own walk found to be of a kind: page, to, miss, robots or other.

        Exits if the truth has not been computed.
        """
        path = self.roots[name] / "truth" / f"{name}.{kind}.txt"
        if not path.exists():
            command = shlex.join(self._line("truth", name))
            sys.exit(f"the truth of the set {name} is not computed; do so with: {command}")
        return set(path.read_text(encoding="utf-8").split("\n")) - {""}

    def _install_names(self, name: str, options: list[str]) -> None:
        lines = self._run("hosts", name, *options).splitlines()
        if not set(lines) <= set(HOSTS_FILE.read_text(encoding="utf-8").splitlines()):
            self._run("hosts", name, "--install", *options)

    def _log_requests(self, name: str, log: Path) -> None:
        folder = self.roots[name] / "nginx"
        configuration = folder / "nginx.conf"
        text = configuration.read_text(encoding="utf-8")
        logging = f"log_format requests '{LOG_FORMAT}'; access_log {log} requests;"
        configuration.write_text(text.replace("access_log off;", logging, 1), encoding="utf-8")
        self._run("stop", name)
        nginx = ["nginx", "-c", str(configuration), "-p", f"{folder}/", "-e", f"{folder}/error.log"]
        subprocess.run(["taskset", "-c", str(self.cpu), *nginx], check=True)

    def _is_running(self, name: str) -> bool:
        return self.roots[name].exists() and self._run("status", name).startswith("running")

    def _line(self, verb: str, name: str, *options: str) -> list[str]:
        return [str(self.command), verb, "--set", name, "--root", str(self.roots[name]), *options]

    def _run(self, verb: str, name: str, *options: str) -> str:
        line = self._line(verb, name, *options)
        return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout


def add_farm_options(parser: argparse.ArgumentParser) -> None:
    """Options that say where the farm is; each default can be set in the environment too."""
    group = parser.add_argument_group("the webfarm")
    temporary = Path(tempfile.gettempdir())
    group.add_argument(
        "--webfarm",
        type=Path,
        default=os.environ.get("WEBFARM", REPOSITORY.parent / "shared" / "webfarm" / "webfarm"),
        help="its command (default: $WEBFARM, or ../shared/webfarm/webfarm beside this repository)",
    )
    for name, variable, folder in (
        ("small", "WEBFARM_SMALL_ROOT", "webfarm-small"),
        ("full", "WEBFARM_ROOT", "webfarm"),
    ):
        group.add_argument(
            f"--{name}-root",
            type=Path,
            default=os.environ.get(variable, temporary / folder),
            help=f"where its {name} set was built (default: ${variable}, or {folder} in the temporary one)",
        )
    group.add_argument("--server-cpu", type=int, default=1, help="the core of the server (default 1)")


def add_crawled_farm_options(parser: argparse.ArgumentParser) -> None:
    """Options that name the store of a crawl of the webfarm, and the set that was crawled."""
    parser.add_argument("store", type=Path)
    parser.add_argument("--farm", type=Path, required=True, help="the root folder of the set")
    parser.add_argument("--set", default="small", dest="name")
    parser.add_argument("--command", type=Path, default=Path("../shared/webfarm/webfarm"))


def crawled_farm_of(arguments: argparse.Namespace) -> Farm:
    """Return the farm that the options of `add_crawled_farm_options` describe; nothing is served."""
    return Farm(arguments.command, {arguments.name: arguments.farm}, cpu=0)


def farm_of(arguments: argparse.Namespace) -> Farm:
    """Return the farm that the options of `add_farm_options` describe."""
    if not arguments.webfarm.exists():
        sys.exit(f"there is no webfarm command at {arguments.webfarm}; name it with --webfarm or $WEBFARM")
    roots = {"small": arguments.small_root, "full": arguments.full_root}
    return Farm(arguments.webfarm, roots, arguments.server_cpu)
