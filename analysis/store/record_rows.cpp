// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/record_rows.hpp"

#include <map>
#include <optional>
#include <variant>

#include "analysis/store/sqlite_inserter.hpp"

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

/// Writes each record to its table; what makes up the launch row is kept until the end.
class LaunchWriter {
 public:
  LaunchWriter(SQLite::Database& database, const LaunchKey& key)
      : key_(key),
        database_(database),
        windows_(database, "step_window", window_columns()),
        epochs_(database, "epoch",
                {"run_id", "launch", "line", "epoch", "time", "wall_s", "steps", "samples",
                 "train_loss", "lr"}),
        evals_(database, "eval",
               {"run_id", "launch", "line", "epoch", "time", "wall_s", "samples", "correct",
                "accuracy", "loss"}),
        profiles_(database, "profile",
                  {"run_id", "launch", "line", "epoch", "first_step", "steps", "time", "wall_s",
                   "kernel_s", "communication", "io", "computation", "other", "cpu_occupancy"}),
        kernels_(database, "profile_kernel",
                 {"run_id", "launch", "line", "position", "name", "kind", "calls", "self_s"}) {}

  void at_line(int line) { line_ = line; }

  void operator()(const contract::RunStart& record) { start_ = record; }
  void operator()(const contract::RunStop& record) { stop_ = record; }
  void operator()(const contract::CheckpointRecord&) {}  // files, nothing measured

  void operator()(const contract::StepWindow& r) {
    windows_.add(key_.run_id, key_.launch, line_, r.epoch, r.first_step, r.steps, r.warmup, r.time);
    windows_.add(r.samples, r.wall_s, r.lr, r.train_loss, r.bytes_sent, r.collectives,
                 r.peak_memory_bytes);
    windows_.add(r.extra.empty() ? std::optional<std::string>() : r.extra);
    add(r.comm_busy_s);
    for (const contract::Spread& part : r.parts) add(part);
    windows_.done();
  }
  void operator()(const contract::EpochRecord& r) {
    epochs_.add(key_.run_id, key_.launch, line_, r.epoch, r.time, r.wall_s, r.steps, r.samples);
    epochs_.add(r.train_loss, r.lr).done();
  }
  void operator()(const contract::EvalRecord& r) {
    evals_.add(key_.run_id, key_.launch, line_, r.epoch, r.time, r.wall_s, r.samples, r.correct);
    evals_.add(r.accuracy, r.loss).done();
    if (r.metrics.empty()) return;
    Inserter metrics(database_, "eval_metric", {"run_id", "launch", "line", "name", "value"});
    for (const auto& [name, value] : r.metrics) {
      metrics.add(key_.run_id, key_.launch, line_, name, value).done();
    }
  }
  void operator()(const contract::TargetRecord& r) {
    Inserter target(database_, "target",
                    {"run_id", "launch", "line", "metric", "threshold", "value", "epoch", "step",
                     "time", "train_s", "samples"});
    target.add(key_.run_id, key_.launch, line_, r.metric, r.threshold, r.value, r.epoch);
    target.add(r.step, r.time, r.train_s, r.samples).done();
  }
  void operator()(const contract::InferenceRecord& r) {
    Inserter row(
        database_, "inference",
        {"run_id", "launch", "line", "batch", "batches", "time", "wall_s", "latency_mean_s",
         "latency_p50_s", "latency_p90_s", "latency_max_s", "samples_per_s", "peak_memory_bytes"});
    row.add(key_.run_id, key_.launch, line_, r.batch, r.batches, r.time, r.wall_s);
    row.add(r.latency_s.mean, r.latency_s.p50, r.latency_s.p90, r.latency_s.max);
    row.add(r.samples_per_s, r.peak_memory_bytes).done();
  }

  void operator()(const contract::ProfileRecord& r) {
    profiles_.add(key_.run_id, key_.launch, line_, r.epoch, r.first_step, r.steps, r.time);
    profiles_.add(r.wall_s, r.kernel_s, r.communication, r.io, r.computation, r.other);
    profiles_.add(r.cpu_occupancy).done();
    int position = 0;
    for (const contract::ProfiledKernel& kernel : r.kernels) {
      kernels_.add(key_.run_id, key_.launch, line_, ++position, kernel.name, kernel.kind);
      kernels_.add(kernel.calls, kernel.self_s).done();
    }
  }

