// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/clock_watch.hpp"

#include <fmt/format.h>

namespace dlscale::analysis {
namespace {

/// A time that falls below this share of the time before it begins a new sequence.
constexpr double kRestart = 0.5;
/// Number of rises without a fall that show a clock, although start-up may dominate the times.
constexpr int kManyRises = 10;
/// Number of rises that show a clock if the times grow by about the first time at each rise.
constexpr int kFewRises = 2;
constexpr double kGrowth = 0.7;  ///< smallest growth at each rise, in shares of the first time

}  // namespace

void ClockWatch::begin(double time_s) {
  first_s_ = time_s;
  rises_ = 0;
  ++starts_;
}

void ClockWatch::add(double time_s, int line) {
  if (line_ == 0) {
    line_ = line;
    begin(time_s);
  } else if (time_s > last_s_) {
    ++rises_;
    ++all_rises_;
  } else if (time_s < kRestart * last_s_) {
    begin(time_s);
  } else if (time_s < last_s_) {
    fluctuates_ = true;
  }
  last_s_ = time_s;
  has_grown_ = has_grown_ || grows_like_clock();
}

bool ClockWatch::grows_like_clock() const {
  return rises_ >= kManyRises ||
         (rises_ >= kFewRises && last_s_ >= first_s_ * (1 + kGrowth * rises_));
}

std::string ClockWatch::warning(const std::string& field) const {
  if (fluctuates_ || !has_grown_ || all_rises_ < kFewRises * starts_) return "";
  return fmt::format(
      "{0} rises from line to line like the time since the start of the program, but it counts as "
      "the time of each line alone. If the log prints the time since the start of the program or "
      "of the epoch, use the field elapsed_s instead of {0}",
      field);
}

}  // namespace dlscale::analysis
