"""BvGraphs on disk: NAME.graph, NAME.properties and NAME.offsets, as the tools of WebGraph read and write them.

NAME.ef is written as well. Without it, the Rust tools can only read a graph from its beginning to its end, and their
Python package cannot read it at all.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import OffsetArray
from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.lab.connectivity.bit_codes import WordArray, read_code
from hinterland.lab.connectivity.bv_form import RESTART_PROPERTY, BvForm, UnknownForm
from hinterland.lab.connectivity.bv_graph import BvGraph
from hinterland.lab.connectivity.bv_writing import gaps_encoded
from hinterland.lab.connectivity.ef_file import ef_file
from hinterland.lab.connectivity.elias_fano import elias_fano

_VERSION = 0
_MOST_PAGES = np.iinfo(np.int32).max


def write_bvgraph(graph: BvGraph, basename: Path) -> None:
    """Write the four files of a graph, and sync them to disk."""
    form, starts = graph.form, graph.record_starts()
    bits = int(starts[-1])
    _write(basename, ".graph", _bytes(graph.words, bits))
    _write(basename, ".offsets", _bytes(*gaps_encoded(starts, form.offsets)))
    _write(basename, ".ef", ef_file(starts, _whole_bytes(bits) * 8))
    properties = {
        "graphclass": "it.unimi.dsi.webgraph.BVGraph",
        "version": _VERSION,
        "endianness": "big",
        "nodes": graph.page_count,
        "arcs": graph.link_count,
        "windowsize": form.window,
        "maxrefcount": form.max_references,
        "minintervallength": form.min_interval,
        "zetak": form.zeta_k,
        RESTART_PROPERTY: form.restart_interval,
        "compressionflags": form.flags,
        "bitsperlink": f"{bits / max(graph.link_count, 1):.3f}",
        "bitspernode": f"{bits / max(graph.page_count, 1):.3f}",
    }
    lines = ["#BVGraph properties", *(f"{name}={value}" for name, value in properties.items()), ""]
    _write(basename, ".properties", "\n".join(lines).encode("ascii"))


def read_bvgraph(basename: Path) -> BvGraph:
    """Read the files that `write_bvgraph` or a tool of WebGraph wrote.

    Graphs from the tools of WebGraph are encoded again in memory, because their lists may be copied from earlier
    groups. The files are trusted: if they are damaged, reading fails or gives a different graph. Raises UnusableGraph.
    """
    try:
        text = _file(basename, ".properties").read_text("latin-1")
        words = _words(_file(basename, ".graph"))
        gaps = _words(_file(basename, ".offsets"))
    except OSError as error:
        raise UnusableGraph(f"{basename} is not a BvGraph: {error.filename}: {error.strerror}") from error
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    properties = {name.strip(): value.strip() for name, _, value in lines}
    try:
        form = BvForm.read(properties)
        page_count, link_count = int(properties["nodes"]), int(properties["arcs"])
    except (UnknownForm, KeyError, ValueError) as error:
        raise UnusableGraph(f"{basename}.properties cannot be used: {error}") from error
    if properties.get("endianness", "big") != "big":
        raise UnusableGraph(f"{basename} is {properties['endianness']}-endian; only big-endian graphs can be read")
    if not 0 <= page_count <= _MOST_PAGES:
        raise UnusableGraph(f"{basename}.properties: nodes is {page_count}; a graph has 0 to {_MOST_PAGES} pages")
    starts = _ends_of_gaps(gaps, page_count + 1, form.offsets, form.zeta_k)
    if starts[-1] > 64 * (len(words) - 1) or (np.diff(starts) < 0).any():
        raise UnusableGraph(f"{basename}: .offsets and .graph do not fit together")
    if RESTART_PROPERTY not in properties:
        whole = replace(form, restart_interval=max(page_count, 1))
        return BvGraph.of(BvGraph(words, elias_fano(starts[:1]), page_count, link_count, whole).graph())
    return BvGraph(words, elias_fano(starts[: -1 : form.restart_interval]), page_count, link_count, form)


def _file(basename: Path, suffix: str) -> Path:
    return basename.with_name(basename.name + suffix)


def _write(basename: Path, suffix: str, content: bytes) -> None:
    with _file(basename, suffix).open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _bytes(words: WordArray, bits: int) -> bytes:
    return words.astype(">u8").tobytes()[: _whole_bytes(bits)]


def _whole_bytes(bits: int) -> int:
    return (bits + 7) // 8


def _words(file: Path) -> WordArray:
    content = file.read_bytes()
    padded = content + bytes(-len(content) % 8 + 16)
    return np.frombuffer(padded, ">u8").astype(np.uint64)


@compiled
def _ends_of_gaps(words: WordArray, count: int, code: int, k: int) -> OffsetArray:
    """Return the cumulative sums of the gaps, shape (count,). If the file has too few gaps, the rest is -1."""
    starts = np.zeros(count, np.int64)
    position, start = int(np.int64(0)), int(np.int64(0))
    for i in range(count):
        if position >= 64 * (len(words) - 2):
            starts[i] = -1
            continue
        gap, position = read_code(words, position, code, k)
        start += gap
        starts[i] = start
    return starts
