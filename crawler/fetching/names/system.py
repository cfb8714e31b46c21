"""Lookups by the system's own getaddrinfo, in threads: for names that are not in the DNS (mDNS, LDAP)."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, ResolvedAddress

_THREADS: Final = 64
"""Number of threads; each blocks while it waits for a name."""

_PROBLEMS: Final = {
    socket.EAI_NONAME: LookupProblem.NO_SUCH_NAME,
    socket.EAI_NODATA: LookupProblem.NO_ADDRESS,
    socket.EAI_AGAIN: LookupProblem.NO_REPLY,
}


class SystemLookups:
    """Lookups in a thread pool of their own."""

    def __init__(self) -> None:
        """Create the pool; threads start when they are needed."""
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lookup")

    async def look_up(self, name: str) -> FoundName:
        """Return the addresses of a host in the system's order. Raises LookupFailed."""
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._threads, _ask, name)
        except UnicodeError as error:
            raise LookupFailed(LookupProblem.BAD_NAME, "cannot be the name of a host") from error
        except socket.gaierror as error:
            problem = _PROBLEMS.get(error.errno or 0, LookupProblem.SERVER_FAILED)
            raise LookupFailed(problem, error.strerror or str(error)) from error
        if not found:
            raise LookupFailed(LookupProblem.NO_ADDRESS, "has no address")
        return FoundName(found, None)

    def forget(self) -> None:
        """Do nothing, because nothing is cached here and the system manages its own cache."""

    def close(self) -> None:
        """Shut down the pool without waiting for lookups."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _ask(name: str) -> tuple[ResolvedAddress, ...]:
    infos = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    found = (ResolvedAddress(str(address[0]), family) for family, _, _, _, address in infos)
    return tuple(dict.fromkeys(found))
