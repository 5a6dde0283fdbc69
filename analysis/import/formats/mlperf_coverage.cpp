// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/mlperf_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlscale::analysis {
namespace {

/// Maximum ratio of the rate of one window to the rate of all windows. This limit is above 2.3, the
/// largest ratio in published results (v0.6 to v5.1) with correct windows.
constexpr double kFastest = 2.5;
/// Maximum time that is neither training nor evaluation, as a multiple of the time of the windows.
constexpr double kMostIdle = 1;
/// Minimum time of all windows, as a fraction of the time from the first to the last window, which
/// includes evaluations.
constexpr double kLeastTrained = 0.05;
/// Maximum time in which windows overlap, as a fraction of the time of the windows. Small overlaps
/// occur because clocks have a limited resolution.
constexpr double kMostOverlap = 0.02;

/// Returns the number of seconds that lie in at least one of the spans.
double united_seconds(std::vector<TimeSpan> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.begin_s < b.begin_s; });
  double seconds = 0, until_s = spans.empty() ? 0 : spans.front().begin_s;
  for (const TimeSpan& span : spans) {
    if (span.end_s <= until_s) continue;
    seconds += span.end_s - std::max(span.begin_s, until_s);
    until_s = span.end_s;
  }
  return seconds;
}

}  // namespace

void MlperfCoverage::add_window(const std::vector<TimeSpan>& parts, double samples, bool warmup,
                                int line) {
  double wall_s = 0;
  for (const TimeSpan& part : parts) {
    trained_.push_back(part);
    wall_s += part.seconds();
  }
  if (!warmup) windows_.push_back({samples, wall_s, line});
}

void MlperfCoverage::leave_out(const TimeSpan& span) {
  accounted_.push_back(span);
  last_end_s_ = span.end_s;
}

/// Starts a period. If the log has no line for the end of an evaluation, the evaluation lasts at
/// most until the next period starts.
void MlperfCoverage::period_starts(double time_s) {
  for (const double begin_s : running_evaluations_) accounted_.push_back({begin_s, time_s});
}

void MlperfCoverage::evaluation_starts(double time_s) {
  has_evaluation_starts_ = true;
  running_evaluations_.push_back(time_s);
}

void MlperfCoverage::evaluation_stops(double time_s) {
  if (running_evaluations_.empty()) return;  // repeated line of another rank
  accounted_.push_back({running_evaluations_.front(), time_s});
  running_evaluations_.pop_front();
}

void MlperfCoverage::evaluated(double time_s) {
  if (!has_evaluation_starts_ && last_end_s_) accounted_.push_back({*last_end_s_, time_s});
}

std::optional<std::string> MlperfCoverage::contradiction() const {
  if (trained_.empty()) return std::nullopt;
  if (auto reason = too_little_time()) return reason;
  return too_fast_window();
}

std::optional<std::string> MlperfCoverage::too_little_time() const {
  double begin_s = trained_.front().begin_s, end_s = trained_.front().end_s, wall_s = 0;
  for (const TimeSpan& span : trained_) {
    begin_s = std::min(begin_s, span.begin_s);
    end_s = std::max(end_s, span.end_s);
    wall_s += span.seconds();
  }
  const double all_s = end_s - begin_s;
  const double trained_s = united_seconds(trained_);
  if (wall_s > (1 + kMostOverlap) * trained_s) {
    return fmt::format(
        "the epochs or blocks overlap: their times add up to {:.6g} s, but together they cover "
        "only {:.6g} s",
        wall_s, trained_s);
  }
  std::vector<TimeSpan> known = trained_;
  for (const TimeSpan& span : accounted_) {
    known.push_back({std::clamp(span.begin_s, begin_s, end_s),  //
                     std::clamp(span.end_s, begin_s, end_s)});
  }
  const double idle_s = all_s - united_seconds(known);
  if (idle_s <= kMostIdle * wall_s && wall_s >= kLeastTrained * all_s) return std::nullopt;
  return fmt::format(
      "the epochs or blocks last {:.6g} s of the {:.6g} s between the first and the last of them, "
      "and {:.6g} s are neither training nor evaluation: these lines do not cover the whole "
      "training",
      wall_s, all_s, idle_s);
}

std::optional<std::string> MlperfCoverage::too_fast_window() const {
  double samples = 0, wall_s = 0;
  const Window* fastest = nullptr;
  for (const Window& window : windows_) {
    samples += window.samples;
    wall_s += window.wall_s;
    if (fastest == nullptr || window.samples * fastest->wall_s > fastest->samples * window.wall_s) {
      fastest = &window;
    }
  }
  if (fastest == nullptr) return std::nullopt;
  const double rate = samples / wall_s, highest = fastest->samples / fastest->wall_s;
  if (highest <= kFastest * rate) return std::nullopt;
  return fmt::format(
      "the epoch or block that ends in line {} gives {:.6g} samples/s, {:.3g} times the {:.6g} "
      "samples/s of the whole training: these lines do not cover the whole training",
      fastest->line, highest, highest / rate, rate);
}

}  // namespace dlscale::analysis
