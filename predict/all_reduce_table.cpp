// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::predict {
namespace {

constexpr double kErrors = 2;     // times the error: 95 of 100
constexpr double kInside = 0.05;  // between sizes, however near they lie
constexpr double kOutside = 0.1;  // beyond them, and between counts
// Eight H100 of a node are a third faster than four of them say: with kOutside 0.4 at twice the
// count. At eight times the band is then what data sheets have.
constexpr double kEachDoubling = 0.3;

/// Hops and share of the message that α and β are multiplied with.
double hops(int gpus) {
  return 2.0 * (gpus - 1);
}
double travelled(int gpus, double bytes) {
  return 2.0 * (gpus - 1) / gpus * bytes;
}

double by_fit(const RingFit& fit, int gpus, double bytes) {
  return fit.latency.value * hops(gpus) + fit.seconds_per_byte * travelled(gpus, bytes);
}

/// A straight line on log-log axes.
double between(double bytes, double bytes_a, double seconds_a, double bytes_b, double seconds_b) {
  const double part = std::log(bytes / bytes_a) / std::log(bytes_b / bytes_a);
  return seconds_a * std::pow(seconds_b / seconds_a, part);
}

std::string placement_text(Placement ranks) {
  return std::to_string(ranks.gpus) + " GPUs of " + base::count_of(ranks.nodes, "node");
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
    // Of several times of one size the slowest holds.
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
      "no all-reduce was measured on " + placement_text(ranks) + " (there are: " + known + "), " +
      (topology.empty()
           ? "and the calibration does not name their topology, so that their bandwidth says "
             "nothing of it; measure it, or name the topology of what is connected alike"
           : "and none on the topology \"" + topology + "\" that lies on " +
                 (ranks.nodes == 1 ? "one node" : "several nodes") + " as it does; measure it"));
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
