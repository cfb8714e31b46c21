"""All hostile hosts by group, and the good hosts beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.hostile import (
    charsets,
    encodings,
    floods,
    framing,
    html,
    network,
    redirects,
    robots,
    slow,
    statuses,
    tls,
    traps,
    types,
)
from benchmarks.hostile.behaviour import Behaviour, made, page

GROUPS: Final[Mapping[str, Sequence[Behaviour]]] = {
    "robots": robots.BEHAVIOURS,
    "redirects": redirects.BEHAVIOURS,
    "slow": slow.BEHAVIOURS,
    "framing": framing.BEHAVIOURS,
    "encodings": encodings.BEHAVIOURS,
    "charsets": charsets.BEHAVIOURS,
    "types": types.BEHAVIOURS,
    "statuses": statuses.BEHAVIOURS,
    "html": html.BEHAVIOURS,
    "traps": traps.BEHAVIOURS,
    "network": network.BEHAVIOURS,
    "tls": tls.BEHAVIOURS,
    "floods": floods.BEHAVIOURS,
}

CONTROLS: Final = 6
"""Good hosts with more pages than time: how evenly they are visited shows what the others do to them."""


def _control(path: str) -> str:
    number = int(path.rpartition("/")[2] or 0)
    return page("All is well. " * 40, [f"/c/{number + n}" for n in range(1, 40)], title=f"control {number}")


@dataclass(frozen=True, slots=True)
class Host:
    """A host; its group is "control" if it is good."""

    group: str
    behaviour: Behaviour
    name: str
    address: str

    def url(self, path: str, port: int) -> str:
        """Return the URL of a path."""
        return f"{'https' if self.behaviour.tls else 'http'}://{self.name}:{port}{path}"

    @property
    def good_paths(self) -> list[str]:
        """The paths of the good pages, which must be fetched; none for a control host."""
        if self.group == "control" or not self.behaviour.good:
            return []
        return ["/", *(f"/good/{number}" for number in range(1, self.behaviour.good + 1))]


def chosen_hosts(groups: Sequence[str] = (), names: Sequence[str] = ()) -> list[Host]:
    """Return the good hosts, and those of some groups (all if none are named) or of behaviours named "group/name"."""
    wanted = [
        (group, each)
        for group, behaviours in GROUPS.items()
        for each in behaviours
        if (not groups or group in groups) and (not names or f"{group}/{each.name}" in names)
    ]
    wanted += [("control", Behaviour(str(n), any_path=made(_control), good=0, links=["/c/1"])) for n in range(CONTROLS)]
    return [
        Host(group, each, f"{group}-{each.name}.test".replace(".test", "").replace(".", "-") + ".test",
             each.address or f"127.66.{1 + place // 200}.{1 + place % 200}")
        for place, (group, each) in enumerate(wanted)
    ]  # fmt: skip
