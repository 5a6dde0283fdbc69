// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/prediction_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <map>
#include <optional>

#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/store.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace {

using PredictionsOfPoints =
    std::map<std::string, std::vector<contract::RunPrediction>>;  // predictions by point id

PredictionsOfPoints by_point(const contract::PlanDir& folder) {
  PredictionsOfPoints points;
  for (auto& said :
       contract::parse_predictions(base::read_file(folder.predictions())).predictions) {
    points[said.point_id].push_back(std::move(said));
  }
  return points;
}

/// Start and peak memory of a run, which are compared with predictions.
struct SeenRun {
  std::string run_id;
  std::optional<double> started;  ///< start time of the first launch
  std::optional<double> memory_bytes;
};

std::vector<SeenRun> read_runs(SQLite::Database& database) {
  SQLite::Statement query(
      database,
      "SELECT run.run_id, (SELECT min(started) FROM launch WHERE launch.run_id = run.run_id), "
      "(SELECT max(peak_memory_bytes) FROM step_window "
      " WHERE step_window.run_id = run.run_id AND launch = run.result_launch) "
      "FROM run WHERE plan_position IS NOT NULL ORDER BY plan_position");
  std::vector<SeenRun> runs;
  while (query.executeStep()) {
    runs.push_back({query.getColumn(0).getString(), optional_number(query.getColumn(1)),
                    optional_number(query.getColumn(2))});
  }
  return runs;
}

/// Returns the last of the predictions that was made before `started`. If all predictions were made
/// later, returns the first prediction and marks it with `afterwards`.
KeptPrediction choose(const std::vector<contract::RunPrediction>& said,
                      std::optional<double> started) {
  KeptPrediction kept{.said = said.front(), .afterwards = started && said.front().time > *started};
  for (const contract::RunPrediction& each : said) {
    if (!started || each.time <= *started) kept.said = each;
  }
  return kept;
}

}  // namespace

std::vector<KeptPrediction> read_predictions(const contract::PlanDir& folder) {
  std::error_code unreadable;
  if (!std::filesystem::exists(folder.predictions(), unreadable)) return {};
  const PredictionsOfPoints predictions = by_point(folder);
  std::vector<SeenRun> runs;
  Store store(folder.database(), Store::Access::Read);
  store.with([&](SQLite::Database& database) { runs = read_runs(database); });
  std::map<std::string, std::optional<double>> started;
  for (const SeenRun& run : runs) {
    std::optional<double>& first = started[contract::point_id(run.run_id)];
    if (run.started && (!first || *run.started < *first)) first = run.started;
  }
  std::vector<KeptPrediction> kept;
  std::map<std::string, std::size_t> places;
  for (const SeenRun& run : runs) {
    const std::string point = contract::point_id(run.run_id);
    const auto said = predictions.find(point);
    if (said == predictions.end()) continue;
    const auto [place, fresh] = places.emplace(point, kept.size());
    if (fresh) kept.push_back(choose(said->second, started[point]));
    KeptPrediction& of_point = kept[place->second];
    of_point.run_ids.push_back(run.run_id);
    if (run.memory_bytes && *run.memory_bytes > 0) {
      of_point.memory_bytes.push_back(*run.memory_bytes);
    }
  }
  return kept;
}

}  // namespace dlscale::analysis
