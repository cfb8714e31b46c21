"""How much each kind of similarity counts: learnt by predicting the links of each model from those of the others.

By expectation maximisation, as in interpolated language models (Jelinek & Mercer 1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled
from analysis.graph import BoolArray, ByteArray, FloatArray, IntArray, OffsetArray, Rows
from analysis.in_parts import Zeros, gathered, parts, places_where
from analysis.ordering import in_order
from analysis.similarity import KINDS, Similarity

_PRIOR: Final = np.array([0.25, 0.4, 0.175, 0.175])
_PRIOR_STRENGTH: Final = 5.0  # as if so many pages had been seen
_EM_ITERATIONS: Final = 30
_SAMPLE: Final = 20_000  # models whose links are predicted: four numbers are to be learnt from them
_FAMILIES, _CHILDREN = 8, 32  # looked at for the siblings of one page while the weights are learnt


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """How likely each kind of similarity makes each link of a sample of models, predicted from the other models.

    values: shape (links, 4); a page without links counts as one link to nowhere. link_weights: shape (links,); those
    of one page sum to its weight as a model.
    """

    values: NDArray[np.float64]
    link_weights: FloatArray


def prediction_likelihoods(similarity: Similarity) -> Likelihoods:
    offsets, targets = similarity.links.offsets, similarity.links.targets
    links, inlinks, n, zeros = similarity.links.rows, similarity.inlinks.rows, len(offsets) - 1, similarity.links.zeros
    models = places_where(n, lambda part: similarity.is_model[part], zeros)
    sample = models[:: max(1, -(-len(models) // _SAMPLE))]
    rows: IntArray = zeros(n, np.int32)
    link_weights = _number_rows(sample, offsets, similarity.model_weights, rows)
    sums: FloatArray = zeros(n + 1, np.float64)
    values = np.zeros((len(link_weights), KINDS))
    by_kind: tuple[ByteArray | IntArray, ...] = similarity.classes, similarity.host_classes
    for kind, groups in enumerate(by_kind):
        order = _by_group(groups, models, zeros)
        _predict_by_group(offsets, targets, order, groups, rows, sums, values[:, kind])
    _predict_by_siblings(links, inlinks, similarity.is_model, sample, rows, sums, values)
    _predict_by_neighbours(offsets, targets, similarity.neighbours, sample, rows, sums, values)
    return Likelihoods(values, link_weights)


def _by_group(groups: ByteArray | IntArray, models: IntArray, zeros: Zeros) -> IntArray:
    """The models group by group, ascending. Compiled, to sort them would take three seconds more."""
    keys: NDArray[np.uint32] = zeros(len(models), np.uint32)
    for part in parts(len(models)):
        keys[part] = groups[models[part]]
    return gathered(models, in_order(keys, zeros), zeros)


def interpolation_weights(likelihoods: Likelihoods) -> FloatArray:
    """The weights of the four kinds, shape (4,), sum 1, that make the links most likely: by expectation
    maximisation, begun at and held near the prior, as if that were some pages more. Where no kind predicts a
    link, it says nothing about them."""
    return _maximised(likelihoods.values, likelihoods.link_weights, _PRIOR, _PRIOR_STRENGTH, _EM_ITERATIONS)


def prior_weights() -> FloatArray:
    """The weights of the four kinds as long as nothing was learnt."""
    return _PRIOR.copy()


@compiled
def _number_rows(sample: IntArray, offsets: OffsetArray, model_weights: ByteArray, rows: IntArray) -> FloatArray:
    """Write where the links of each page, shape (n,), begin in the table of the sample's links, -1 if it is not in the
    sample; the weight of each link."""
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
def _predict_by_group(
    offsets: OffsetArray,
    targets: IntArray,
    order: IntArray,
    groups: ByteArray | IntArray,
    rows: IntArray,
    sums: FloatArray,
    likelihoods: FloatArray,
) -> None:
    """The mean of the links of the other models of a page's group. order: the models, group by group. sums: zeros, as
    they are again afterwards."""
    nowhere = len(offsets) - 1
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and groups[order[end]] == groups[order[begin]]:
            end += 1
        others = end - begin - 1
        if others:
            for place in range(begin, end):
                _add_links(offsets, targets, order[place], 1.0, sums)
            for place in range(begin, end):
                page = order[place]
                row = rows[page]
                if row < 0:
                    continue
                outdegree = offsets[page + 1] - offsets[page]
                if outdegree == 0:
                    likelihoods[row] = (sums[nowhere] - 1.0) / others
                for link in range(outdegree):
                    likelihoods[row + link] = (sums[targets[offsets[page] + link]] - 1.0 / outdegree) / others
            for place in range(begin, end):
                _clear_links(offsets, targets, order[place], sums)
        begin = end


@compiled
def _predict_by_siblings(
    links: Rows,
    inlinks: Rows,
    is_model: BoolArray,
    sample: IntArray,
    rows: IntArray,
    sums: FloatArray,
    values: NDArray[np.float64],
) -> None:
    """The mean over some pages that link here of the mean over some other models they link to."""
    offsets, targets = links
    in_offsets, in_sources = inlinks
    used = np.empty(_FAMILIES * 2 * _CHILDREN * 2, np.int32)
    for page in sample:
        families = 0
        count = 0
        step = max(1, (in_offsets[page + 1] - in_offsets[page]) // _FAMILIES)
        for inlink in range(in_offsets[page], in_offsets[page + 1], step):
            parent = in_sources[inlink]
            stride = max(1, (offsets[parent + 1] - offsets[parent]) // _CHILDREN)
            children = 0
            for link in range(offsets[parent], offsets[parent + 1], stride):
                children += is_model[targets[link]] and targets[link] != page
            if children == 0:
                continue
            families += 1
            for link in range(offsets[parent], offsets[parent + 1], stride):
                if is_model[targets[link]] and targets[link] != page:
                    _add_links(offsets, targets, targets[link], 1.0 / children, sums)
                    used[count] = targets[link]
                    count += 1
        if families:
            _read_links(offsets, targets, page, 1.0 / families, sums, rows[page], values[:, 2])
            for place in range(count):
                _clear_links(offsets, targets, used[place], sums)


@compiled
def _predict_by_neighbours(
    offsets: OffsetArray,
    targets: IntArray,
    neighbours: NDArray[np.int32],
    sample: IntArray,
    rows: IntArray,
    sums: FloatArray,
    values: NDArray[np.float64],
) -> None:
    """The mean of the links of the model before and the model after."""
    for page in sample:
        count = 0
        for neighbour in neighbours[page]:
            if neighbour >= 0:
                count += 1
                _add_links(offsets, targets, neighbour, 1.0, sums)
        if count:
            _read_links(offsets, targets, page, 1.0 / count, sums, rows[page], values[:, 3])
            for neighbour in neighbours[page]:
                if neighbour >= 0:
                    _clear_links(offsets, targets, neighbour, sums)


@compiled
def _add_links(offsets: OffsetArray, targets: IntArray, page: int, weight: float, sums: FloatArray) -> None:
    """Add the distribution of a page's links; the last place of sums is for leading nowhere."""
    outdegree = offsets[page + 1] - offsets[page]
    if outdegree == 0:
        sums[-1] += weight
    for link in range(offsets[page], offsets[page + 1]):
        sums[targets[link]] += weight / outdegree


