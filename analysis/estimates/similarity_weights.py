"""Learns the weight of each kind of similarity, by predicting the links of each model from the other models.

The method is expectation maximisation, as in interpolated language models (Jelinek & Mercer 1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import places_where
from hinterland.analysis.compiled import compiled
from hinterland.analysis.estimates.similarity import KINDS, Similarity
from hinterland.analysis.graph import BoolArray, ByteArray, FloatArray, IntArray, OffsetArray, Rows

_PRIOR: Final = np.array([0.25, 0.4, 0.175, 0.175])
_PRIOR_STRENGTH: Final = 5.0  # the number of pages that the prior counts as
_EM_ITERATIONS: Final = 30
_BY_GROUPS: Final = 2  # how many kinds are groups; they come first
_SAMPLE: Final = 10_000  # number of models whose links are predicted: enough to learn four weights
_FAMILIES, _CHILDREN = 8, 32  # maximum numbers of linking pages, and of links of each, by which siblings are found


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """How likely the links of some models are under each kind of similarity.

    The links of each model in a sample are predicted from the other models. `values`, shape (links, 4), holds the
    likelihood of each link under each of the four kinds; a page without links counts as one link to nowhere.
    `link_weights` has shape (links,); the weights of a page's links sum to the page's weight as a model.
    """

    values: NDArray[np.float64]
    link_weights: FloatArray


def prediction_likelihoods(similarity: Similarity) -> Likelihoods:
    """Return the likelihoods of the links of a sample of the models."""
    links, n, zeros = similarity.links.rows, similarity.links.page_count, similarity.links.zeros
    inlinks = *similarity.inlinks, similarity.crawled
    sample, rows = _sampled(similarity)
    link_weights = _number_rows(sample, links[0], similarity.model_weights, rows)
    found = Likelihoods(np.zeros((len(link_weights), KINDS)), link_weights)
    _predict_by_groups(similarity, rows, found.values)
    workspace = zeros(n + 1, np.float64), np.zeros((n >> 6) + 1, np.uint64)
    _predict_by_siblings(
        links=links,
        inlinks=inlinks,
        is_model=similarity.is_model,
        sample=sample,
        rows=rows,
        workspace=workspace,
        values=found.values,
    )
    _predict_by_neighbours(*links, (similarity.neighbours, similarity.crawled), sample, rows, workspace, found.values)
    return found


def in_other_classes(likelihoods: Likelihoods, similarity: Similarity) -> Likelihoods:
    """Return the likelihoods for the classes of another similarity. The old `likelihoods` are overwritten."""
    sample, rows = _sampled(similarity)
    _number_rows(sample, similarity.links.offsets, similarity.model_weights, rows)
    likelihoods.values[:, :_BY_GROUPS] = 0.0
    _predict_by_groups(similarity, rows, likelihoods.values)
    return likelihoods


def _sampled(similarity: Similarity) -> tuple[IntArray, IntArray]:
    """Return the models in the sample, ascending, and an array of shape (n,) for `_number_rows` to fill in."""
    n, zeros = similarity.links.page_count, similarity.links.zeros
    models = places_where(n, lambda part: similarity.is_model[part], zeros)
    return models[:: max(1, -(-len(models) // _SAMPLE))], zeros(n, np.int32)


def _predict_by_groups(similarity: Similarity, rows: IntArray, values: NDArray[np.float64]) -> None:
    links, n, zeros = similarity.links.rows, similarity.links.page_count, similarity.links.zeros
    models = places_where(n, lambda part: similarity.is_model[part], zeros)
    by_kind: tuple[ByteArray | IntArray, ...] = similarity.classes, similarity.host_classes
    sizes = similarity.class_sizes, similarity.host_class_sizes
    workspace = zeros(n + 1, np.float64), np.zeros((n >> 6) + 1, np.uint64)
    for kind, groups in enumerate(by_kind):
        ends, order = np.zeros(len(sizes[kind]) + 1, np.int64), zeros(len(models), np.int32)
        _put_in_groups(models, groups, ends, order)
        _predict_by_group(*links, (ends, order), rows, workspace, values[:, kind])


def interpolation_weights(likelihoods: Likelihoods) -> FloatArray:
    """Return the weights of the four kinds that make the links most likely, shape (4,), sum 1.

    Expectation maximisation starts at the prior, which counts as much as a few pages. Links that no kind predicts have
    no influence.
    """
    return _maximised(likelihoods.values, likelihoods.link_weights, _PRIOR, _PRIOR_STRENGTH, _EM_ITERATIONS)


def prior_weights() -> FloatArray:
    """Return the weights of the four kinds before anything is learnt, shape (4,)."""
    return _PRIOR.copy()


@compiled
def _number_rows(sample: IntArray, offsets: OffsetArray, model_weights: ByteArray, rows: IntArray) -> FloatArray:
    """Fill in `rows`, and return the weights of the links as described in `Likelihoods`.

    `rows`, shape (n,), gets the index at which the likelihoods of each page's links begin; -1 for pages outside the
    sample.
    """
    rows[:] = -1
    size = 0
    for page in sample:
        rows[page] = size
        size += max(1, offsets[page + 1] - offsets[page])
    link_weights = np.empty(size)
    heaviest = float(model_weights.max())
    for page in sample:
        count = max(1, offsets[page + 1] - offsets[page])
        for row in range(rows[page], rows[page] + count):
            link_weights[row] = model_weights[page] / heaviest / count
    return link_weights


@compiled
def _put_in_groups(models: IntArray, groups: ByteArray | IntArray, ends: OffsetArray, order: IntArray) -> None:
    """Fill in `order` with the models, sorted by group and then by number.

    On return, the models of group g end at ends[g]. On entry `ends` holds zeros, one more than the number of groups.
    """
    for page in models:
        ends[groups[page] + 1] += 1
    for group in range(len(ends) - 1):
        ends[group + 1] += ends[group]
    for page in models:
        order[ends[groups[page]]] = page
        ends[groups[page]] += 1


Workspace = tuple[FloatArray, NDArray[np.uint64]]
"""Two arrays. The first has a number for each page and, at the end, one for leading nowhere. The second has a bit for
each page, set if its number will be read. All elements are 0 before and after each use.
"""


@compiled
def _predict_by_group(
    offsets: OffsetArray,
    targets: IntArray,
    groups: tuple[OffsetArray, IntArray],
    rows: IntArray,
    workspace: Workspace,
    likelihoods: FloatArray,
) -> None:
    """Predict the links of each sampled model as the mean of the links of the other models in its group.

    `groups` holds `ends` and `order` of `_put_in_groups`.
    """
    ends, order = groups
    sums, _ = workspace
    begin = 0
    for end in ends[:-1]:
        models = order[begin:end]
        begin = end
        others = len(models) - 1
        is_sampled = False
        for page in models:
            if rows[page] >= 0:
                is_sampled = True
                _mark_links(offsets, targets, page, workspace)
        if not is_sampled:
            continue
        for page in models:
            _add_links(offsets, targets, page, 1.0, workspace)
        for page in models:
            if rows[page] >= 0 and others:
                row = rows[page]
                outdegree = offsets[page + 1] - offsets[page]
                if outdegree == 0:
                    likelihoods[row] = (sums[-1] - 1.0) / others
                for link in range(outdegree):
                    likelihoods[row + link] = (sums[targets[offsets[page] + link]] - 1.0 / outdegree) / others
        for page in models:
            if rows[page] >= 0:
                _clear_links(offsets, targets, page, workspace)


@compiled
def _predict_by_siblings(
    links: Rows,
    inlinks: tuple[OffsetArray, IntArray, IntArray],
    is_model: BoolArray,
    sample: IntArray,
    rows: IntArray,
    workspace: Workspace,
    values: NDArray[np.float64],
) -> None:
    """Predict the links of sampled models from their siblings: the models to which the same pages link.

    The prediction is a mean over the pages that link to the model, or a sample of them. Each of these pages contributes
    the mean of the links of the other models, or a sample of them, to which it links.

    `inlinks` is three arrays: offsets, the indices of crawled pages, and the crawled pages.
    """
    offsets, targets = links
    in_offsets, in_sources, crawled = inlinks
    for page in sample:
        families = 0
        step = max(1, (in_offsets[page + 1] - in_offsets[page]) // _FAMILIES)
        _mark_links(offsets, targets, page, workspace)
        for inlink in range(in_offsets[page], in_offsets[page + 1], step):
            parent = crawled[in_sources[inlink]]
            stride = max(1, (offsets[parent + 1] - offsets[parent]) // _CHILDREN)
            children = 0
            for link in range(offsets[parent], offsets[parent + 1], stride):
                children += is_model[targets[link]] and targets[link] != page
            if children == 0:
                continue
            families += 1
            for link in range(offsets[parent], offsets[parent + 1], stride):
                if is_model[targets[link]] and targets[link] != page:
                    _add_links(offsets, targets, targets[link], 1.0 / children, workspace)
        if families:
            _read_links(
                offsets=offsets,
                targets=targets,
                page=page,
                factor=1.0 / families,
                workspace=workspace,
                row=rows[page],
                likelihoods=values[:, 2],
            )
        _clear_links(offsets, targets, page, workspace)


@compiled
def _predict_by_neighbours(
    offsets: OffsetArray,
    targets: IntArray,
    near: tuple[NDArray[np.int32], IntArray],
    sample: IntArray,
    rows: IntArray,
    workspace: Workspace,
    values: NDArray[np.float64],
) -> None:
    """Predict the links of each sampled model as the mean of the links of its two neighbours.

    The neighbours of a model are the previous and the next model on its host. `near` is two arrays: the indices of the
    neighbours, and the crawled pages.
    """
    neighbours, crawled = near
    for page in sample:
        count = 0
        _mark_links(offsets, targets, page, workspace)
        for neighbour in neighbours[page]:
            if neighbour >= 0:
                count += 1
                _add_links(offsets, targets, crawled[neighbour], 1.0, workspace)
        if count:
            _read_links(
                offsets=offsets,
                targets=targets,
                page=page,
                factor=1.0 / count,
                workspace=workspace,
                row=rows[page],
                likelihoods=values[:, 3],
            )
        _clear_links(offsets, targets, page, workspace)


@compiled
def _mark_links(offsets: OffsetArray, targets: IntArray, page: int, workspace: Workspace) -> None:
    _, is_read = workspace
    for link in range(offsets[page], offsets[page + 1]):
        is_read[targets[link] >> 6] |= np.uint64(1) << np.uint64(targets[link] & 63)


@compiled
def _add_links(offsets: OffsetArray, targets: IntArray, page: int, weight: float, workspace: Workspace) -> None:
    """Add the distribution of a page's links to the workspace, but only for the targets that will be looked up."""
    sums, is_read = workspace
    outdegree = offsets[page + 1] - offsets[page]
    if outdegree == 0:
        sums[-1] += weight
        return
    each = weight / outdegree
    for link in range(offsets[page], offsets[page + 1]):
        if is_read[targets[link] >> 6] >> np.uint64(targets[link] & 63) & np.uint64(1):
            sums[targets[link]] += each


