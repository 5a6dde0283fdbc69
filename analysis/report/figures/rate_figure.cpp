// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/rate_figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/report/figures/legend.hpp"
#include "base/text.hpp"
#include "contract/run_spec/learning_rate.hpp"
#include "contract/run_spec/vocabulary.hpp"

namespace dlscale::analysis {
namespace {

using contract::LrScheduleSpec;
using contract::RunSpec;

// Approximate largest number of points of a line. Readers cannot distinguish more.
constexpr std::int64_t kMostPoints = 1000;
// Assumed number of steps of an epoch of unknown length.
constexpr std::int64_t kStepsOfUnknown = 100;

/// Returns whether the learning rate of the run is known as a function of epochs.
bool has_rate(const RatedRun& rated) {
  const RunSpec& run = rated.run;
  const bool has_length = run.epochs > 0 || (run.steps > 0 && rated.steps_per_epoch);
  return has_length && !run.lr.scale.empty() && !run.lr_schedule.kind.empty();
}

std::string rate_number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string warmup_text(const RunSpec& run) {
  if (run.warmup_epochs == 0) return "no warm-up";
  return fmt::format("warm-up of {} epochs from {}{}", rate_number(run.warmup_epochs),
                     run.lr.warmup_from == "zero" ? "0" : rate_number(run.lr.base),
                     run.lr.warmup_update == "epoch" ? ", by epochs" : "");
}

/// Returns a text with the parameters that this kind of learning-rate schedule uses. Parameters
/// that it ignores are left out.
std::string options_text(const LrScheduleSpec& schedule) {
  const std::string& kind = schedule.kind;
  if (kind == "constant") return "";
  std::string text = fmt::format("each {} from {}", schedule.update, schedule.origin);
  const auto add = [&](const char* name, double value) {
    text += fmt::format(" {}={}", name, rate_number(value));
  };
  // The schedule of an extension may use all parameters.
  const bool any = contract::is_from_extension("lr_schedule", kind);
  if (any || kind == "exponential") add("gamma", schedule.gamma);
  if (any || kind == "polynomial") add("power", schedule.power);
  if (any || kind == "cosine" || kind == "polynomial") {
    add("lr_min", schedule.lr_min);
    add("t_max_epochs", schedule.t_max_epochs);
  }
  if (any || kind == "step" || kind == "multistep") {
    add("factor", schedule.factor);
    add("every_epochs", schedule.every_epochs);
    text += fmt::format(" milestones={}", fmt::join(schedule.milestones, "/"));
  }
  return text;
}

/// Returns the settings that determine the learning-rate curve of a run, as a key from which the
/// legend makes labels.
CurveKey key_of(const RunSpec& run) {
  return {{"lr_schedule", run.lr_schedule.kind},
          {"peak", rate_number(run.lr.peak)},
          {"warm-up", warmup_text(run)},
          {run.steps > 0 ? "steps" : "epochs",
           std::to_string(std::max<std::int64_t>(run.epochs, run.steps))},
          {"parameters", options_text(run.lr_schedule)}};
}

/// Removes the schedule parameters from the keys of each kind of schedule for which all keys have
/// the same parameters. Such parameters do not distinguish curves and would make labels longer.
void shorten(std::vector<CurveKey>& keys) {
  std::map<std::string, std::set<std::string>> seen;  // parameters by kind of schedule
  for (const CurveKey& key : keys) seen[key.front().value].insert(key.back().value);
  for (CurveKey& key : keys) {
    if (seen[key.front().value].size() == 1) key.back().value.clear();
  }
}

std::vector<FigurePoint> rate_points_of(const RatedRun& rated) {
  const std::int64_t steps = rated.steps_per_epoch.value_or(kStepsOfUnknown);
  const contract::LearningRateCurve curve(rated.run, steps);
  const std::int64_t last = contract::run_steps(rated.run, steps) - 1;
  const std::int64_t stride = last / kMostPoints + 1;
  std::vector<FigurePoint> points;
  const auto add = [&](std::int64_t step) {
    const double epoch = static_cast<double>(step) / static_cast<double>(steps);
    points.push_back({epoch, curve.at_step(step), {}});
  };
  for (std::int64_t step = 0; step < last; step += stride) add(step);
  add(last);
  return points;
}

}  // namespace

Figure rate_figure(const std::string& study, const std::vector<RatedRun>& runs) {
  std::vector<CurveKey> keys;
  std::vector<const RatedRun*> of;  // one run for each key
  bool guessed = false;
  for (const RatedRun& rated : runs) {
    if (!has_rate(rated)) continue;
    CurveKey key = key_of(rated.run);
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    keys.push_back(std::move(key));
    of.push_back(&rated);
    guessed |= !rated.steps_per_epoch;
  }
  shorten(keys);
  Legend legend(keys, "GPU");
  Figure figure;
  figure.title = fmt::format("Learning rates of {}", study);
  figure.subtitle =
      fmt::format("planned value at each optimizer step; {} for {}",
                  keys.size() == 1 ? "one curve" : fmt::format("{} curves", keys.size()),
                  base::count_of(runs.size(), "point"));
  if (guessed) {
    figure.notes.push_back(fmt::format(
        "the number of samples is unknown: drawn as if an epoch had {} steps", kStepsOfUnknown));
  }
  figure.x = {"epoch", "epoch", 0, false, false};
  figure.y = {"learning_rate", "learning rate", 0, true};
  figure.legend_title = legend.title();
  figure.marks = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Series series = legend.series(keys[i]);
    if (keys.size() == 1) series.label = value_of(keys[i], "lr_schedule");
    series.points = rate_points_of(*of[i]);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace dlscale::analysis
