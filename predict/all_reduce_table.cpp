// SPDX-License-Identifier: Apache-2.0
#include "predict/all_reduce_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace dlscale::predict {
namespace {

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

std::string placement_text(Placement ranks) {
  return std::to_string(ranks.gpus) + " GPUs of " + std::to_string(ranks.nodes) +
         (ranks.nodes == 1 ? " node" : " nodes");
}

}  // namespace

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
  }
}

RingFit AllReduceTable::fit_of(const std::string& topology, Placement ranks) const {
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
  if (!gpus.empty()) return fit_ring(gpus, bytes, seconds);
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
    const RingFit fit = fit_of(topology, ranks);
    return {{by_fit(fit, ranks.gpus, message.value)}, Basis::beyond_gpus, fit.relative_error};
  }
  const auto& [points, fit] = found->second;
  const double bytes = message.value;
  if (bytes < points.front().bytes || bytes > points.back().bytes) {
    const Point& nearest = bytes < points.front().bytes ? points.front() : points.back();
    const double ratio = by_fit(fit, ranks.gpus, bytes) / by_fit(fit, ranks.gpus, nearest.bytes);
    return {{nearest.seconds * ratio}, Basis::beyond_sizes, fit.relative_error};
  }
  const auto above = std::lower_bound(points.begin(), points.end(), bytes,
                                      [](const Point& point, double n) { return point.bytes < n; });
  if (above->bytes == bytes) return {{above->seconds}};
  const Point& below = *std::prev(above);
  const double part = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return {{below.seconds * std::pow(above->seconds / below.seconds, part)}};
}

}  // namespace dlscale::predict
