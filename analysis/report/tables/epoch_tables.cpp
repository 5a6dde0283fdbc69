// SPDX-License-Identifier: Apache-2.0
// Builds the tables of results by epoch and by rank, of shares of kernel time, and of counters.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

// Table of the results of each epoch.

namespace {

/// Result of an epoch, with its column.
struct EpochColumn {
  std::optional<double> EpochResults::*member;
  Column column;
};

std::vector<EpochColumn> epoch_columns() {
  return {{&EpochResults::train_loss, {"train_loss", "training loss", "", 4}},
          {&EpochResults::test_loss, {"test_loss", "test loss", "", 4}},
          {&EpochResults::train_accuracy, {"train_accuracy", "training accuracy", "%", 2, 100}},
          {&EpochResults::test_accuracy, {"test_accuracy", "test accuracy", "%", 2, 100}},
          {&EpochResults::train_s, {"epoch_time_s", "training time", "s", 2}},
          {&EpochResults::test_s, {"eval_time_s", "test time", "s", 2}}};
}

/// Returns the results that at least one run recorded in one of its epochs.
std::vector<EpochColumn> recorded_columns(const std::vector<RunPoint>& points) {
  std::vector<EpochColumn> columns = epoch_columns();
  std::erase_if(columns, [&](const EpochColumn& one) {
    return std::ranges::none_of(points, [&](const RunPoint& point) {
      return std::ranges::any_of(point.repeats, [&](const RunRow* run) {
        const std::set<int> epochs = epochs_of(*run);
        return std::ranges::any_of(epochs, [&](int epoch) {
          return (epoch_results(*run, epoch).*one.member).has_value();
        });
      });
    });
  });
  return columns;
}

}  // namespace

Table epochs_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(frame, &has_epochs);
  const Start start(frame, keys_of(points));
  const std::vector<EpochColumn> results = recorded_columns(points);
  std::vector<Column> columns{{.id = "epoch", .title = "epoch", .is_key = true}, {"n", "n"}};
  const Repeats most = repeats_of(points);
  const bool any_repeats = most.most > 1;
  for (const EpochColumn& one : results) {
    any_repeats ? add_columns(columns, one.column, most) : columns.push_back(one.column);
  }
  Table table = begin_table(
      start, "epochs", "Results by epoch of " + frame.study,
      run_notes_of(frame, points,
                   "epoch: number of epochs trained; training loss and accuracy are means over the "
                   "epoch, in which the parameters change; times of the slowest rank"),
      columns);
  for (const RunPoint& point : points) {
    std::map<int, std::size_t> repeats;  // number of repeats, by epoch
    for (const RunRow* run : point.repeats) {
      for (const int epoch : epochs_of(*run)) ++repeats[epoch];
    }
    for (const auto& [epoch, n] : repeats) {
      Row row = start.row(point.key, point.first().gpus);
      row.number(epoch + 1.0).number(static_cast<double>(n));
      for (const EpochColumn& one : results) {
        const std::vector<double> values = values_of(
            point, [&](const RunRow& run) { return epoch_results(run, epoch).*one.member; });
        any_repeats ? add_summary(row, values) : add_median(row, values);
      }
      row.into(table);
    }
  }
  return table;
}

// Table of the results of each rank in the last epoch.

