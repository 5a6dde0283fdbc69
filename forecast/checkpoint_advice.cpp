// SPDX-License-Identifier: Apache-2.0
#include "forecast/checkpoint_advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/plan/plan.hpp"
#include "contract/records/result_record.hpp"
#include "forecast/study_prediction.hpp"
#include "predict/checkpoint_interval.hpp"
#include "workspace/runs/plan_folder.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

using predict::Seconds;

constexpr double kHour_s = 3600, kMinute_s = 60;

using ModelAndFramework = std::pair<std::string, std::string>;

/// Recorded times in seconds to write checkpoints, by model and framework style, then by GPU count.
using SaveTimes = std::map<ModelAndFramework, std::map<int, std::vector<double>>>;

void add_saves(const contract::RunDir& run, std::vector<double>& seconds) {
  for (const contract::LaunchDir& launch : run.launches()) {
    std::error_code unreadable;
    if (!fs::exists(launch.results(), unreadable)) continue;
    for (const auto& record : contract::parse_results(base::read_file(launch.results())).records) {
      const auto* const saved = std::get_if<contract::CheckpointRecord>(&record);
      if (saved != nullptr && saved->wall_s > 0) seconds.push_back(saved->wall_s);
    }
  }
}

/// Returns whether runs of a point can have one of the wanted pairs of model and framework style. A
/// point without an axis for the model or the framework style matches any value.
bool may_be_of(const std::set<ModelAndFramework>& wanted,
               const std::map<std::string, std::string>& point) {
  const auto may_be = [&](const char* axis, const std::string& value) {
    const auto said = point.find(axis);
    return said == point.end() || said->second == value;
  };
  return std::any_of(wanted.begin(), wanted.end(), [&](const ModelAndFramework& each) {
    return may_be("model", each.first) && may_be("framework", each.second);
  });
}

SaveTimes saves_in(const contract::PlanDir& folder, const std::set<ModelAndFramework>& wanted) {
  const contract::Plan plan = contract::read_plan(folder);
  contract::RunTables tables(plan, folder);
  SaveTimes times;
  for (const contract::PlannedRun& run : plan.runs) {
    if (!may_be_of(wanted, run.point)) continue;
    std::vector<double> seconds;
    add_saves(folder.run(run.run_id), seconds);
    if (seconds.empty()) continue;
    const contract::RunSpec spec = workspace::read_run(folder, tables, run.run_id);
    std::vector<double>& known = times[{spec.model, spec.framework}][run.gpus];
    known.insert(known.end(), seconds.begin(), seconds.end());
  }
  return times;
}

/// Time to write a checkpoint. The time is a number from the command line that applies to all runs,
/// or it comes from the records of other runs.
class TimeToSave {
 public:
  TimeToSave(const std::string& source, const std::set<ModelAndFramework>& wanted) {
    seconds_ = base::number_of<double>(source);
    if (seconds_ && (!std::isfinite(*seconds_) || *seconds_ <= 0)) {
      throw base::UsageError(
          fmt::format("--checkpoint-write {}: expected seconds above 0", source));
    }
    std::error_code unreadable;
    if (!seconds_ && !fs::is_directory(source, unreadable)) {
      throw base::UsageError(fmt::format(
          "--checkpoint-write {}: must be a number of seconds or a plan folder", source));
    }
    if (!seconds_) recorded_ = saves_in(contract::PlanDir(fs::path(source)), wanted);
  }

