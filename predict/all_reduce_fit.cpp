// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "predict/term_fit.hpp"

namespace dlscale::predict {
namespace {

constexpr std::size_t kFewestOfRange = 4;  // two coefficients, and two to judge them by
constexpr std::size_t kMostRanges = 3;
constexpr std::size_t kMostBorders = 48;  // that are tried, of many sizes
constexpr double kExact = 1e-6;  // relative errors below this are none: made data, rounding

struct Size {
  std::int64_t bytes = 0;
  TermPoint point;
};
using Key = std::tuple<std::string, int, int>;  // topology, nodes, gpus

/// Sizes of a placement, ascending, with the hops and the bytes that α and β are multiplied with.
std::vector<Size> sizes_of(const std::map<std::int64_t, std::vector<double>>& times, int gpus) {
  std::vector<Size> sizes;
  for (const auto& [bytes, seconds] : times) {
    const double hops = 2.0 * (gpus - 1);
    sizes.push_back({bytes, {hops, hops / gpus * static_cast<double>(bytes), median(seconds)}});
  }
  return sizes;
}

/// Borders between ranges, as indices: 0 first, the number of sizes last.
using Borders = std::vector<std::size_t>;

std::vector<TermFit> fits_between(const std::vector<Size>& sizes, const Borders& borders) {
  std::vector<TermFit> fits;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    std::vector<TermPoint> points;
    for (std::size_t k = borders[i]; k < borders[i + 1]; ++k) points.push_back(sizes[k].point);
    fits.push_back(fit_terms(points));
  }
  return fits;
}

/// Akaike's criterion, corrected; nothing where there are too few sizes for so many coefficients.
std::optional<double> aicc(const std::vector<TermFit>& fits, double sizes) {
  double squares = 0;
  for (const TermFit& fit : fits) squares += fit.squares;
  // A range has two coefficients, a border between ranges is one more; then the variance.
  const double k = 3.0 * static_cast<double>(fits.size()) - 1 + 1;
  if (sizes - k - 1 <= 0) return std::nullopt;
  const double mean = std::max(squares / sizes, kExact * kExact);
  return sizes * std::log(mean) + 2 * k + 2 * k * (k + 1) / (sizes - k - 1);
}

/// All ways to divide `count` sizes into so many ranges.
void each_division(std::size_t count, std::size_t ranges, Borders borders,
                   const std::function<void(const Borders&)>& take) {
  const std::size_t from = borders.back();
  if (ranges == 1) {
    borders.push_back(count);
    take(borders);
    return;
  }
  const std::size_t stride = std::max<std::size_t>(1, count / kMostBorders);
  for (std::size_t to = from + kFewestOfRange; to + kFewestOfRange * (ranges - 1) <= count;
       to += stride) {
    Borders next = borders;
    next.push_back(to);
    each_division(count, ranges - 1, std::move(next), take);
  }
}

Borders best_borders(const std::vector<Size>& sizes) {
  Borders best{0, sizes.size()};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t ranges = 1; ranges <= kMostRanges; ++ranges) {
    if (ranges > 1 && sizes.size() < ranges * kFewestOfRange) break;
    each_division(sizes.size(), ranges, {0}, [&](const Borders& borders) {
      const auto score = aicc(fits_between(sizes, borders), static_cast<double>(sizes.size()));
      if (!score || *score >= least) return;
      least = *score;
      best = borders;
    });
  }
  return best;
}

}  // namespace

std::vector<contract::AllReduceFit> fit_all_reduces(
    const std::vector<contract::AllReduceTime>& measured) {
  std::map<Key, std::map<std::int64_t, std::vector<double>>> placements;
  for (const contract::AllReduceTime& time : measured) {
    placements[{time.topology, time.nodes, time.gpus}][time.bytes].push_back(time.seconds);
  }
  std::vector<contract::AllReduceFit> fits;
  for (const auto& [key, times] : placements) {
    if (static_cast<int>(times.size()) < kFewestSizes) continue;
    const auto& [topology, nodes, gpus] = key;
    const std::vector<Size> sizes = sizes_of(times, gpus);
    const Borders borders = best_borders(sizes);
    const std::vector<TermFit> ranges = fits_between(sizes, borders);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      fits.push_back({topology,
                      nodes,
                      gpus,
                      sizes[borders[i]].bytes,
                      sizes[borders[i + 1] - 1].bytes,
                      ranges[i].first,
                      ranges[i].second,
                      {},
                      ranges[i].relative_error,
                      ranges[i].points});
    }
  }
  return fits;
}

contract::FittedValue fit_summation(int gpus,
                                    const std::map<std::int64_t, double>& reduce_scatter_s,
                                    const std::map<std::int64_t, double>& all_gather_s) {
  // A line through the origin: differences of noisy times may be negative, ratios of them nothing.
  double xx = 0, xy = 0;
  std::vector<std::pair<double, double>> points;
  for (const auto& [bytes, seconds] : reduce_scatter_s) {
    const auto gather = all_gather_s.find(bytes);
    if (gather == all_gather_s.end()) continue;
    const double weight = 1 / seconds;
    const double x = weight * (gpus - 1) / gpus * static_cast<double>(bytes);
    const double y = weight * (seconds - gather->second);
    xx += x * x;
    xy += x * y;
    points.emplace_back(x, y);
  }
  if (static_cast<int>(points.size()) < kFewestSizes) return {};
  const double slope = xy / xx;
  double squares = 0;
  for (const auto& [x, y] : points) squares += std::pow(y - slope * x, 2);
  const int degrees = static_cast<int>(points.size()) - 1;
  const double error = student_95(degrees) * std::sqrt(squares / degrees / xx);
  return {std::max(0.0, slope), std::max(0.0, slope - error), std::max(0.0, slope + error)};
}

}  // namespace dlscale::predict
