// SPDX-License-Identifier: Apache-2.0
// Which repeats stand out, which of them a policy leaves out, and whether values look normal.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

// Whether measurements look as if a normal distribution had made them.

/// Fewer values can look like anything.
inline constexpr std::size_t kFewestForNormality = 8;

/// Anderson and Darling's test at 5 %, mean and variance estimated, with Stephens' correction for
/// small samples (D'Agostino and Stephens, 1986, table 4.7). Empty below kFewestForNormality and
/// where all values are equal.
std::optional<bool> looks_normal(const std::vector<double>& values);

// Which repeats stand out, and which of them a policy leaves out.

/// What is done with repeats that stand out. Medians need none of it; whoever leaves repeats out
/// says so under the table.
enum class OutlierPolicy {
  None,
  Mad,        ///< those with a modified z beyond kOutlyingZ
  Olympic,    ///< the fastest and the slowest, of at least 3
  DropFirst,  ///< the first, of at least 2
};

/// "none", "mad", "olympic", "drop-first".
const char* to_string(OutlierPolicy policy);
/// Throws base::UsageError with the nearest name and the list.
OutlierPolicy parse_outlier_policy(std::string_view text);

inline constexpr double kOutlyingZ = 3.5;

/// 0.6745 (x - median) / MAD of each value (Iglewicz and Hoaglin, 1993); where more than half of
/// the values are equal, so that MAD is 0, their (x - median) / (1.2533 mean absolute deviation); 0
/// where all are.
std::vector<double> modified_z(const std::vector<double>& values);

/// Indices of the repeats that `policy` leaves out, ascending. `values` are in the order in which
/// they were measured.
std::vector<std::size_t> left_out(const std::vector<double>& values, OutlierPolicy policy);

}  // namespace dlscale::analysis
