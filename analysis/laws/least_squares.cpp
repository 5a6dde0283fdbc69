// SPDX-License-Identifier: Apache-2.0
#include "analysis/laws/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::analysis {
namespace {

using Rows = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> column_of(const Rows& rows, std::size_t column) {
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.push_back(row[column]);
  return values;
}

/// Takes `share` of `from` out of `values`.
void subtract(std::vector<double>& values, double share, const std::vector<double>& from) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= share * from[i];
}

/// Unconstrained, with the columns in `used` alone, by Gram-Schmidt's QR (modified; terms of G have
/// ranges of many orders of magnitude, which normal equations would square). Empty where they
/// depend on each other.
std::optional<std::vector<double>> solve(const Rows& rows, const std::vector<std::size_t>& used) {
  const std::size_t k = used.size();
  Rows q;
  Rows r(k, std::vector<double>(k, 0.0));
  std::vector<double> left(rows.size(), 1.0);
  std::vector<double> projected(k);
  for (std::size_t j = 0; j < k; ++j) {
    std::vector<double> column = column_of(rows, used[j]);
    const double before = std::sqrt(dot(column, column));
    for (std::size_t i = 0; i < j; ++i) {
      r[i][j] = dot(q[i], column);
      subtract(column, r[i][j], q[i]);
    }
    r[j][j] = std::sqrt(dot(column, column));
    if (r[j][j] <= 1e-12 * before || before <= 0) return std::nullopt;
    for (double& value : column) value /= r[j][j];
    projected[j] = dot(column, left);
    subtract(left, projected[j], column);
    q.push_back(std::move(column));
  }
  for (std::size_t j = k; j-- > 0;) {
    for (std::size_t i = j + 1; i < k; ++i) projected[j] -= r[j][i] * projected[i];
    projected[j] /= r[j][j];
  }
  return projected;
}

double squared_error(const Rows& rows, const std::vector<double>& x) {
  double sum = 0;
  for (const std::vector<double>& row : rows) sum += (dot(row, x) - 1) * (dot(row, x) - 1);
  return sum;
}

}  // namespace

std::optional<std::vector<double>> non_negative_to_ones(const Rows& rows) {
  if (rows.empty() || rows.size() < rows.front().size()) return std::nullopt;
  const std::size_t columns = rows.front().size();
  std::optional<std::vector<double>> best;
  double least = 0;
  for (unsigned subset = 1; subset < (1U << columns); ++subset) {
    std::vector<std::size_t> used;
    for (std::size_t j = 0; j < columns; ++j) {
      if ((subset >> j & 1U) != 0) used.push_back(j);
    }
    const auto solved = solve(rows, used);
    if (!solved || *std::min_element(solved->begin(), solved->end()) < 0) continue;
    std::vector<double> x(columns, 0.0);
    for (std::size_t j = 0; j < used.size(); ++j) x[used[j]] = (*solved)[j];
    const double error = squared_error(rows, x);
    if (best && error >= least) continue;
    best = std::move(x);
    least = error;
  }
  return best;
}

}  // namespace dlscale::analysis
