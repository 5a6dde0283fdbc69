# SPDX-License-Identifier: Apache-2.0
"""Finds the number of samples of a batch."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Optional, Union

Samples = Union[int, Callable[[Any], int], None]


def sizes_in(value: Any) -> Iterator[int]:
    """Yields the first dimension of each array or tensor in nested tuples, lists and dictionaries."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        if len(shape) > 0:
            yield int(shape[0])
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from sizes_in(member)
    elif isinstance(value, (tuple, list)):
        for member in value:
            yield from sizes_in(member)


def length_of_list(value: Any) -> Optional[int]:
    """Returns the length of the first list in nested tuples and dictionaries, or None."""
    if isinstance(value, list):
        return len(value)
    members = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
    for member in members:
        length = length_of_list(member)
        if length is not None:
            return length
    return None


def samples_of(batch: Any, samples: Samples = None) -> int:
    """Returns the number of samples of a batch.

    `samples` is this number, or a function that returns it for a batch. Without `samples` the number is the first
    dimension of the arrays in the batch, or the length of the first list if there are no arrays. Raises ValueError if
    arrays have different first dimensions and if there are neither arrays nor lists.
    """
    if samples is not None:
        count = samples(batch) if callable(samples) else samples
        if isinstance(count, bool) or int(count) != count or count < 0:
            raise ValueError(f"samples: must be a whole number that is not negative (got {count!r})")
        return int(count)
    first: Optional[int] = None
    for size in sizes_in(batch):
        if first is None:
            first = size
        elif size != first:
            raise ValueError(f"the arrays of a batch have different first dimensions ({first} and {size}); pass "
                             "samples=, the number of samples or a function that returns it for a batch")
    if first is None:
        first = length_of_list(batch)
    if first is None:
        raise ValueError(f"a batch of type {type(batch).__name__} contains neither an array nor a list; pass "
                         "samples=, the number of samples or a function that returns it for a batch")
    return first
