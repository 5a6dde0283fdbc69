// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/frame_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "analysis/import/imported_plan.hpp"
#include "analysis/store/foreign_rows.hpp"
#include "analysis/store/launch_chain.hpp"
#include "analysis/store/reading/prediction_reader.hpp"
#include "analysis/store/reading/rank_reader.hpp"
#include "analysis/store/reading/step_reader.hpp"
#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/store.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/software_record.hpp"

namespace dlscale::analysis {
namespace {

/// Names of the environment entries of a launch (machine and software) that can change a run's
/// speed. Runs are compared only if these entries are equal.
const std::set<std::string> kComparedEnvironment{
    "cpu",   "gpu",         "torch",       "cuda", "nccl",   "mpi",      "build_type", "sanitizer",
    "timed", "cpu_kernels", "gpu_kernels", "code", "python", "packages", "modules",    "driver"};

/// Returns true if the table has rows. Most studies leave some tables empty. FrameReader checks
/// this once, so that it need not query empty tables for each run.
bool has_rows(SQLite::Database& database, const char* table) {
  return database.execAndGet(fmt::format("SELECT EXISTS (SELECT 1 FROM {})", table)).getInt() != 0;
}

class FrameReader {
 public:
  FrameReader(SQLite::Database& database, WarmUp warmup)
      : has_ranks_(has_rows(database, "rank_times")),
        has_metrics_(has_rows(database, "eval_metric")),
        has_targets_(has_rows(database, "target")),
        has_inference_(has_rows(database, "inference")),
        has_profiles_(has_rows(database, "profile")),
        ranks_(database),
        foreign_(database),
        axes_(database, "SELECT name, value FROM run_axis WHERE run_id = ?"),
        environment_(database,
                     "SELECT name, value FROM environment WHERE run_id = ? AND launch = ?"),
        launch_(database,
                "SELECT trainer_version, nodes, trainable_parameters, train_samples, "
                "steps_per_epoch, padded_samples, dropped_samples FROM launch "
                "WHERE run_id = ? AND launch = ?"),
        steps_(database, warmup),
        chains_(database),
        epochs_(database, epoch_query("epoch", "wall_s, train_loss, lr, steps, samples, correct")),
        evals_(database, epoch_query("eval",
                                     "accuracy, loss, wall_s, samples, rank_loss, rank_accuracy, "
                                     "rank_wall_s")),
        metrics_(database,
                 "SELECT name, value FROM eval_metric JOIN eval USING (run_id, launch, line) "
                 "WHERE run_id = ?1 AND launch = ?2 AND coalesce(epoch, -1) = ?3"),
        train_accuracies_(database,
                          "SELECT epoch, value FROM eval_metric JOIN eval "
                          "USING (run_id, launch, line) WHERE run_id = ?1 AND launch = ?2 "
                          "AND name = 'train_accuracy' AND epoch IS NOT NULL"),
        profiles_(database,
                  "SELECT epoch, steps, wall_s, kernel_s, communication, io, computation, other, "
                  "cpu_occupancy FROM profile WHERE run_id = ? AND launch = ? ORDER BY line"),
        targets_(database,
                 "SELECT metric, threshold, epoch, train_s, samples, step FROM target "
                 "WHERE run_id = ?1 AND launch = ?2 AND step <= ?3 ORDER BY line"),
        inference_(database,
                   "SELECT batch, latency_p50_s, latency_p90_s, samples_per_s, compute_p50_s, "
                   "communication_p50_s FROM inference "
                   "WHERE run_id = ? AND launch = ? ORDER BY line"),
        runs_(database,
              "SELECT run_id, repetition, outcome, gpus, nodes, batch_per_gpu, global_batch, "
              "lr_peak, result_launch, framework, model, loader, dataset, precision, "
              "compression, device, cores_per_rank, stop_rule FROM run WHERE plan_position IS NOT "
              "NULL ORDER BY plan_position") {}

  std::vector<RunRow> runs() {
    std::vector<RunRow> rows;
    while (runs_.executeStep()) rows.push_back(row());
    return rows;
  }

