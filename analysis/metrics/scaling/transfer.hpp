// SPDX-License-Identifier: Apache-2.0
// How much an epoch of data-parallel training sends, by two formulas (docs/metrics.md).
#pragma once

#include <cstdint>

namespace dlscale::analysis {

inline constexpr double kFp32Bytes = 4;

/// N / (B k) x trainable parameters, a count of values: Banerjee and Shah, Princeton (2023),
/// section 2. Their B is the batch of one GPU, so that `global_batch` is B k.
double published_values_per_epoch(double samples, double global_batch, double parameters);

/// What each GPU really sends in a ring all-reduce: steps x 2 (k - 1) / k x parameters x bytes.
double ring_bytes_per_epoch(double steps, int gpus, double parameters,
                            double bytes_per_value = kFp32Bytes);

}  // namespace dlscale::analysis