@compiled
def _clear_links(offsets: OffsetArray, targets: IntArray, page: int, workspace: Workspace) -> None:
    sums, is_read = workspace
    sums[-1] = 0.0
    for link in range(offsets[page], offsets[page + 1]):
        sums[targets[link]] = 0.0
        is_read[targets[link] >> 6] = 0


@compiled
def _read_links(
    offsets: OffsetArray,
    targets: IntArray,
    page: int,
    factor: float,
    workspace: Workspace,
    row: int,
    likelihoods: FloatArray,
) -> None:
    sums, _ = workspace
    if offsets[page + 1] == offsets[page]:
        likelihoods[row] = factor * sums[-1]
    for link in range(offsets[page], offsets[page + 1]):
        likelihoods[row + link - offsets[page]] = factor * sums[targets[link]]


@compiled
def _maximised(
    likelihoods: NDArray[np.float64], link_weights: FloatArray, prior: FloatArray, strength: float, iterations: int
) -> FloatArray:
    weights = prior.copy()
    for _ in range(iterations):
        shares = np.zeros(KINDS)
        for row in range(len(link_weights)):
            total = 0.0
            for kind in range(KINDS):
                total += weights[kind] * likelihoods[row, kind]
            if total > 0:
                share = link_weights[row] / total
                for kind in range(KINDS):
                    shares[kind] += share * likelihoods[row, kind]
        weights = prior * strength + shares * weights
        weights /= weights.sum()
    return weights
