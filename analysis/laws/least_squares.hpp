// SPDX-License-Identifier: Apache-2.0
// Private to analysis/laws: least squares of a few unknowns that must not be negative.
#pragma once

#include <optional>
#include <vector>

namespace dlscale::analysis {

/// x >= 0 that minimises |A x - 1|², `rows` the rows of A, each of k <= 4 numbers: the best of the
/// unconstrained solutions over all subsets of columns that has no negative part. Empty where there
/// are fewer rows than columns or all columns are 0.
std::optional<std::vector<double>> non_negative_to_ones(
    const std::vector<std::vector<double>>& rows);

}  // namespace dlscale::analysis
