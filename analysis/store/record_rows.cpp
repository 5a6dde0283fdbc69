// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/record_rows.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/import/reading/log_format.hpp"
#include "analysis/store/launch_outcome.hpp"
#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/window_sum.hpp"

namespace dlscale::analysis {
namespace {

const std::vector<std::string>& window_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names{
        "run_id", "launch",     "line",       "epoch",       "first_step",
        "steps",  "warmup",     "time",       "samples",     "wall_s",
        "lr",     "train_loss", "bytes_sent", "collectives", "peak_memory_bytes",
        "extra"};
    std::vector<std::string> spreads{"comm_busy"};
    spreads.insert(spreads.end(), contract::kStepPartNames.begin(), contract::kStepPartNames.end());
    for (const std::string& spread : spreads) {
      for (const char* of : {"mean", "p50", "p90", "max"}) {
        names.push_back(fmt::format("{}_{}_s", spread, of));
      }
    }
    return names;
  }();
  return columns;
}

constexpr std::optional<std::int64_t> kNotSaid;

/// Returns the count, or an empty value for 0. 0 means that the count is not recorded, because
/// recorded counts are above 0.
std::optional<std::int64_t> count_said(std::int64_t count) {
  return count > 0 ? std::optional(count) : kNotSaid;
}

/// Returns the batch per GPU of a run, or an empty value if GPUs have different numbers of samples.
template <class Run>
std::optional<std::int64_t> batch_per_gpu_said(const Run& run) {
  return run.uneven_batch.empty() ? count_said(run.batch_per_gpu) : kNotSaid;
}

std::optional<double> rate_said(double rate) {
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

std::vector<SQLite::Statement> deletions(SQLite::Database& database,
                                         std::initializer_list<const char*> tables,
                                         const char* condition) {
  std::vector<SQLite::Statement> statements;
  for (const char* table : tables) {
    statements.emplace_back(database, fmt::format("DELETE FROM {} WHERE {}", table, condition));
  }
  return statements;
}

std::vector<std::string> sum_columns() {
  std::vector<std::string> columns{"run_id", "launch", "warmup"};
  columns.insert(columns.end(), window_sum_columns().begin(), window_sum_columns().end());
  return columns;
}

std::string json_array(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    text += text.empty() ? '[' : ',';
    text += std::isfinite(number) ? fmt::format("{}", number) : "null";
  }
  return text.empty() ? "[]" : text + ']';
}

/// Returns the numbers as a JSON array, or an empty value if none are recorded.
std::optional<std::string> json_array_said(const std::vector<double>& numbers) {
  return numbers.empty() ? std::nullopt : std::optional(json_array(numbers));
}

