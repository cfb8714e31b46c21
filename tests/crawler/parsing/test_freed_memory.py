"""What the C library does with freed memory; in a process of its own, as it can be set only once."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

LARGE_BLOCKS = """
import ctypes, sys
from hinterland.crawler.parsing.compiled.freed_memory import limit_freed_memory

FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()

class Numbers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS]

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.mallinfo2.restype = Numbers
if sys.argv[1] == "little":
    limit_freed_memory()
for _ in range(3):  # by default glibc takes this for what is usual here, and for no more the system's
    library.free(ctypes.c_void_p(library.malloc(20_000_000)))
before = library.mallinfo2().hblkhd
block = library.malloc(10_000_000)
print(library.mallinfo2().hblkhd - before)
"""


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="not glibc 2.33")
@pytest.mark.parametrize("kept, is_given_back", [("much", False), ("little", True)])
def test_a_large_block_is_given_back_as_soon_as_it_is_freed(kept: str, is_given_back: bool) -> None:
    command = [sys.executable, "-c", LARGE_BLOCKS, kept]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (int(said.stdout) > 0) is is_given_back
