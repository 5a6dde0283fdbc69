// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/frame_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <set>

#include "analysis/store/store.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

/// What run_start says of the machine and the software that can change a run's speed.
const std::set<std::string> kComparedEnvironment{"cpu",  "gpu", "torch",      "cuda",
                                                 "nccl", "mpi", "build_type", "sanitizer"};

double number(const SQLite::Column& column) {
  return column.isNull() ? std::nan("") : column.getDouble();
}

class FrameReader {
 public:
  explicit FrameReader(SQLite::Database& database)
      : axes_(database, "SELECT name, value FROM run_axis WHERE run_id = ?"),
        environment_(database,
                     "SELECT name, value FROM environment WHERE run_id = ? AND launch = ?"),
        launch_(database,
                "SELECT trainer_version, nodes FROM launch WHERE run_id = ? AND launch = ?"),
        steps_(database, steps_query()),
        epochs_(database,
                "SELECT epoch, wall_s, train_loss FROM epoch WHERE run_id = ? AND launch = ? "
                "ORDER BY line"),
        evals_(database,
               "SELECT epoch, accuracy, loss FROM eval WHERE run_id = ? AND launch = ? "
               "ORDER BY line"),
        runs_(database,
              "SELECT run_id, repetition, outcome, gpus, nodes, batch_per_gpu, global_batch, "
              "lr_peak, result_launch, framework, model, loader, dataset, precision, device, "
              "cores_per_rank FROM run WHERE plan_position IS NOT NULL ORDER BY plan_position") {}

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
      if (runs_.getColumn(i).isNull()) continue;  // an unreadable run
      run.conditions[runs_.getColumnName(i)] = runs_.getColumn(i).getString();
    }
    each(axes_, run.run_id, std::nullopt,
         [&] { run.point[axes_.getColumn(0)] = axes_.getColumn(1).getString(); });
    if (!runs_.getColumn(8).isNull()) read_launch(run, runs_.getColumn(8));
    return run;
  }

  void read_launch(RunRow& run, int launch) {
    each(launch_, run.run_id, launch, [&] {
      if (!launch_.getColumn(1).isNull()) run.nodes = launch_.getColumn(1);
      run.conditions["trainer"] = launch_.getColumn(0).getString();
    });
    each(environment_, run.run_id, launch, [&] {
      const std::string name = environment_.getColumn(0);
      const std::string value = environment_.getColumn(1);
      if (kComparedEnvironment.contains(name) && !value.empty()) run.conditions[name] = value;
    });
    each(steps_, run.run_id, launch, [&] { read_steps(run.steps); });
    each(epochs_, run.run_id, launch, [&] {
      run.epochs.push_back(
          {epochs_.getColumn(0), number(epochs_.getColumn(1)), number(epochs_.getColumn(2))});
    });
    each(evals_, run.run_id, launch, [&] {
      run.evals.push_back(
          {evals_.getColumn(0), number(evals_.getColumn(1)), number(evals_.getColumn(2))});
    });
  }

  void read_steps(StepTotals& steps) {
    steps.includes_warmup = steps_.getColumn(0).getInt() != 0;
    steps.steps = steps_.getColumn(1);
    steps.samples = steps_.getColumn(2);
    steps.wall_s = steps_.getColumn(3);
    for (int i = 0; i < contract::kStepParts; ++i) {
      steps.parts_s[static_cast<std::size_t>(i)] = steps_.getColumn(4 + i);
    }
  }

  /// Sums over the windows of a launch, those with start-up costs apart; the ones without come
  /// first and are all that is taken if there are any.
  static std::string steps_query() {
    std::string parts;
    for (const char* part : contract::kStepPartNames)
      parts += fmt::format(", sum({}_mean_s)", part);
    return "SELECT warmup, sum(steps), sum(samples), sum(wall_s)" + parts +
           " FROM step_window WHERE run_id = ? AND launch = ? GROUP BY warmup ORDER BY warmup "
           "LIMIT 1";
  }

  template <class Row>
  static void each(SQLite::Statement& query, const std::string& run_id, std::optional<int> launch,
                   Row row) {
    query.reset();
    query.bind(1, run_id);
    if (launch) query.bind(2, *launch);
    while (query.executeStep()) row();
  }

  SQLite::Statement axes_;
  SQLite::Statement environment_;
  SQLite::Statement launch_;
  SQLite::Statement steps_;
  SQLite::Statement epochs_;
  SQLite::Statement evals_;
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

}  // namespace

Frame read_frame(const contract::PlanDir& folder) {
  Store store(folder.database(), Store::Access::Read);
  Frame frame;
  store.with([&](SQLite::Database& database) {
    SQLite::Statement study(database,
                            "SELECT name, scaling, baseline_rule, baseline_gpus FROM study");
    if (!study.executeStep()) {
      throw base::RunError(store.file().string() + ": holds no study; run dlscale collect first");
    }
    frame.study = study.getColumn(0).getString();
    frame.scaling = study.getColumn(1).getString();
    frame.baseline = {study.getColumn(2), study.getColumn(3)};
    frame.axes = read_axes(database);
    frame.runs = FrameReader(database).runs();
  });
  return frame;
}

}  // namespace dlscale::analysis