/// Visitor that writes the records of a launch to their tables. begin() starts a launch. The row of
/// the table `launch` is written by write_launch() at the end, because several records contribute
/// to it.
class LaunchRows {
 public:
  explicit LaunchRows(SQLite::Database& of)
      : windows_(of, "step_window", window_columns()),
        epochs_(of, "epoch",
                {"run_id", "launch", "line", "epoch", "time", "wall_s", "steps", "samples",
                 "train_loss", "lr", "correct"}),
        evals_(of, "eval",
               {"run_id", "launch", "line", "epoch", "time", "wall_s", "samples", "correct",
                "accuracy", "loss", "rank_loss", "rank_accuracy", "rank_wall_s"}),
        metrics_(of, "eval_metric", {"run_id", "launch", "line", "name", "value"}),
        measured_(of, "measured", {"run_id", "launch", "line", "record", "name", "value"}),
        units_(of, "measured_unit", {"run_id", "launch", "name", "unit"}),
        targets_(of, "target",
                 {"run_id", "launch", "line", "metric", "threshold", "value", "epoch", "step",
                  "time", "train_s", "samples"}),
        inferences_(of, "inference",
                    {"run_id", "launch", "line", "batch", "batches", "time", "wall_s",
                     "latency_mean_s", "latency_p50_s", "latency_p90_s", "latency_max_s",
                     "samples_per_s", "peak_memory_bytes", "compute_p50_s", "communication_p50_s"}),
        profiles_(of, "profile",
                  {"run_id", "launch", "line", "epoch", "first_step", "steps", "time", "wall_s",
                   "kernel_s", "communication", "io", "computation", "other", "cpu_occupancy"}),
        kernels_(of, "profile_kernel",
                 {"run_id", "launch", "line", "position", "name", "kind", "calls", "self_s"}),
        rank_times_(of, "rank_times",
                    {"run_id", "launch", "line", "epoch", "time", "steps", "stages", "work_s",
                     "train_loss", "train_accuracy"}),
        nodes_(of, "launch_node", {"run_id", "launch", "first_rank", "ranks", "host"}),
        sums_(of, "step_sum", sum_columns()),
        launches_(of, "launch", {"run_id",          "launch",
                                 "source",          "started",
                                 "world_size",      "nodes",
                                 "resumed_from",    "trainer_version",
                                 "parameters",      "trainable_parameters",
                                 "train_samples",   "test_samples",
                                 "steps_per_epoch", "padded_samples",
                                 "dropped_samples", "resumed_step",
                                 "outcome",         "outcome_source",
                                 "reason",          "stopped",
                                 "stop_outcome",    "stop_reason",
                                 "stop_exit_code"}),
        environments_(of, "environment", {"run_id", "launch", "name", "value"}),
        counters_(of,
                  "INSERT INTO counter_sum SELECT run_id, launch, coalesce(warmup, 0), key, "
                  "sum(value) FROM step_window, json_each(extra) "
                  "WHERE run_id = ? AND launch = ? AND type IN ('integer', 'real') "
                  "GROUP BY 1, 2, 3, 4"),
        deletions_(deletions(
            of,
            {"launch", "environment", "epoch", "eval", "eval_metric", "target", "inference",
             "step_window", "step_sum", "counter_sum", "measured", "measured_unit", "profile",
             "profile_kernel", "rank_times", "launch_node", "collective", "job"},
            "run_id = ? AND launch = ?")) {}

  void begin(const LaunchKey& key) {
    key_ = &key;
    start_ = nullptr;
    stop_ = nullptr;
    window_sums_ = {};
    has_counters_ = false;
  }
  void at_line(int line) { line_ = line; }

  void operator()(const contract::RunStart& record) { start_ = &record; }
  void operator()(const contract::RunStop& record) { stop_ = &record; }
  void operator()(const contract::CheckpointRecord&) {}  // checkpoints contain no measurements

