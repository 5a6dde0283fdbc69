// SPDX-License-Identifier: Apache-2.0
// Builds the tables of results by rank: in the last epoch, and in each epoch.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
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

}  // namespace dlscale::analysis
