// SPDX-License-Identifier: Apache-2.0
// Whether measurements look as if a normal distribution had made them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dlscale::analysis {

/// Fewer values can look like anything.
inline constexpr std::size_t kFewestForNormality = 8;

/// Anderson and Darling's test at 5 %, mean and variance estimated, with Stephens' correction for
/// small samples (D'Agostino and Stephens, 1986, table 4.7). Empty below kFewestForNormality and
/// where all values are equal.
std::optional<bool> looks_normal(const std::vector<double>& values);

}  // namespace dlscale::analysis