  void operator()(const contract::StepWindow& r) {
    add_place(windows_).add(r.epoch);
    r.steps > 0 ? windows_.add(r.first_step, r.steps) : windows_.add(kNotSaid, kNotSaid);
    windows_.add(r.warmup, r.time);
    windows_.add(r.samples, r.wall_s, r.lr, r.train_loss, r.bytes_sent, r.collectives,
                 r.peak_memory_bytes);
    windows_.add(r.extra.empty() ? std::optional<std::string>() : r.extra);
    add(r.comm_busy_s);
    for (const contract::Spread& part : r.parts) add(part);
    windows_.done();
    window_sums_[r.warmup ? 1 : 0].add(r);
    has_counters_ = has_counters_ || !r.extra.empty();
    add_measured("step_window", r.measured);
  }
  void operator()(const contract::EpochRecord& r) {
    add_place(epochs_).add(r.epoch, r.time, r.wall_s, count_said(r.steps), count_said(r.samples));
    epochs_.add(r.train_loss, r.lr, r.correct).done();
    add_measured("epoch", r.measured);
  }
  void operator()(const contract::EvalRecord& r) {
    const bool is_known = r.epoch != kUnknownEpoch;
    add_place(evals_).add(is_known ? std::optional<std::int64_t>(r.epoch) : kNotSaid);
    evals_.add(r.time, r.wall_s, count_said(r.samples));
    evals_.add(r.samples > 0 ? std::optional(r.correct) : kNotSaid);
    evals_.add(r.accuracy, r.loss, json_array_said(r.rank_loss), json_array_said(r.rank_accuracy));
    evals_.add(json_array_said(r.rank_wall_s)).done();
    for (const auto& [name, value] : r.metrics) add_place(metrics_).add(name, value).done();
  }
  void operator()(const contract::RankTimes& r) {
    add_place(rank_times_).add(r.epoch, r.time, r.steps, r.stages).add(json_array(r.work_s));
    rank_times_.add(json_array_said(r.train_loss), json_array_said(r.train_accuracy)).done();
  }
  void operator()(const contract::TargetRecord& r) {
    add_place(targets_).add(r.metric, r.threshold, r.value, r.epoch);
    targets_.add(r.step, r.time, r.train_s, r.samples).done();
  }
  void operator()(const contract::InferenceRecord& r) {
    add_place(inferences_).add(r.batch, r.batches, r.time, r.wall_s);
    inferences_.add(r.latency_s.mean, r.latency_s.p50, r.latency_s.p90, r.latency_s.max);
    inferences_.add(r.samples_per_s, r.peak_memory_bytes);
    const bool is_split = r.compute_s != contract::Spread{};
    const auto part = [is_split](double p50) {
      return is_split ? std::optional(p50) : std::nullopt;
    };
    inferences_.add(part(r.compute_s.p50), part(r.communication_s.p50)).done();
  }
  void operator()(const contract::ProfileRecord& r) {
    add_place(profiles_).add(r.epoch, r.first_step, r.steps, r.time);
    profiles_.add(r.wall_s, r.kernel_s, r.communication, r.io, r.computation, r.other);
    profiles_.add(r.cpu_occupancy).done();
    int position = 0;
    for (const contract::ProfiledKernel& kernel : r.kernels) {
      add_place(kernels_).add(++position, kernel.name, kernel.kind);
      kernels_.add(kernel.calls, kernel.self_s).done();
    }
  }

  void write_launch() {
    const auto started = [&](auto member) {
      return start_ != nullptr ? std::optional((*start_).*member) : std::nullopt;
    };
    using S = contract::RunStart;
    launches_.add(key_->run_id, key_->launch, key_->source);
    launches_.add(started(&S::time), started(&S::world_size), started(&S::nodes));
    launches_.add(started(&S::resumed_from), started(&S::trainer_version));
    launches_.add(started(&S::parameters), started(&S::trainable_parameters));
    launches_.add(started(&S::train_samples), started(&S::test_samples));
    launches_.add(started(&S::steps_per_epoch), started(&S::padded_samples));
    launches_.add(started(&S::dropped_samples), started(&S::resumed_step));
    const LaunchEnd end = own_end();
    launches_.add(end.outcome, end.source, end.reason);
    if (stop_ != nullptr) {
      launches_.add(stop_->time, contract::to_string(stop_->outcome), stop_->reason,
                    stop_->exit_code);
    }
    launches_.done();
    write_sums();
    if (start_ == nullptr) return;
    for (const auto& [name, value] : start_->environment) {
      environments_.add(key_->run_id, key_->launch, name, value).done();
    }
    for (const auto& [name, unit] : start_->measured_units) {
      units_.add(key_->run_id, key_->launch, name, unit).done();
    }
    write_nodes(start_->hosts);
  }

  /// Writes those entries of `printed` whose names the launch did not record in its environment.
  void write_printed(const std::map<std::string, std::string>& printed) {
    for (const auto& [name, value] : printed) {
      if (start_ != nullptr && start_->environment.contains(name)) continue;
      environments_.add(key_->run_id, key_->launch, name, value).done();
    }
  }

