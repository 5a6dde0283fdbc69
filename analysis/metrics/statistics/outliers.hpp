// SPDX-License-Identifier: Apache-2.0
// Finds outlying repeats, selects the repeats that a policy leaves out, and tests values for
// normality.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

// Test whether measurements look normally distributed.

/// Smallest number of values for a test. Fewer values are compatible with almost any distribution.
inline constexpr std::size_t kFewestForNormality = 8;

/// Returns the result of Anderson and Darling's test at 5 % with estimated mean and variance and
/// with Stephens' correction for small samples (D'Agostino and Stephens, 1986, table 4.7). Returns
/// an empty value below kFewestForNormality values and if all values are equal.
std::optional<bool> looks_normal(const std::vector<double>& values);

// Outlying repeats, and the policies that leave repeats out.

/// Policy for outlying repeats. Medians do not need a policy. A report that leaves out repeats
/// states this under the table.
enum class OutlierPolicy {
  None,
  Mad,        ///< repeats with a modified z beyond kOutlyingZ
  Olympic,    ///< fastest and slowest of at least 3 repeats
  DropFirst,  ///< first of at least 2 repeats
};

/// Returns "none", "mad", "olympic" or "drop-first".
const char* to_string(OutlierPolicy policy);
/// Parses the name of a policy. Throws base::UsageError with the nearest name and the list of
/// names.
OutlierPolicy parse_outlier_policy(std::string_view text);

inline constexpr double kOutlyingZ = 3.5;

/// Returns 0.6745 (x - median) / MAD for each value (Iglewicz and Hoaglin, 1993). If more than half
/// of the values are equal, MAD is 0 and the result is (x - median) / (1.2533 mean absolute
/// deviation). Returns 0 for each value if all values are equal.
std::vector<double> modified_z(const std::vector<double>& values);

/// Returns the indices of the repeats that `policy` leaves out, ascending. `values` must be in the
/// order in which they were measured.
std::vector<std::size_t> left_out(const std::vector<double>& values, OutlierPolicy policy);

}  // namespace dlscale::analysis
