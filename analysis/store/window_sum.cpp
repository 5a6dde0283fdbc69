// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/window_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlscale::analysis {
namespace {

void add_to(double& total, double value) {
  if (!std::isnan(value)) total += value;
}

}  // namespace

std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

void WindowSum::add(const contract::StepWindow& window) {
  ++windows;
  end_step = std::max(end_step, capped_sum(window.first_step, window.steps));
  steps = capped_sum(steps, window.steps);
  samples = capped_sum(samples, window.samples);
  add_to(wall_s, window.wall_s);
  add_to(bytes_sent, window.bytes_sent);
  add_to(collectives, window.collectives);
  add_to(comm_busy_s, window.comm_busy_s.mean);
  for (std::size_t i = 0; i < parts_s.size(); ++i) add_to(parts_s[i], window.parts[i].mean);
}

const std::vector<std::string>& window_sum_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names{"windows", "end_step",   "steps",       "samples",
                                   "wall_s",  "bytes_sent", "collectives", "comm_busy_s"};
    for (const char* part : contract::kStepPartNames) names.push_back(fmt::format("{}_s", part));
    return names;
  }();
  return columns;
}

}  // namespace dlscale::analysis