@compiled
def _clear_links(offsets: OffsetArray, targets: IntArray, page: int, sums: FloatArray) -> None:
    sums[-1] = 0.0
    for link in range(offsets[page], offsets[page + 1]):
        sums[targets[link]] = 0.0


@compiled
def _read_links(
    offsets: OffsetArray,
    targets: IntArray,
    page: int,
    factor: float,
    sums: FloatArray,
    row: int,
    likelihoods: FloatArray,
) -> None:
    if offsets[page + 1] == offsets[page]:
        likelihoods[row] = factor * sums[-1]
    for link in range(offsets[page], offsets[page + 1]):
        likelihoods[row + link - offsets[page]] = factor * sums[targets[link]]


@compiled
def _maximised(
    likelihoods: NDArray[np.float64], link_weights: FloatArray, prior: FloatArray, strength: float, iterations: int
) -> FloatArray:
    weights = prior.copy()
    kinds = len(prior)
    for _ in range(iterations):
        counts = prior * strength
        for row in range(len(link_weights)):
            total = 0.0
            for kind in range(kinds):
                total += weights[kind] * likelihoods[row, kind]
            if total > 0:
                for kind in range(kinds):
                    counts[kind] += link_weights[row] * weights[kind] * likelihoods[row, kind] / total
        weights = counts / counts.sum()
    return weights