  void remove(const std::string& run_id, int launch) {
    for (SQLite::Statement& each : deletions_) {
      each.reset();
      each.bind(1, run_id);
      each.bind(2, launch);
      each.exec();
    }
  }

 private:
  /// Returns how the launch ended according to its own records. EndRows later replaces this end if
  /// other sources have priority.
  LaunchEnd own_end() const {
    LaunchSeen seen{.launch = key_->launch,
                    .started = start_ != nullptr ? start_->time : std::nan("")};
    if (stop_ != nullptr) {
      seen.run_stop = stop_->outcome;
      seen.reason = stop_->reason;
    }
    return decide_ends({std::move(seen)}, {}).front();
  }

  Inserter& add_place(Inserter& rows) { return rows.add(key_->run_id, key_->launch, line_); }
  /// Writes one row for each group of consecutive ranks on the same host.
  void write_nodes(const std::vector<std::string>& hosts) {
    if (hosts.size() < 2) return;
    for (std::size_t first = 0, next = 1; first < hosts.size(); first = next++) {
      while (next < hosts.size() && hosts[next] == hosts[first]) ++next;
      nodes_.add(key_->run_id, key_->launch, static_cast<int>(first));
      nodes_.add(static_cast<int>(next - first), hosts[first]).done();
    }
  }
  void write_sums() {
    for (int warmup = 0; warmup < 2; ++warmup) {
      const WindowSum& sum = window_sums_[static_cast<std::size_t>(warmup)];
      if (sum.windows == 0) continue;
      sums_.add(key_->run_id, key_->launch, warmup, sum.windows, sum.end_step, sum.steps);
      sums_.add(sum.samples, sum.wall_s, sum.bytes_sent, sum.collectives, sum.comm_busy_s);
      for (const double part_s : sum.parts_s) sums_.add(part_s);
      sums_.done();
    }
    if (!has_counters_) return;
    counters_.bind(1, key_->run_id);
    counters_.bind(2, key_->launch);
    counters_.exec();
    counters_.reset();
  }
  /// Writes the values that the program measured. `record` is the name of the table of their row.
  void add_measured(const std::string& record, const std::map<std::string, double>& values) {
    for (const auto& [name, value] : values) {
      add_place(measured_).add(record, name, value).done();
    }
  }
  void add(const contract::Spread& s) { windows_.add(s.mean, s.p50, s.p90, s.max); }

  Inserter windows_, epochs_, evals_, metrics_, measured_, units_, targets_, inferences_, profiles_,
      kernels_;
  Inserter rank_times_, nodes_, sums_, launches_, environments_;
  SQLite::Statement counters_;
  std::vector<SQLite::Statement> deletions_;
  bool has_counters_ = false;  ///< true if a window of the launch recorded counters
  /// Sums over the steady windows and over the start-up windows.
  std::array<WindowSum, 2> window_sums_{};
  const LaunchKey* key_ = nullptr;
  const contract::RunStart* start_ = nullptr;
  const contract::RunStop* stop_ = nullptr;
  int line_ = 0;
};

}  // namespace

struct RecordRows::Prepared {
  SQLite::Database& database;
  LaunchRows launches{database};
  Inserter runs{
      database, "run", {"run_id",    "source",        "repetition",      "seed",
                        "framework", "model",         "loader",          "dataset",
                        "precision", "gpus",          "nodes",           "cores_per_rank",
                        "device",    "batch_per_gpu", "global_batch",    "accumulation_steps",
                        "epochs",    "warmup_epochs", "lr_schedule",     "lr_base",
                        "lr_peak",   "optimizer",     "label_smoothing", "compression",
                        "stop_rule"}};
  Inserter axes{database, "run_axis", {"run_id", "name", "value"}};
  std::vector<SQLite::Statement> deletions =
      analysis::deletions(database, {"run", "run_axis"}, "run_id = ?");
  // Runs and launches that have rows in the database. Launches without rows need not be deleted.
  // This saves time, because each deletion needs one statement for every table.
  KnownRows known = {};

