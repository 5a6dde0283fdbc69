// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace dlscale::analysis {
namespace {

/// Returns the share of the samples processed in an epoch that are repetitions. A negative result
/// is the share of the training set that an epoch leaves out.
double uneven_share(const RunRow& run) {
  const auto samples = static_cast<double>(run.size.train_samples);
  if (samples <= 0) return 0;
  const auto padded = static_cast<double>(run.size.padded_samples);
  if (padded > 0) return padded / (samples + padded);
  return -static_cast<double>(run.size.dropped_samples) / samples;
}

std::string at_counts(const std::map<int, double>& shares) {
  std::vector<std::string> parts;
  for (const auto& [gpus, share] : shares) {
    parts.push_back(fmt::format("{:.1f} % at gpus={}", 100 * std::abs(share), gpus));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string caution_of_single_runs(const std::vector<ScalingCurve>& curves) {
  std::set<int> single;
  std::size_t repeated = 0;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      if (point.repeats.size() > 1) ++repeated;
      if (point.repeats.size() == 1) single.insert(point.gpus);
    }
  }
  if (single.empty() || repeated == 0) return "";
  return fmt::format(
      "warning: single runs at gpus={}: their results may be due to chance and support no "
      "conclusion",
      fmt::join(single, ", "));
}

std::string caution_of_unrepeated(const std::vector<ScalingCurve>& curves) {
  if (repeats_of(curves).most != 1) return "";
  return "warning: no configuration was repeated (n = 1): differences may be due to chance";
}

std::string caution_of_uneven_epochs(const std::vector<ScalingCurve>& curves) {
  std::map<int, double> padded, dropped;  // largest share of samples, by GPU count
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      for (const RunRow* run : point.repeats) {
        const double share = uneven_share(*run);
        if (std::abs(share) < kUnevenEpoch) continue;
        double& largest = (share > 0 ? padded : dropped)[point.gpus];
        if (std::abs(share) > std::abs(largest)) largest = share;
      }
    }
  }
  std::string text;
  if (!padded.empty()) {
    text =
        fmt::format("samples used twice to fill the last batch of an epoch: {}", at_counts(padded));
  }
  if (!dropped.empty()) {
    text += fmt::format("{}samples of the training set missing in each epoch: {}",
                        text.empty() ? "" : "; ", at_counts(dropped));
  }
  if (text.empty()) return "";
  return "warning: " + text + ". Epoch times are therefore for different amounts of work";
}

std::string caution_of_closure(const std::vector<Breakdown>& breakdowns) {
  constexpr std::size_t kMostShown = 4;
  std::vector<CurveKey> keys;
  for (const Breakdown& one : breakdowns) keys.push_back(one.key);
  const std::vector<std::string> axes = varying_axes(keys);
  std::vector<std::string> open;
  for (const Breakdown& one : breakdowns) {
    if (std::abs(one.closure - 1) <= kUnexplained) continue;
    open.push_back(fmt::format("{:.1f} % at {}, gpus={}", 100 * one.closure,
                               name_among(one.key, axes), one.gpus));
  }
  if (open.empty()) return "";
  const std::size_t more = open.size() - std::min(open.size(), kMostShown);
  open.resize(open.size() - more);
  return fmt::format(
      "warning: the parts do not add up to the wall time (ranks drift apart, or "
      "something was not timed): {}{}",
      fmt::join(open, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

std::string describe_untold_parts(const std::vector<Breakdown>& breakdowns) {
  std::vector<std::string> nowhere;
  std::vector<std::string> somewhere;
  for (std::size_t i = 0; i < contract::kStepParts; ++i) {
    const auto untold = std::count_if(breakdowns.begin(), breakdowns.end(),
                                      [&](const Breakdown& one) { return !one.reported[i]; });
    if (untold == 0) continue;
    const bool all = static_cast<std::size_t>(untold) == breakdowns.size();
    (all ? nowhere : somewhere).emplace_back(contract::kStepPartNames[i]);
  }
  std::vector<std::string> parts;
  if (!nowhere.empty()) parts.push_back(fmt::format("{}", fmt::join(nowhere, ", ")));
  if (!somewhere.empty()) {
    parts.push_back(fmt::format("at some points {}", fmt::join(somewhere, ", ")));
  }
  if (parts.empty()) return "";
  return fmt::format("not recorded (unknown, not 0): {}; their time is included in other",
                     fmt::join(parts, "; "));
}

void add_cautions(std::vector<std::string>& notes, const std::vector<ScalingCurve>& curves) {
  for (const std::string& text :
       {caution_of_single_runs(curves), caution_of_uneven_epochs(curves)}) {
    if (!text.empty()) notes.push_back(text);
  }
}

}  // namespace dlscale::analysis