 private:
  RunRow row() {
    RunRow run;
    run.run_id = runs_.getColumn(0).getString();
    run.repetition = runs_.getColumn(1);
    run.outcome = runs_.getColumn(2).getString();
    run.gpus = runs_.getColumn(3);
    run.nodes = runs_.getColumn(4);
    run.batch_per_gpu = runs_.getColumn(5);
    run.global_batch = runs_.getColumn(6);
    run.lr_peak = runs_.getColumn(7);
    for (int i = 9; i < runs_.getColumnCount(); ++i) {
      // The value is empty if the run is unreadable or if the run does not record the value.
      const std::string value = runs_.getColumn(i);
      if (!value.empty()) run.conditions[runs_.getColumnName(i)] = value;
    }
    each(axes_, run.run_id, std::nullopt,
         [&] { run.point[axes_.getColumn(0)] = axes_.getColumn(1).getString(); });
    if (has_ranks_) run.ranks = ranks_.launches_of(run.run_id);
    foreign_.read(run);
    if (!runs_.getColumn(8).isNull()) read_launch(run, runs_.getColumn(8));
    run.has_records = !completed(run) || has_measurements(run);
    return run;
  }

  void read_launch(RunRow& run, int launch) {
    each(launch_, run.run_id, launch, [&] {
      if (!launch_.getColumn(1).isNull()) run.nodes = launch_.getColumn(1);
      const std::string trainer = launch_.getColumn(0);  // empty for third-party logs
      if (!trainer.empty()) run.conditions["trainer"] = trainer;
      run.size = {launch_.getColumn(2), launch_.getColumn(3), launch_.getColumn(4),
                  launch_.getColumn(5), launch_.getColumn(6)};
    });
    const std::vector<LaunchLink> chain = chains_.chain_to(run.run_id, launch);
    run.spent.launches = static_cast<int>(chain.size());
    for (const LaunchLink& link : chain) read_environment(run, link.launch);
    steps_.read(run, chain);
    for (const LaunchLink& link : chain) {
      add_rows(run.epochs, epochs_, run.run_id, link, [&] { return epoch_row(); });
      add_rows(run.evals, evals_, run.run_id, link, [&] { return eval_row(); });
    }
    for (const LaunchLink& link : chain) read_findings(run, link);
    if (!has_inference_) return;
    each(inference_, run.run_id, launch, [&] {
      const auto part = [this](int column) {
        return inference_.isColumnNull(column)
                   ? std::nullopt
                   : std::optional(inference_.getColumn(column).getDouble());
      };
      run.inference.push_back({inference_.getColumn(0), inference_.getColumn(1),
                               inference_.getColumn(2), inference_.getColumn(3), part(4), part(5)});
    });
  }

  /// Reads the metrics of the last evaluation, the training accuracies, the profiles, and the
  /// targets that no earlier launch had reached.
  void read_findings(RunRow& run, const LaunchLink& link) {
    if (has_metrics_) {
      metrics_.reset();
      metrics_.bind(3, run.evals.empty() ? -2 : run.evals.back().epoch);
      each(metrics_, run.run_id, link.launch,
           [&] { run.metrics[metrics_.getColumn(0)] = number_or_nan(metrics_.getColumn(1)); });
      read_train_accuracies(run, link);
    }
    if (has_profiles_) {
      each(profiles_, run.run_id, link.launch, [&] { run.profiles.push_back(profile_row()); });
    }
    if (!has_targets_) return;
    targets_.reset();
    targets_.bind(3, link.until);
    each(targets_, run.run_id, link.launch, [&] {
      const std::string metric = targets_.getColumn(0);
      const bool known = std::any_of(run.targets.begin(), run.targets.end(),
                                     [&](const TargetRow& row) { return row.metric == metric; });
      if (known) return;
      run.targets.push_back({metric, targets_.getColumn(1), targets_.getColumn(2),
                             targets_.getColumn(3), targets_.getColumn(4), targets_.getColumn(5)});
    });
  }

  /// Adds the environment of a launch to the run's conditions. If launches of a run differ in an
  /// entry, the condition contains both values, joined by " and ".
  void read_environment(RunRow& run, int launch) {
    each(environment_, run.run_id, launch, [&] {
      const std::string name = environment_.getColumn(0);
      const std::string value = environment_.getColumn(1);
      if (name == "task") run.task = value;
      if (!kComparedEnvironment.contains(name) || value.empty()) return;
      std::string& known = run.conditions[name];
      if (known.empty()) {
        known = value;
      } else if (known.find(value) == std::string::npos) {
        known += " and " + value;
      }
    });
  }

