"""Findings by kind: lines printed at once, and the summary printed at the end."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.crawl_fuzzer.invariants import Finding

_EXAMPLES = 3


class Report:
    """Mutable. kinds: (mode, invariant, subject) -> the seeds of the sites on which that was found."""

    def __init__(self, modes: Sequence[str] | None = None, without: Sequence[str] = ()) -> None:
        """Start without findings."""
        self.sites = 0
        self.kinds: dict[tuple[str, str, str], list[int]] = {}
        self._options = "" if modes is None else " --modes " + " ".join(modes)
        self._options += " --without " + " ".join(without) if without else ""

    def add(self, seed: int, findings: Sequence[tuple[str, Finding]]) -> None:
        """Take in what was found on a site; the first ones of a kind are printed with all that is known of them."""
        self.sites += 1
        for mode, finding in findings:
            seeds = self.kinds.setdefault((mode, *finding.key), [])
            if seed in seeds:
                continue
            seeds.append(seed)
            if len(seeds) <= _EXAMPLES:
                print(f"seed {seed}, {mode}: {finding.invariant}: {finding.subject}")
                if finding.detail:
                    print(f"    {finding.detail}")
                print(f"    {self.command(seed)}")

    def command(self, seed: int) -> str:
        """Return the command that repeats the site of a seed."""
        return f"python -m benchmarks.crawl_fuzzer --seed {seed} --sites 1{self._options}"

    def tell(self, seconds: float) -> None:
        """Print the table of kinds, the most frequent first."""
        print(f"\n{self.sites} sites in {seconds:.0f} s, {len(self.kinds)} kinds of findings")
        for (mode, invariant, subject), seeds in sorted(self.kinds.items(), key=lambda each: -len(each[1])):
            examples = ", ".join(map(str, seeds[:_EXAMPLES]))
            print(f"{len(seeds):5}  {mode}: {invariant}: {subject} (seeds {examples})")
