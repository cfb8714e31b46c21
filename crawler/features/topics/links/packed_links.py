"""The links of a page as the store keeps them, so that a resumed crawl learns from the same numbers."""

from __future__ import annotations

import msgspec
import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.crawler.features.topics.links.link_features import LinkFeatures


class _PackedLinks(msgspec.Struct, array_like=True):
    """The links of one page in the store's format: targets int32, sizes uint8, features uint16, likenesses float16."""

    targets: bytes
    sizes: bytes
    features: bytes
    likenesses: bytes


def packed_links(targets: IntArray, features: LinkFeatures) -> bytes:
    """Return links as bytes."""
    sizes, likenesses = features.sizes.astype(np.uint8), features.likenesses.astype(np.float16)
    packed = _PackedLinks(targets.tobytes(), sizes.tobytes(), features.features.tobytes(), likenesses.tobytes())
    return msgspec.msgpack.encode(packed)


def unpacked_links(content: bytes) -> tuple[IntArray, LinkFeatures]:
    """Return the targets, shape (k,), and the features of links from their bytes."""
    packed = msgspec.msgpack.decode(content, type=_PackedLinks)
    likenesses = np.frombuffer(packed.likenesses, np.float16).astype(np.float32)
    features = LinkFeatures.unpacked(packed.sizes, packed.features, likenesses.tobytes())
    return np.frombuffer(packed.targets, np.int32), features