  /// Adds the epoch rows of a launch to `rows`. `make()` creates a row from the current row of
  /// `query`. Rows of earlier launches for the first epoch of this launch and later epochs are
  /// removed, because this launch repeated these epochs.
  template <class Row, class Make>
  void add_rows(std::vector<Row>& rows, SQLite::Statement& query, const std::string& run_id,
                const LaunchLink& link, Make make) {
    std::vector<Row> own;
    query.reset();
    query.bind(3, link.until);
    each(query, run_id, link.launch, [&] { own.push_back(make()); });
    if (own.empty()) return;
    std::erase_if(rows, [&](const Row& row) { return row.epoch >= own.front().epoch; });
    rows.insert(rows.end(), own.begin(), own.end());
  }

  EpochRow epoch_row() {
    EpochRow row{epochs_.getColumn(0),
                 number_or_nan(epochs_.getColumn(1)),
                 number_or_nan(epochs_.getColumn(2)),
                 number_or_nan(epochs_.getColumn(3)),
                 epochs_.getColumn(4),
                 epochs_.getColumn(5)};
    const auto correct = optional_number(epochs_.getColumn(6));
    if (correct && row.samples > 0) {
      row.train_accuracy = *correct / static_cast<double>(row.samples);
    }
    return row;
  }

  EvalRow eval_row() {
    return {evals_.getColumn(0),
            number_or_nan(evals_.getColumn(1)),
            number_or_nan(evals_.getColumn(2)),
            number_or_nan(evals_.getColumn(3)),
            evals_.getColumn(4),
            numbers_in(evals_.getColumn(5)),
            numbers_in(evals_.getColumn(6)),
            numbers_in(evals_.getColumn(7))};
  }

  ProfileRow profile_row() {
    return {profiles_.getColumn(0),
            profiles_.getColumn(1),
            number_or_nan(profiles_.getColumn(2)),
            number_or_nan(profiles_.getColumn(3)),
            number_or_nan(profiles_.getColumn(4)),
            number_or_nan(profiles_.getColumn(5)),
            number_or_nan(profiles_.getColumn(6)),
            number_or_nan(profiles_.getColumn(7)),
            number_or_nan(profiles_.getColumn(8))};
  }

  /// Adds the training accuracy of epochs that only an evaluation of the same epoch recorded, as
  /// in logs of other programs.
  void read_train_accuracies(RunRow& run, const LaunchLink& link) {
    each(train_accuracies_, run.run_id, link.launch, [&] {
      const int at = train_accuracies_.getColumn(0);
      const auto epoch = std::ranges::find(run.epochs, at, &EpochRow::epoch);
      if (epoch != run.epochs.end() && !epoch->train_accuracy) {
        epoch->train_accuracy = optional_number(train_accuracies_.getColumn(1));
      }
    });
  }

  /// Returns a query for the rows of a launch whose epoch ended at or before step ?3. The epoch is
  /// -1 (kUnknownEpoch) for an evaluation whose epoch the log omits.
  static std::string epoch_query(const char* table, const char* columns) {
    return fmt::format(
        "SELECT coalesce(epoch, -1), {1} FROM {0} JOIN launch USING (run_id, launch) "
        "WHERE run_id = ?1 AND launch = ?2 "
        "AND (coalesce(epoch, -1) + 1) * coalesce(steps_per_epoch, 0) <= ?3 ORDER BY line",
        table, columns);
  }

  template <class Row>
  static void each(SQLite::Statement& query, const std::string& run_id, std::optional<int> launch,
                   Row row) {
    query.reset();
    query.bind(1, run_id);
    if (launch) query.bind(2, *launch);
    while (query.executeStep()) row();
  }

