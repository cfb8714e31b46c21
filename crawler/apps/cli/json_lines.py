"""A crawl as JSON, one object per line on stdout: every line has "event" and "time" (epoch seconds).

Events: "note" and "warning" with "message"; "phase" with what takes long before or after the crawl, its "unit" and how
many are "done" "of" how many; "progress" with the counters; "end" with the reason, the exit
code and what the store holds; "error" with "message" and "exit_code" when there is no such end.
"""

from __future__ import annotations

import json
import time
from typing import Any

from crawler.apps.cli.ending import Ending
from crawler.apps.cli.output import Output
from crawler.apps.cli.progress import Progress
from crawler.engine.decisions.phases import Phase


class JsonLines:
    """A Display for machines."""

    def __init__(self, output: Output, interval_seconds: float) -> None:
        self._output = output
        self.interval_seconds = interval_seconds

    def note(self, text: str) -> None:
        self._event("note", {"message": text})

    def warn(self, text: str) -> None:
        self._event("warning", {"message": text})

    def progress(self, progress: Progress) -> None:
        self._event("progress", progress.as_json())

    def phase(self, phase: Phase) -> None:
        self._event("phase", {"phase": phase.doing, "unit": phase.unit, "done": phase.done, "of": phase.of})

    def close(self) -> None:
        pass

    def ended(self, ending: Ending) -> None:
        self._event("end", ending.as_json())

    def failed(self, message: str, exit_code: int, traceback: str | None = None) -> None:
        """Say why there is no end to tell of."""
        self._event("error", {"message": message, "exit_code": exit_code, "traceback": traceback})

    def _event(self, event: str, values: dict[str, Any]) -> None:
        line = {"event": event, "time": round(time.time(), 3)} | values
        self._output.write(json.dumps(line, ensure_ascii=False))
