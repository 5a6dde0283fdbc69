# SPDX-License-Identifier: Apache-2.0
"""Tests of the number of samples that the package finds in a batch."""
import collections
import types

import pytest

from dlscale.batch import samples_of


def array(*shape):
    return types.SimpleNamespace(shape=shape)


@pytest.mark.parametrize("batch", [
    array(7, 3, 2),
    (array(7, 3), array(7)),
    [array(7, 3), array(7)],
    {"input_ids": array(7, 5), "labels": array(7)},
    ({"image": array(7, 3)}, array(7)),
    collections.OrderedDict(x=array(7)),
    (array(), array(7)),  # a scalar has no samples
    ["text"] * 7,
    (["text"] * 7, "name"),
    {"text": ["text"] * 7},
], ids=repr)
def test_the_first_dimension_is_the_number_of_samples(batch):
    assert samples_of(batch) == 7


def test_numpy_arrays_have_samples():
    numpy = pytest.importorskip("numpy")
    assert samples_of((numpy.zeros((7, 2)), numpy.zeros(7))) == 7


def test_torch_tensors_have_samples():
    torch = pytest.importorskip("torch")
    assert samples_of({"x": torch.zeros(7, 2), "y": torch.zeros(7)}) == 7


def test_samples_can_be_stated():
    assert samples_of("a batch of any type", 3) == 3
    assert samples_of(["ab", "c"], lambda batch: len("".join(batch))) == 3
    assert samples_of(array(7), 0) == 0


def test_different_first_dimensions_are_an_error():
    with pytest.raises(ValueError, match=r"different first dimensions \(7 and 3\); pass samples="):
        samples_of((array(7), array(3)))


@pytest.mark.parametrize("batch", [None, "text", 7, (), {}, object()], ids=repr)
def test_a_batch_without_arrays_and_lists_is_an_error(batch):
    with pytest.raises(ValueError, match="neither an array nor a list; pass samples="):
        samples_of(batch)


@pytest.mark.parametrize("samples", [-1, 1.5, True, lambda batch: -2])
def test_a_number_of_samples_is_a_whole_number(samples):
    with pytest.raises(ValueError, match="samples: must be a whole number that is not negative"):
        samples_of(array(7), samples)