namespace {

/// Result of the ranks, with its column.
struct RankColumn {
  std::vector<double> RankResults::*member;
  Column column;
};

std::vector<RankColumn> rank_columns() {
  return {{&RankResults::work_s, {"work_s", "work time", "s", 3}},
          {&RankResults::train_loss, {"train_loss", "training loss", "", 4}},
          {&RankResults::train_accuracy, {"train_accuracy", "training accuracy", "%", 2, 100}},
          {&RankResults::test_loss, {"test_loss", "test loss", "", 4}},
          {&RankResults::test_accuracy, {"test_accuracy", "test accuracy", "%", 2, 100}},
          {&RankResults::test_s, {"eval_time_s", "test time", "s", 3}}};
}

/// Adds the row of a rank, or of the mean over the ranks if `rank` is empty. `all` has the results
/// of the repeats.
void add_rank_row(Row row, const std::vector<RankResults>& all,
                  const std::vector<RankColumn>& columns, std::optional<std::size_t> rank,
                  Table& table) {
  row.text(rank ? std::to_string(*rank) : "mean").number(static_cast<double>(all.size()));
  std::vector<double> steps;
  for (const RankResults& one : all) {
    if (one.steps > 0) steps.push_back(static_cast<double>(one.steps));
  }
  add_median(row, steps);
  for (const RankColumn& column : columns) {
    std::vector<double> values;
    for (const RankResults& one : all) {
      const std::vector<double>& ranks = one.*column.member;
      if (ranks.empty() || (rank && *rank >= ranks.size())) continue;
      const double value = rank ? ranks[*rank] : mean(ranks);
      if (std::isfinite(value)) values.push_back(value);
    }
    add_median(row, values);
  }
  row.into(table);
}

using RanksOfRepeats = std::vector<RankResults>;

/// Removes the results that no run recorded.
void keep_recorded(std::vector<RankColumn>& columns, const std::vector<RanksOfRepeats>& all) {
  std::erase_if(columns, [&](const RankColumn& column) {
    return std::ranges::all_of(all, [&](const RanksOfRepeats& repeats) {
      return std::ranges::all_of(
          repeats, [&](const RankResults& one) { return (one.*column.member).empty(); });
    });
  });
}

/// Adds a row for each rank and a row for the mean over the ranks.
void add_rank_rows(const Row& row, const RanksOfRepeats& repeats,
                   const std::vector<RankColumn>& results, Table& table) {
  std::size_t ranks = 0;
  for (const RankResults& one : repeats) {
    ranks = std::max({ranks, one.work_s.size(), one.test_loss.size()});
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    add_rank_row(row, repeats, results, rank, table);
  }
  add_rank_row(row, repeats, results, std::nullopt, table);
}

constexpr const char* kRankNote =
    "medians over the repeats; work time: time of the given number of steps without waiting for "
    "other ranks; test: on the rank's share of the test set; mean: over the ranks, whose shares "
    "differ by at most one sample";

}  // namespace

Table ranks_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(
      frame, [](const RunRow& run) { return completed(run) && last_ranks(run).has_value(); });
  const Start start(frame, keys_of(points));
  std::vector<RanksOfRepeats> all;
  for (const RunPoint& point : points) {
    all.emplace_back();
    for (const RunRow* run : point.repeats) all.back().push_back(*last_ranks(*run));
  }
  std::vector<RankColumn> results = rank_columns();
  keep_recorded(results, all);
  std::vector<Column> columns{
      {.id = "rank", .title = "rank", .is_key = true}, {"n", "n"}, {"steps", "steps"}};
  for (const RankColumn& one : results) columns.push_back(one.column);
  Table table = begin_table(
      start, "ranks", "Results by rank of " + frame.study,
      run_notes_of(frame, points, std::string("in the last epoch, ") + kRankNote), columns);
  for (std::size_t i = 0; i < points.size(); ++i) {
    add_rank_rows(start.row(points[i].key, points[i].first().gpus), all[i], results, table);
  }
  return table;
}

Table rank_epochs_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(
      frame, [](const RunRow& run) { return completed(run) && last_ranks(run).has_value(); });
  const Start start(frame, keys_of(points));
  struct EpochOfPoint {
    const RunPoint* point;
    int epoch;
  };
  std::vector<EpochOfPoint> epochs;
  std::vector<RanksOfRepeats> all;
  for (const RunPoint& point : points) {
    std::map<int, RanksOfRepeats> by_epoch;
    for (const RunRow* run : point.repeats) {
      for (const int epoch : epochs_of(*run)) {
        if (auto ranks = ranks_in_epoch(*run, epoch)) by_epoch[epoch].push_back(std::move(*ranks));
      }
    }
    for (auto& [epoch, repeats] : by_epoch) {
      epochs.push_back({&point, epoch});
      all.push_back(std::move(repeats));
    }
  }
  std::vector<RankColumn> results = rank_columns();
  keep_recorded(results, all);
  std::vector<Column> columns{{.id = "epoch", .title = "epoch", .is_key = true},
                              {.id = "rank", .title = "rank", .is_key = true},
                              {"n", "n"},
                              {"steps", "steps"}};
  for (const RankColumn& one : results) columns.push_back(one.column);
  Table table = begin_table(
      start, "rank-epochs", "Results by rank and epoch of " + frame.study,
      run_notes_of(frame, points, std::string("epoch: number of epochs trained; ") + kRankNote),
      columns);
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const RunPoint& point = *epochs[i].point;
    Row row = start.row(point.key, point.first().gpus);
    row.number(epochs[i].epoch + 1.0);
    add_rank_rows(row, all[i], results, table);
  }
  return table;
}