  /// Returns the time from the command line, or the median of the times recorded on the GPU count
  /// nearest to `gpus`. Returns nothing if neither exists.
  std::optional<Seconds> of(const contract::RunSpec& run, int gpus) const {
    if (seconds_) return Seconds{*seconds_};
    const auto found = recorded_.find({run.model, run.framework});
    if (found == recorded_.end()) return std::nullopt;
    const auto distance = [&](const auto& group) {
      return std::abs(std::log(static_cast<double>(group.first) / gpus));
    };
    const auto nearest =
        std::min_element(found->second.begin(), found->second.end(),
                         [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    return Seconds{analysis::median(nearest->second)};
  }

 private:
  std::optional<double> seconds_;  ///< time from the command line; empty if not given
  SaveTimes recorded_;
};

std::string setting_words(const contract::CheckpointSpec& setting) {
  std::string text;
  if (setting.every_epochs == 1) text = "every epoch";
  if (setting.every_epochs > 1) text = fmt::format("every {} epochs", setting.every_epochs);
  if (setting.every_minutes > 0) {
    text += fmt::format("{} {:g} min", text.empty() ? "every" : " and", setting.every_minutes);
  }
  return text.empty() ? "never" : text;
}

/// Returns the planned training time between two checkpoints. If the study does not save
/// checkpoints, returns the training time of the whole run.
Seconds planned_interval(const contract::CheckpointSpec& setting, Seconds epoch, Seconds work) {
  Seconds interval = work;
  if (setting.every_epochs > 0) interval = std::min(interval, epoch * setting.every_epochs);
  if (setting.every_minutes > 0) {
    interval = std::min(interval, Seconds{setting.every_minutes * kMinute_s});
  }
  return interval;
}

/// Applies `derived` to a predicted time. Returns the result for the predicted value and the bounds
/// of the results for the ends of its band.
template <class Derived>
std::vector<analysis::Cell> value_and_bounds(const predict::Band& time, const Derived& derived) {
  const double at_low = derived(time.low), at_high = derived(time.high);
  return {derived(time.value),
          analysis::Bounds{std::min(at_low, at_high), std::max(at_low, at_high)}};
}

/// Returns the cells of a row that follow the cells that identify the curve. If the number of
/// samples in an epoch is unknown, the cells for epochs and lost time are empty.
std::vector<analysis::Cell> advice_cells(const PredictedCurve& curve,
                                         const predict::CurvePoint& point, Seconds write,
                                         Seconds node_mtbf) {
  const Seconds between = node_mtbf / point.ranks.nodes;
  const Seconds best = predict::daly_interval(write, between);
  std::vector<analysis::Cell> epochs(2), lost(2), lost_now(2);
  if (curve.samples > 0) {
    // Length of the run in epochs.
    const double length = point.run_s.value / point.epoch_s.value;
    const auto work = [&](double epoch_s) { return Seconds{epoch_s} * length; };
    epochs = value_and_bounds(point.epoch_s, [&](double epoch_s) { return best.value / epoch_s; });
    lost = value_and_bounds(point.epoch_s, [&](double epoch_s) {
      return predict::checkpoint_loss(work(epoch_s), best, write, between);
    });
    lost_now = value_and_bounds(point.epoch_s, [&](double epoch_s) {
      const Seconds now = planned_interval(curve.first.checkpoint, Seconds{epoch_s}, work(epoch_s));
      return predict::checkpoint_loss(work(epoch_s), now, write, between);
    });
  }
  const auto steps =
      value_and_bounds(point.step_s, [&](double step_s) { return best.value / step_s; });
  return {static_cast<double>(point.ranks.gpus),
          static_cast<double>(point.ranks.nodes),
          between.value,
          write.value,
          predict::young_interval(write, between).value,
          best.value,
          steps[0],
          steps[1],
          epochs[0],
          epochs[1],
          lost[0],
          lost[1],
          setting_words(curve.first.checkpoint),
          lost_now[0],
          lost_now[1]};
}

std::vector<std::string> notes_of(const CheckpointQuestion& question) {
  return {
      fmt::format("a node fails at random, every {:g} hours on average; a run on N nodes fails N "
                  "times as often",
                  question.node_mtbf_h),
      "lost: share of the time spent on saving and on repeating work that was not saved, without "
      "the time of a restart, which does not depend on the interval; if the interval is longer "
      "than the run, saving does not pay off, and lost is the loss without saving",
      "the ranges in the columns steps, epochs and lost follow from the band of the predicted "
      "times"};
}

const std::vector<analysis::Column> kAdviceColumns{
    {"gpus", "GPUs"},
    {"nodes", "nodes"},
    {"mtbf_s", "between failures", "h", 1, 1 / kHour_s},
    {"write_s", "to save", "s", 1},
    {"young_s", "interval by Young", "min", 1, 1 / kMinute_s},
    {"daly_s", "interval by Daly", "min", 1, 1 / kMinute_s},
    {"steps", "steps"},
    {"steps_bounds", "steps, low to high", "", 0, 1, true},
    {"epochs", "epochs", "", 2},
    {"epochs_bounds", "epochs, low to high", "", 2, 1, true},
    {"lost", "lost", "%", 2, 100},
    {"lost_bounds", "lost, low to high", "%", 2, 100, true},
    {"setting", "the study saves"},
    {"setting_lost", "lost with this setting", "%", 2, 100},
    {"setting_lost_bounds", "lost with this setting, low to high", "%", 2, 100, true}};

}  // namespace

analysis::Table checkpoint_table(const StudyPrediction& study, const CheckpointQuestion& question) {
  if (question.write.empty()) {
    throw base::UsageError(
        "--mtbf: the time to save the state of a run is unknown: add --checkpoint-write SECONDS, "
        "or --checkpoint-write FOLDER with a plan folder whose runs have saved their state");
  }
  std::set<ModelAndFramework> wanted;
  for (const PredictedCurve& curve : study.curves) {
    wanted.emplace(curve.first.model, curve.first.framework);
  }
  const TimeToSave to_save(question.write, wanted);
  analysis::Table table = curves_table(study, "checkpoints", "Checkpoints");
  table.notes = notes_of(question);
  table.columns.insert(table.columns.end(), kAdviceColumns.begin(), kAdviceColumns.end());
  std::set<std::string> without;
  for (const PredictedCurve& curve : study.curves) {
    for (const predict::CurvePoint& point : curve.over_gpus) {
      const auto write = to_save.of(curve.first, point.ranks.gpus);
      if (!write) {
        without.insert(curve.first.model + " with " + curve.first.framework);
        break;
      }
      std::vector<analysis::Cell> row = beginning(study, curve);
      const auto rest = advice_cells(curve, point, *write, Seconds{question.node_mtbf_h * kHour_s});
      row.insert(row.end(), rest.begin(), rest.end());
      table.rows.push_back(std::move(row));
    }
  }
  for (const std::string& runs : without) {
    table.notes.push_back(
        fmt::format("no run of {} in {} has saved its state: no advice", runs, question.write));
  }
  if (!table.rows.empty()) return table;
  throw base::UsageError(
      fmt::format("--checkpoint-write {}: contains no run of {} that has saved its state",
                  question.write, fmt::join(without, ", ")));
}

}  // namespace dlscale::forecast
