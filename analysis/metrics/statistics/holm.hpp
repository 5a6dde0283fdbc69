// SPDX-License-Identifier: Apache-2.0
// What many tests at once are worth.
#pragma once

#include <vector>

namespace dlscale::analysis {

/// Holm's step-down adjustment (1979): of all the adjusted p at most a share alpha of families has
/// one below alpha by chance, whatever depends on what. In the order of `p`.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace dlscale::analysis
