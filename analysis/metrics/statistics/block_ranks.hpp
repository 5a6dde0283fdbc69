// SPDX-License-Identifier: Apache-2.0
// Whether one and the same member of several groups tends to have the largest value in each.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

/// A group of values that are compared with each other alone.
struct Block {
  std::vector<double> values;
  std::size_t own = 0;  ///< which of them is the member's
};

/// The chance that the ranks of the member's values in their blocks have such a sum or a larger
/// one, when in each block every value is as likely the member's as any other: exact, equal values
/// sharing their ranks. What blocks have in common, or one has more of than another, plays no part.
/// 1 without blocks.
double p_of_high_ranks(const std::vector<Block>& blocks);

/// The smallest such p: the member's value is the only largest in each.
double smallest_p_of_ranks(const std::vector<Block>& blocks);

}  // namespace dlscale::analysis