  void read_known() {
    known = {};
    SQLite::Statement run(database, "SELECT run_id FROM run");
    while (run.executeStep()) known.runs.insert(run.getColumn(0));
    SQLite::Statement launch(database, "SELECT run_id, launch FROM launch");
    while (launch.executeStep()) known.launches[launch.getColumn(0)].push_back(launch.getColumn(1));
  }
};

RecordRows::RecordRows(SQLite::Database& database) : prepared_(new Prepared{database}) {
  prepared_->read_known();
}
RecordRows::~RecordRows() = default;

const KnownRows& RecordRows::known() const {
  return prepared_->known;
}

void RecordRows::replace_run(const contract::RunSpec& s, const std::string& source) {
  delete_run(s.run_id);
  prepared_->known.runs.insert(s.run_id);
  Inserter& run = prepared_->runs;
  const std::string& compression = s.framework_options.compression;
  run.add(s.run_id, source, s.repetition, static_cast<std::int64_t>(s.seed), s.framework, s.model);
  run.add(s.loader, s.dataset.kind, s.precision, s.gpus, s.resources.nodes);
  run.add(count_said(s.resources.cores_per_rank), s.resources.device);
  run.add(batch_per_gpu_said(s), count_said(s.global_batch));
  run.add(s.accumulation_steps, count_said(s.epochs), s.warmup_epochs, s.lr_schedule.kind);
  run.add(rate_said(s.lr.base), rate_said(s.lr.peak));
  run.add(s.optimizer.kind, s.label_smoothing, compression == "none" ? "" : compression);
  run.add(stop_rule(s)).done();
  for (const auto& [name, value] : s.point) prepared_->axes.add(s.run_id, name, value).done();
}

void RecordRows::insert_unreadable_run(const contract::PlannedRun& planned,
                                       const std::string& source) {
  prepared_->known.runs.insert(planned.run_id);
  Inserter(prepared_->database, "run",
           {"run_id", "source", "repetition", "gpus", "batch_per_gpu", "global_batch", "lr_peak"})
      .add(planned.run_id, source, planned.repetition, planned.gpus)
      .add(batch_per_gpu_said(planned), count_said(planned.global_batch))
      .add(rate_said(planned.lr_peak))
      .done();
  for (const auto& [name, value] : planned.point) {
    prepared_->axes.add(planned.run_id, name, value).done();
  }
}

void RecordRows::delete_unreadable_runs() {
  const int deleted = prepared_->database.exec(
      "DELETE FROM run_axis WHERE run_id IN (SELECT run_id FROM run WHERE framework IS NULL);"
      "DELETE FROM run WHERE framework IS NULL;");
  if (deleted > 0) prepared_->read_known();
}

void RecordRows::replace_launch(const LaunchKey& key, const contract::ResultsFile& file,
                                const std::map<std::string, std::string>& printed) {
  delete_launch(key.run_id, key.launch);
  prepared_->known.launches[key.run_id].push_back(key.launch);
  LaunchRows& rows = prepared_->launches;
  rows.begin(key);
  for (std::size_t i = 0; i < file.records.size(); ++i) {
    rows.at_line(file.record_lines[i]);
    std::visit(rows, file.records[i]);
  }
  rows.write_launch();
  rows.write_printed(printed);
}

void RecordRows::delete_launch(const std::string& run_id, int launch) {
  const auto known = prepared_->known.launches.find(run_id);
  const bool has_rows =
      known != prepared_->known.launches.end() && std::erase(known->second, launch) > 0;
  if (has_rows) prepared_->launches.remove(run_id, launch);
}

void RecordRows::delete_run(const std::string& run_id) {
  if (prepared_->known.runs.erase(run_id) == 0) return;
  for (SQLite::Statement& each : prepared_->deletions) {
    each.reset();
    each.bind(1, run_id);
    each.exec();
  }
}

}  // namespace dlscale::analysis
