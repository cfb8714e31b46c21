"""The result of a DNS lookup: addresses and how long they are valid, or the reason why there are none."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ResolvedAddress:
    """A literal address and its family."""

    address: str
    family: socket.AddressFamily


@dataclass(frozen=True, slots=True)
class FoundName:
    """The addresses of a name.

    `addresses` holds at least one address, in the order in which they should be tried. `ttl` is the number of seconds
    for which the answer is valid, None if unknown.
    """

    addresses: tuple[ResolvedAddress, ...]
    ttl: float | None


class LookupProblem(Enum):
    """Why a name has no address."""

    NO_SUCH_NAME = auto()  # the name does not exist
    NO_ADDRESS = auto()  # it exists, without an address
    BAD_NAME = auto()  # it cannot be the name of a host
    SERVER_FAILED = auto()  # the name server says that it cannot find out: the name's own servers may be broken
    NO_REPLY = auto()  # the name server does not reply


class LookupFailed(OSError):
    """Raised if a lookup found no address; `problem` says why."""

    def __init__(self, problem: LookupProblem, text: str) -> None:
        """Store the problem, and its description."""
        super().__init__(text)
        self.problem = problem

    @property
    def may_be_ours(self) -> bool:
        """Whether the fault may lie with the name server of this machine, and not with the name."""
        return self.problem in (LookupProblem.SERVER_FAILED, LookupProblem.NO_REPLY)


class Lookups(Protocol):
    """The interface of name lookups, by DNS or by the operating system."""

    async def look_up(self, name: str) -> FoundName:
        """Return the addresses of a host. Raises LookupFailed."""
        ...

    def forget(self) -> None:
        """Forget cached answers, so that the name server is asked even for names that were looked up before."""
        ...

    def close(self) -> None:
        """Release all resources of the lookups."""
