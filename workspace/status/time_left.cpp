// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/time_left.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "contract/run_spec/run_id.hpp"

namespace dlscale::workspace {
namespace {

using runner::JobState;

/// Completed share of a run from which its total time is estimated. The first steps are too slow
/// for an estimate.
constexpr double kTellingShare = 0.02;

struct Mean {
  double sum = 0;
  int n = 0;
  void add(double value) {
    sum += value;
    ++n;
  }
  std::optional<double> value() const { return n > 0 ? std::optional(sum / n) : std::nullopt; }
};

/// Returns the total time of a run in seconds, if the run is completed or far enough for an
/// estimate.
std::optional<double> whole_s(const ShownRun& shown) {
  const RunProgress& progress = shown.progress;
  if (!progress.elapsed_s) return std::nullopt;
  if (shown.state == JobState::Done) return progress.elapsed_s;
  if (shown.state != JobState::Running || progress.share < kTellingShare) return std::nullopt;
  return *progress.elapsed_s / progress.share;
}

class Expectation {
 public:
  explicit Expectation(const std::vector<ShownRun>& runs) {
    for (const ShownRun& shown : runs) {
      const auto whole = whole_s(shown);
      if (!whole) continue;
      points_[contract::point_id(shown.run->run_id)].add(*whole);
      all_.add(*whole);
      if (shown.run->predicted_s > 0) ratio_.add(*whole / shown.run->predicted_s);
    }
  }
  std::optional<double> of(const ShownRun& shown) const {
    const auto point = points_.find(contract::point_id(shown.run->run_id));
    if (point != points_.end()) return point->second.value();
    if (shown.run->predicted_s > 0 && ratio_.value()) {
      return shown.run->predicted_s * *ratio_.value();
    }
    return all_.value();
  }

 private:
  std::map<std::string, Mean> points_;
  Mean all_, ratio_;
};

}  // namespace

std::optional<double> time_left(const std::vector<ShownRun>& runs) {
  const Expectation expectation(runs);
  int running = 0;
  double all_s = 0, longest_s = 0;
  for (const ShownRun& shown : runs) {
    if (runner::has_ended(shown.state)) continue;
    const auto whole = whole_s(shown) ? whole_s(shown) : expectation.of(shown);
    if (!whole) return std::nullopt;
    double rest_s = *whole;
    if (shown.state == JobState::Running) {
      ++running;
      rest_s = std::max(*whole - shown.progress.elapsed_s.value_or(0), 0.0);
      longest_s = std::max(longest_s, rest_s);
    }
    all_s += rest_s;
  }
  if (running == 0) return std::nullopt;
  return std::max(longest_s, all_s / running);
}

double share_done(const std::vector<ShownRun>& runs) {
  double done = 0;
  int all = 0;
  for (const ShownRun& shown : runs) {
    if (shown.state == JobState::NotNeeded) continue;
    ++all;
    done += runner::has_ended(shown.state) ? 1 : shown.progress.share;
  }
  return all == 0 ? 1 : done / all;
}

bool all_ended(const std::vector<ShownRun>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const ShownRun& shown) { return runner::has_ended(shown.state); });
}

}  // namespace dlscale::workspace