  const bool has_ranks_, has_metrics_, has_targets_, has_inference_, has_profiles_;
  RankReader ranks_;
  ForeignReader foreign_;
  SQLite::Statement axes_;
  SQLite::Statement environment_;
  SQLite::Statement launch_;
  StepReader steps_;
  LaunchChains chains_;
  SQLite::Statement epochs_;
  SQLite::Statement evals_;
  SQLite::Statement metrics_;
  SQLite::Statement train_accuracies_;
  SQLite::Statement profiles_;
  SQLite::Statement targets_;
  SQLite::Statement inference_;
  SQLite::Statement runs_;
};

std::vector<contract::Axis> read_axes(SQLite::Database& database) {
  std::vector<contract::Axis> axes;
  SQLite::Statement query(
      database, "SELECT position, name, value FROM study_axis ORDER BY position, value_position");
  while (query.executeStep()) {
    const auto position = static_cast<std::size_t>(query.getColumn(0).getInt());
    if (position >= axes.size()) axes.resize(position + 1);
    axes[position].name = query.getColumn(1).getString();
    axes[position].values.push_back(query.getColumn(2));
  }
  return axes;
}

/// Reads the study from the database of the plan folder. The callback `read_runs(database)` reads
/// the runs of the study.
template <class ReadRuns>
Frame read_study(const contract::PlanDir& folder, ReadRuns read_runs) {
  Store store(folder.database(), Store::Access::Read);
  Frame frame;
  store.with([&](SQLite::Database& database) {
    SQLite::Statement study(
        database, "SELECT name, scaling, baseline_rule, baseline_gpus, scheduler FROM study");
    if (!study.executeStep()) {
      throw base::RunError(store.file().string() +
                           ": contains no study; run dlscale collect first");
    }
    frame.study = study.getColumn(0).getString();
    frame.scaling = study.getColumn(1).getString();
    frame.baseline = {study.getColumn(2), study.getColumn(3)};
    frame.is_imported = study.getColumn(4).getString() == kImportedScheduler;
    frame.axes = read_axes(database);
    frame.runs = read_runs(database);
  });
  return frame;
}

/// Returns a SQL condition for rows of the table `run`. The condition is true if the database
/// contains a measurement of the run, so that has_measurements() is true for the run in read_frame.
std::string measurement_condition() {
  std::string condition = "(0";
  for (const char* rows :
       {"step_sum WHERE (steps > 0 OR samples > 0 OR wall_s > 0)", "epoch WHERE 1", "eval WHERE 1",
        "inference WHERE 1", "profile WHERE 1", "target WHERE 1"}) {
    condition += fmt::format(
        " OR EXISTS (SELECT 1 FROM {} AND run_id = run.run_id AND launch IN (SELECT launch FROM "
        "launch WHERE run_id = run.run_id AND counts_until IS NOT NULL))",
        rows);
  }
  // These measurements count for all launches of a run.
  for (const char* table : {"rank_times", "collective", "job"}) {
    condition += fmt::format(" OR EXISTS (SELECT 1 FROM {} WHERE run_id = run.run_id)", table);
  }
  return condition + ")";
}

/// Reads the lists of packages of external runs from the plan folder. Each list is read once. Runs
/// whose list cannot be read keep their digest alone.
void read_packages(const contract::PlanDir& folder, std::vector<RunRow>& runs) {
  std::map<std::string, std::shared_ptr<const std::string>> lists;
  for (RunRow& run : runs) {
    const auto digest = run.conditions.find("packages");
    if (digest == run.conditions.end()) continue;
    const auto [list, is_new] = lists.try_emplace(digest->second);
    if (is_new) {
      try {
        const auto name = contract::packages_file({.packages = digest->second});
        list->second =
            std::make_shared<const std::string>(base::read_file(folder.software() / name));
      } catch (const base::Error&) {  // for example: launches of the run used different packages
      }
    }
    run.packages = list->second;
  }
}

}  // namespace

Frame read_frame(const contract::PlanDir& folder, WarmUp warmup) {
  Frame frame = read_study(
      folder, [&](SQLite::Database& database) { return FrameReader(database, warmup).runs(); });
  read_packages(folder, frame.runs);
  frame.warmup = warmup;
  frame.predictions = read_predictions(folder);
  if (std::optional<contract::PlanHead> head = contract::find_plan_head(folder)) {
    frame.ends_repeats_early = head->until.efficiency_ci > 0;
    frame.origins.emplace("", std::move(head->origin));
  }
  return frame;
}

Frame read_outcomes(const contract::PlanDir& folder) {
  return read_study(folder, [](SQLite::Database& database) {
    std::vector<RunRow> rows;
    rows.reserve(database.execAndGet("SELECT count(*) FROM run").getUInt());
    SQLite::Statement query(database,
                            fmt::format("SELECT run_id, outcome, outcome <> ? OR {} FROM run "
                                        "WHERE plan_position IS NOT NULL ORDER BY plan_position",
                                        measurement_condition()));
    query.bind(1, contract::to_string(contract::RunOutcome::Completed));
    while (query.executeStep()) {
      rows.emplace_back();
      rows.back().run_id = query.getColumn(0).getString();
      rows.back().outcome = query.getColumn(1).getString();
      rows.back().has_records = query.getColumn(2).isNull() || query.getColumn(2).getInt() != 0;
    }
    return rows;
  });
}

}  // namespace dlscale::analysis