// Table of the shares of kernel time.

Table kernel_shares_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points =
      run_points(frame, [](const RunRow& run) { return completed(run) && !run.profiles.empty(); });
  const Start start(frame, keys_of(points));
  std::vector<std::string> notes{
      describe_mode(frame), "sums of kernel time over the profiled steps of the n repeats",
      "kernels can overlap, so kernel time is not wall time; CPU occupancy = CPU time / (wall time "
      "x "
      "cores of a rank); I/O/epoch = I/O kernel time of a rank x steps of an epoch / profiled "
      "steps"};
  add_frame_notes(notes, frame);
  Table table = begin_table(start, "kernel-shares", "Shares of kernel time in " + frame.study,
                            std::move(notes),
                            {{"n", "n"},
                             {"profiled_steps", "profiled steps"},
                             {"communication", "communication", "%", 2, 100},
                             {"io", "I/O", "%", 2, 100},
                             {"computation", "computation", "%", 2, 100},
                             {"other", "other", "%", 2, 100},
                             {"cpu_occupancy", "CPU occupancy", "%", 1, 100},
                             {"io_s_per_epoch", "I/O/epoch", "s", 2}});
  for (const RunPoint& point : points) {
    const std::optional<KernelShares> shares = kernel_shares(point.repeats);
    if (!shares) continue;
    Row row = start.row(point.key, point.first().gpus);
    row.number(static_cast<double>(shares->n)).number(static_cast<double>(shares->steps));
    row.number(shares->communication).number(shares->io).number(shares->computation);
    row.number(shares->other).number(shares->cpu_occupancy).number(shares->io_s_per_epoch);
    row.into(table);
  }
  return table;
}

// Table of counters.

Table counters_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(
      frame, [](const RunRow& run) { return completed(run) && !counters_of(run).empty(); });
  const Start start(frame, keys_of(points));
  std::vector<Column> columns{{.id = "counter", .title = "counter", .is_key = true}, {"n", "n"}};
  add_columns(columns, {"per_step", "per step", "", 3}, repeats_of(points));
  columns.push_back({"per_epoch", "per epoch", "", 1});
  Table table = begin_table(
      start, "counters", "Counters of " + frame.study,
      run_notes_of(frame, points,
                   "counters as in the records of step windows (docs/results-format.md), medians "
                   "over the n repeats that recorded them; per epoch = per step x steps of an "
                   "epoch; bytes_sent and collectives: of a rank, mean over the ranks"),
      columns);
  for (const RunPoint& point : points) {
    std::set<std::string> names;
    for (const RunRow* run : point.repeats) {
      for (const auto& [name, value] : counters_of(*run)) names.insert(name);
    }
    for (const std::string& name : names) {
      const std::vector<double> values =
          values_of(point, [&](const RunRow& run) -> std::optional<double> {
            const auto counters = counters_of(run);
            const auto found = counters.find(name);
            return found == counters.end() ? std::nullopt : std::optional(found->second);
          });
      if (values.empty()) continue;
      const std::int64_t steps_per_epoch = point.first().size.steps_per_epoch;
      Row row = start.row(point.key, point.first().gpus);
      row.text(name).number(static_cast<double>(values.size()));
      add_summary(row, values);
      steps_per_epoch > 0 ? row.number(median(values) * static_cast<double>(steps_per_epoch))
                          : row.nothing();
      row.into(table);
    }
  }
  return table;
}

}  // namespace dlscale::analysis
