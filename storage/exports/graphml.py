"""GraphML, for Gephi, igraph and NetworkX: a node for each page, and an edge for each pair of linked pages."""

from __future__ import annotations

import re
from typing import BinaryIO
from xml.sax.saxutils import escape

from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow

_NODE_KEYS = {
    "url": "string",
    "host": "string",
    "title": "string",
    "language": "string",
    "is_local": "boolean",
    "state": "string",
    "as_site_sees": "double",
    "as_web_sees": "double",
}
_EDGE_KEYS = {"kind": "string", "nofollow": "boolean", "anchor": "string", "leaves_host": "boolean"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 allows neither directly nor as references."""

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    file.write(_HEAD.encode())
    for element, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, type_ in keys.items():
            key = f'<key id="{element}_{name}" for="{element}" attr.name="{name}" attr.type="{type_}"/>\n'
            file.write(key.encode())
    file.write(b'<graph edgedefault="directed">\n')
    for pages in source.pages():
        file.writelines(_node(page) for page in pages)
    edges = 0
    for edge in source.edges():
        file.write(_edge(edge))
        edges += 1
    file.write(b"</graph>\n</graphml>\n")
    return Written(edges, "edges", {})


def _node(page: PageRow) -> bytes:
    data = "".join(_data("node", name, getattr(page, name)) for name in _NODE_KEYS)
    return f'<node id="n{page.page}">{data}</node>\n'.encode()


def _edge(edge: LinkRow) -> bytes:
    data = "".join(_data("edge", name, getattr(edge, name)) for name in _EDGE_KEYS)
    return f'<edge source="n{edge.source_page}" target="n{edge.target_page}">{data}</edge>\n'.encode()


def _data(element: str, name: str, value: object) -> str:
    match value:
        case None | "":
            return ""
        case bool():
            text = "true" if value else "false"
        case _:
            text = escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", str(value)))
    return f'<data key="{element}_{name}">{text}</data>'


FORMAT = FileFormat(".graphml", ("links",), _write, has_ranks=True)
