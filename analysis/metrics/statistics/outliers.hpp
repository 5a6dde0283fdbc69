// SPDX-License-Identifier: Apache-2.0
// Finds outlying repeats, selects the repeats that a policy leaves out, and tests whether values
// are normally distributed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

// Test whether values are normally distributed.

/// Smallest number of values that are tested for normality. Fewer values are compatible with almost
/// any distribution.
inline constexpr std::size_t kFewestForNormality = 8;

/// Returns true if Anderson and Darling's test at 5 % does not reject a normal distribution. The
/// mean and the variance are estimated from the values, and Stephens' correction for small samples
/// is applied (D'Agostino and Stephens, 1986, table 4.7). Returns an empty value for fewer than
/// kFewestForNormality values and if all values are equal.
std::optional<bool> looks_normal(const std::vector<double>& values);

// Detection of outlying repeats, and policies that decide which repeats are left out.

/// Policy that decides which repeats of a point are left out. The default None leaves out nothing,
/// because medians tolerate outliers. A report that leaves out repeats states this under each
/// table.
enum class OutlierPolicy {
  None,
  Mad,        ///< repeats whose modified z-score has a magnitude above kOutlyingZ
  Olympic,    ///< fastest and slowest repeat, if there are at least 3 repeats
  DropFirst,  ///< first repeat, if there are at least 2 repeats
};

/// Returns "none", "mad", "olympic" or "drop-first".
const char* to_string(OutlierPolicy policy);
/// Parses the name of a policy. Throws base::UsageError for an unknown name. The message suggests
/// the most similar name and lists all names.
OutlierPolicy parse_outlier_policy(std::string_view text);

inline constexpr double kOutlyingZ = 3.5;

/// Returns the modified z-score 0.6745 (x - median) / MAD of each value x (Iglewicz and Hoaglin,
/// 1993). MAD is the median absolute deviation from the median. If MAD is 0, because more than half
/// of the values are equal, the result is (x - median) / (1.2533 mean absolute deviation). Returns
/// 0 for each value if all values are equal.
std::vector<double> modified_z(const std::vector<double>& values);

/// Returns the indices of the repeats that `policy` leaves out, ascending. `values` must be in the
/// order in which they were measured.
std::vector<std::size_t> left_out(const std::vector<double>& values, OutlierPolicy policy);

}  // namespace dlscale::analysis
