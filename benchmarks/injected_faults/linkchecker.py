"""LinkChecker on the same site: https://linkchecker.github.io/linkchecker, which is no dependency of ours."""

from __future__ import annotations

import csv
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.injected_faults.injecting import Said

LOOKED_FOR: Final = (
    *("broken-link", "unreachable-link", "broken-outside-link", "unreachable-outside-link", "broken-fragment"),
    *("broken-image", "broken-asset", "unreachable-asset"),
)
"""The rules for faults that LinkChecker looks for, too."""
_CONFIGURATION: Final = """[checking]
threads=16
maxrequestspersecond=10000
sslverify={certificate}
[filtering]
checkextern=1
[AnchorCheck]
"""
_ANCHOR_WARNING: Final = "Anchor"


def run_linkchecker(command: Path, seeds: Sequence[str], certificate: Path, folder: Path) -> Path:
    """Check a site with anchors and other hosts, 16 requests at a time and without rests; return its report."""
    configuration, report = folder / "linkchecker.ini", folder / "linkchecker.csv"
    configuration.write_text(_CONFIGURATION.format(certificate=certificate), encoding="utf-8")
    options = ["--config", str(configuration), "--no-status", "-F", f"csv/utf_8/{report}", "-o", "none"]
    environment = {**os.environ, "HOME": str(folder)}
    subprocess.run([command, *options, *seeds], check=False, cwd=folder, env=environment, capture_output=True)
    return report


def said_by_linkchecker(report: Path) -> set[str]:
    """Return the URLs with which LinkChecker says that something is wrong, or whose anchor it does not find."""
    lines = [line for line in report.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {
        row["url"]
        for row in csv.DictReader(lines, delimiter=";")
        if row["valid"] != "True" or row["warningstring"].startswith(_ANCHOR_WARNING)
    }


def urls_of(said: Said) -> set[str]:
    """Return the URLs of faults of kinds that LinkChecker looks for."""
    return {url for rule, url in said if rule in LOOKED_FOR}
