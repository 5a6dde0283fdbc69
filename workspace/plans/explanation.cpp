// SPDX-License-Identifier: Apache-2.0
#include "workspace/plans/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"
#include "contract/run_spec/run_id.hpp"
#include "workspace/runs/run_columns.hpp"

namespace dlscale::workspace {
namespace {

struct Point {
  std::string id;
  std::vector<RunFact> facts;
};

bool is_meant(const contract::PlannedRun& run, const std::string& glob) {
  return run.run_id.starts_with(glob) || ::fnmatch(glob.c_str(), run.run_id.c_str(), 0) == 0;
}

std::vector<Point> points_of(const planner::Planning& planning, const std::string& glob) {
  const contract::Plan& plan = planning.plan;
  std::unordered_map<std::string_view, const contract::PlannedJob*> jobs;
  for (const contract::PlannedJob& job : plan.jobs) jobs[job.name] = &job;
  std::vector<Point> points;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const contract::PlannedRun& run = plan.runs[i];
    if (!is_meant(run, glob)) continue;
    std::string id = contract::point_id(run.run_id);
    // The run is another repetition of the same point.
    if (!points.empty() && points.back().id == id) continue;
    points.push_back({std::move(id), facts_of(planning.run(i), run, *jobs.at(run.job))});
  }
  return points;
}

std::string in_words(const std::vector<RunFact>& facts) {
  std::vector<std::string> parts;
  for (const RunFact& fact : facts) parts.push_back(fact.name + " " + fact.value);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void print_explanation(const planner::Planning& planning, const std::string& glob,
                       std::ostream& out) {
  const std::vector<Point> points = points_of(planning, glob);
  if (points.empty()) {
    throw base::RunError(fmt::format("--explain {}: no run matches", glob),
                         base::kExitNothingMatched);
  }
  std::vector<RunFact> shared;
  std::vector<std::string> header{"point"};
  std::vector<std::vector<std::string>> rows;
  for (const Point& point : points) rows.push_back({point.id});
  for (std::size_t i = 0; i < points.front().facts.size(); ++i) {
    const RunFact& first = points.front().facts[i];
    const bool same = std::all_of(points.begin(), points.end(), [&](const Point& point) {
      return point.facts[i].value == first.value;
    });
    if (same) {
      if (first.value != kUnknownFact) shared.push_back(first);
      continue;
    }
    header.push_back(first.name);
    for (std::size_t k = 0; k < points.size(); ++k) rows[k].push_back(points[k].facts[i].value);
  }
  out << fmt::format("{}: {}\n\n", base::count_of(points.size(), "point"), in_words(shared))
      << base::print_table(header, rows) << '\n';
}

}  // namespace dlscale::workspace