  void write_launch() {
    Inserter launch(database_, "launch", {"run_id",          "launch",
                                          "source",          "started",
                                          "world_size",      "nodes",
                                          "resumed_from",    "trainer_version",
                                          "parameters",      "trainable_parameters",
                                          "train_samples",   "test_samples",
                                          "steps_per_epoch", "padded_samples",
                                          "dropped_samples", "resumed_step",
                                          "stopped",         "stop_outcome",
                                          "stop_reason",     "stop_exit_code"});
    const auto started = [&](auto member) {
      return start_ ? std::optional((*start_).*member) : std::nullopt;
    };
    using S = contract::RunStart;
    launch.add(key_.run_id, key_.launch, key_.source, started(&S::time), started(&S::world_size));
    launch.add(started(&S::nodes), started(&S::resumed_from), started(&S::trainer_version));
    launch.add(started(&S::parameters), started(&S::trainable_parameters));
    launch.add(started(&S::train_samples), started(&S::test_samples), started(&S::steps_per_epoch));
    launch.add(started(&S::padded_samples), started(&S::dropped_samples));
    launch.add(started(&S::resumed_step));
    if (stop_) {
      launch.add(stop_->time, contract::to_string(stop_->outcome), stop_->reason, stop_->exit_code);
    }
    launch.done();
    write_environment();
  }

 private:
  void add(const contract::Spread& s) { windows_.add(s.mean, s.p50, s.p90, s.max); }

  void write_environment() {
    if (!start_) return;
    Inserter environment(database_, "environment", {"run_id", "launch", "name", "value"});
    for (const auto& [name, value] : start_->environment) {
      environment.add(key_.run_id, key_.launch, name, value).done();
    }
  }

  const LaunchKey& key_;
  SQLite::Database& database_;
  Inserter windows_;
  Inserter epochs_;
  Inserter evals_;
  Inserter profiles_;
  Inserter kernels_;
  std::optional<contract::RunStart> start_;
  std::optional<contract::RunStop> stop_;
  int line_ = 0;
};

void insert_point(SQLite::Database& database, const std::string& run_id,
                  const std::map<std::string, std::string>& point) {
  Inserter axis(database, "run_axis", {"run_id", "name", "value"});
  for (const auto& [name, value] : point) axis.add(run_id, name, value).done();
}

}  // namespace

void replace_run(SQLite::Database& database, const contract::RunSpec& s,
                 const std::string& source) {
  delete_run(database, s.run_id);
  Inserter run(database, "run",
               {"run_id",    "source",        "repetition",      "seed",
                "framework", "model",         "loader",          "dataset",
                "precision", "gpus",          "nodes",           "cores_per_rank",
                "device",    "batch_per_gpu", "global_batch",    "accumulation_steps",
                "epochs",    "warmup_epochs", "lr_schedule",     "lr_base",
                "lr_peak",   "optimizer",     "label_smoothing", "compression"});
  const std::string& compression = s.framework_options.compression;
  run.add(s.run_id, source, s.repetition, static_cast<std::int64_t>(s.seed), s.framework, s.model);
  run.add(s.loader, s.dataset.kind, s.precision, s.gpus, s.resources.nodes);
  const int cores = s.resources.cores_per_rank;
  run.add(cores > 0 ? std::optional(cores) : std::nullopt, s.resources.device, s.batch_per_gpu,
          s.global_batch);
  run.add(s.accumulation_steps, s.epochs, s.warmup_epochs, s.lr_schedule.kind, s.lr.base,
          s.lr.peak);
  run.add(s.optimizer.kind, s.label_smoothing, compression == "none" ? "" : compression).done();
  insert_point(database, s.run_id, s.point);
}

void insert_unreadable_run(SQLite::Database& database, const contract::PlannedRun& planned,
                           const std::string& source) {
  Inserter(database, "run",
           {"run_id", "source", "repetition", "gpus", "batch_per_gpu", "global_batch", "lr_peak"})
      .add(planned.run_id, source, planned.repetition, planned.gpus, planned.batch_per_gpu,
           planned.global_batch, planned.lr_peak)
      .done();
  insert_point(database, planned.run_id, planned.point);
}

void delete_unreadable_runs(SQLite::Database& database) {
  database.exec(
      "DELETE FROM run_axis WHERE run_id IN (SELECT run_id FROM run WHERE framework IS NULL);"
      "DELETE FROM run WHERE framework IS NULL;");
}

void replace_launch(SQLite::Database& database, const LaunchKey& key,
                    const contract::ResultsFile& file) {
  delete_launch(database, key.run_id, key.launch);
  LaunchWriter writer(database, key);
  for (std::size_t i = 0; i < file.records.size(); ++i) {
    writer.at_line(file.record_lines[i]);
    std::visit(writer, file.records[i]);
  }
  writer.write_launch();
}

void delete_launch(SQLite::Database& database, const std::string& run_id, int launch) {
  for (const char* table : {"launch", "environment", "epoch", "eval", "eval_metric", "target",
                            "inference", "step_window", "profile", "profile_kernel"}) {
    SQLite::Statement remove(database,
                             fmt::format("DELETE FROM {} WHERE run_id = ? AND launch = ?", table));
    remove.bind(1, run_id);
    remove.bind(2, launch);
    remove.exec();
  }
}

void delete_run(SQLite::Database& database, const std::string& run_id) {
  for (const char* table : {"run", "run_axis"}) {
    SQLite::Statement remove(database, fmt::format("DELETE FROM {} WHERE run_id = ?", table));
    remove.bind(1, run_id);
    remove.exec();
  }
}

}  // namespace dlscale::analysis
