// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "predict/compute_fit.hpp"

namespace dlscale::predict {
namespace {

// Minimum number of sizes in a range: two sizes determine the coefficients, and two more test the
// fit.
constexpr std::size_t kFewestOfRange = 4;
constexpr std::size_t kMostRanges = 3;
// Approximate number of borders that are tried if there are many sizes.
constexpr std::size_t kMostBorders = 48;
// Relative error below which a fit counts as exact. Fits to synthetic data have only rounding
// errors.
constexpr double kExact = 1e-6;

struct Size {
  std::int64_t bytes = 0;
  TermPoint point;
};
using Key = std::tuple<std::string, int, int>;  // topology, nodes, gpus

/// Returns the measured message sizes of a placement in ascending order. Each size has the factor
/// of α (the number of hops), the factor of β (the sent bytes) and the median time.
std::vector<Size> sizes_of(const std::map<std::int64_t, std::vector<double>>& times, int gpus) {
  std::vector<Size> sizes;
  for (const auto& [bytes, seconds] : times) {
    const double hops = 2.0 * (gpus - 1);
    sizes.push_back({bytes, {hops, hops / gpus * static_cast<double>(bytes), median(seconds)}});
  }
  return sizes;
}

/// Borders between ranges of message sizes, as indices into the sizes. The first border is 0 and
/// the last is the number of sizes.
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

/// Returns Akaike's corrected information criterion (AICc). Returns nothing if there are too few
/// sizes for the number of coefficients.
std::optional<double> aicc(const std::vector<TermFit>& fits, double sizes) {
  double squares = 0;
  for (const TermFit& fit : fits) squares += fit.squares;
  // The number of parameters k is two coefficients for each range, one for each border between
  // ranges, and one for the variance.
  const double k = 3.0 * static_cast<double>(fits.size()) - 1 + 1;
  if (sizes - k - 1 <= 0) return std::nullopt;
  const double mean = std::max(squares / sizes, kExact * kExact);
  return sizes * std::log(mean) + 2 * k + 2 * k * (k + 1) / (sizes - k - 1);
}

/// Calls `visit` for each way to divide `count` sizes into `ranges` ranges. If there are many
/// sizes, only some positions are tried as borders. `borders` contains the borders chosen so far.
void each_division(std::size_t count, std::size_t ranges, Borders borders,
                   const std::function<void(const Borders&)>& visit) {
  const std::size_t from = borders.back();
  if (ranges == 1) {
    borders.push_back(count);
    visit(borders);
    return;
  }
  const std::size_t stride = std::max<std::size_t>(1, count / kMostBorders);
  for (std::size_t to = from + kFewestOfRange; to + kFewestOfRange * (ranges - 1) <= count;
       to += stride) {
    Borders next = borders;
    next.push_back(to);
    each_division(count, ranges - 1, std::move(next), visit);
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
  // The following code fits a line through the origin to the time differences between the
  // reduce-scatter and the all-gather. Each size and difference is divided by the time of the
  // reduce-scatter. Errors relative to the differences would have no meaning, because differences
  // of noisy times may be negative.
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

namespace {

constexpr double kErrors = 2;     // factor on the error for a 95 % interval
constexpr double kInside = 0.05;  // smallest uncertainty between two measured sizes
// Smallest uncertainty beyond the measured sizes and for other GPU counts.
constexpr double kOutside = 0.1;
// Uncertainty that each doubling of the GPU count adds. An all-reduce on eight H100 GPUs of a node
// was one third faster than predicted from four of these GPUs. With kOutside the uncertainty is 0.4
// at twice the measured GPU count. At eight times the measured count the band is as wide as the
// band of data sheets.
constexpr double kEachDoubling = 0.3;

/// Returns the number of hops in a ring, which is the factor of α.
double hops(int gpus) {
  return 2.0 * (gpus - 1);
}
/// Returns the bytes that each rank sends in a ring, which is the factor of β.
double travelled(int gpus, double bytes) {
  return 2.0 * (gpus - 1) / gpus * bytes;
}

double by_fit(const RingFit& fit, int gpus, double bytes) {
  return fit.latency.value * hops(gpus) + fit.seconds_per_byte * travelled(gpus, bytes);
}

/// Returns the time of a message of `bytes` bytes, interpolated on log-log axes between the
/// measured sizes a and b.
double between(double bytes, double bytes_a, double seconds_a, double bytes_b, double seconds_b) {
  const double part = std::log(bytes / bytes_a) / std::log(bytes_b / bytes_a);
  return seconds_a * std::pow(seconds_b / seconds_a, part);
}

std::string placement_text(Placement ranks) {
  return std::to_string(ranks.gpus) + " GPUs on " + base::count_of(ranks.nodes, "node");
}

}  // namespace

double AllReduceEstimate::uncertainty() const {
  const double own = kErrors * relative_error;
  if (basis == Basis::interpolated) return std::max(relative_error < 0 ? kOutside : kInside, own);
  return std::max(kOutside, own) + kEachDoubling * std::log2(farther);
}

RingFit fit_ring(const std::vector<int>& gpus, const std::vector<double>& bytes,
                 const std::vector<double>& seconds) {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const double a = hops(gpus[i]) / seconds[i];
    const double b = travelled(gpus[i], bytes[i]) / seconds[i];
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  RingFit fit;
  if (determinant > 1e-12 * aa * bb) {
    fit = {{(a1 * bb - b1 * ab) / determinant}, (b1 * aa - a1 * ab) / determinant};
  }
  if (fit.latency.value < 0 || determinant <= 1e-12 * aa * bb) fit = {{}, b1 / bb};
  if (fit.seconds_per_byte < 0) fit = {{a1 / aa}, 0};
  double squares = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    squares += std::pow(by_fit(fit, gpus[i], bytes[i]) / seconds[i] - 1, 2);
  }
  fit.relative_error = std::sqrt(squares / static_cast<double>(gpus.size()));
  return fit;
}

AllReduceTable::AllReduceTable(const std::vector<contract::AllReduceTime>& measured) {
  for (const contract::AllReduceTime& time : measured) {
    tables_[{time.topology, time.nodes, time.gpus}].points.push_back(
        {static_cast<double>(time.bytes), time.seconds});
  }
  for (auto& [key, table] : tables_) {
    std::stable_sort(table.points.begin(), table.points.end(),
                     [](const Point& a, const Point& b) { return a.bytes < b.bytes; });
    // Keeps only the slowest time of each size.
    std::vector<Point> points;
    for (const Point& point : table.points) {
      if (points.empty() || points.back().bytes < point.bytes) {
        points.push_back(point);
      } else {
        points.back().seconds = std::max(points.back().seconds, point.seconds);
      }
    }
    table.points = std::move(points);
    std::vector<double> bytes, seconds;
    for (const Point& point : table.points) {
      bytes.push_back(point.bytes);
      seconds.push_back(point.seconds);
    }
    table.fit = fit_ring(std::vector<int>(bytes.size(), std::get<2>(key)), bytes, seconds);
    table.left_out = left_out_error(table.points);
  }
}

double AllReduceTable::left_out_error(const std::vector<Point>& points) {
  if (points.size() < 3) return -1;
  double squares = 0;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Point &below = points[i - 1], &above = points[i + 1];
    const double estimated =
        between(points[i].bytes, below.bytes, below.seconds, above.bytes, above.seconds);
    squares += std::pow(estimated / points[i].seconds - 1, 2);
  }
  return std::sqrt(squares / static_cast<double>(points.size() - 2));
}

AllReduceTable::TopologyFit AllReduceTable::fit_of(const std::string& topology,
                                                   Placement ranks) const {
  std::vector<int> gpus;
  std::vector<double> bytes, seconds;
  std::string known;
  for (const auto& [key, table] : tables_) {
    const auto& [name, nodes, count] = key;
    known += (known.empty() ? "" : ", ") + placement_text({nodes, count});
    if (name != topology || topology.empty() || (nodes == 1) != (ranks.nodes == 1)) continue;
    for (const Point& point : table.points) {
      gpus.push_back(count);
      bytes.push_back(point.bytes);
      seconds.push_back(point.seconds);
    }
  }
  if (!gpus.empty()) {
    const auto [fewest, most] = std::minmax_element(gpus.begin(), gpus.end());
    return {fit_ring(gpus, bytes, seconds), *fewest, *most};
  }
  throw base::UsageError(
      "no all-reduce was measured on " + placement_text(ranks) + " (measured: " + known + "), " +
      (topology.empty() ? "and the calibration does not name a topology, which is needed to "
                          "extrapolate; measure this "
                          "placement, or name the topology with dlscale calibrate --topology"
                        : "and the topology \"" + topology + "\" has no measurement on " +
                              (ranks.nodes == 1 ? "one node" : "several nodes") +
                              " to extrapolate from; measure this placement"));
}

AllReduceEstimate AllReduceTable::estimate(const std::string& topology, Placement ranks,
                                           Bytes message) const {
  if (ranks.gpus < 2) return {};
  const auto found = tables_.find({topology, ranks.nodes, ranks.gpus});
  if (found == tables_.end()) {
    const auto [fit, fewest, most] = fit_of(topology, ranks);
    const double count = ranks.gpus;
    return {{by_fit(fit, ranks.gpus, message.value)},
            Basis::beyond_gpus,
            fit.relative_error,
            std::max({1.0, count / most, fewest / count})};
  }
  const auto& [points, fit, left_out] = found->second;
  const double bytes = message.value;
  if (bytes < points.front().bytes || bytes > points.back().bytes) {
    const Point& nearest = bytes < points.front().bytes ? points.front() : points.back();
    const double ratio = by_fit(fit, ranks.gpus, bytes) / by_fit(fit, ranks.gpus, nearest.bytes);
    return {{nearest.seconds * ratio}, Basis::beyond_sizes, left_out};
  }
  const auto above = std::lower_bound(points.begin(), points.end(), bytes,
                                      [](const Point& point, double n) { return point.bytes < n; });
  if (above->bytes == bytes) return {{above->seconds}};
  const Point& below = *std::prev(above);
  return {{between(bytes, below.bytes, below.seconds, above->bytes, above->seconds)},
          Basis::interpolated,
          left_out};
}

}  // namespace dlscale::predict
