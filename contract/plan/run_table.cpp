// SPDX-License-Identifier: Apache-2.0
#include "contract/plan/run_table.hpp"

#include <fstream>

namespace dlscale::contract {

RunTables::RunTables(const Plan& plan, const PlanDir& folder) : folder_(folder) {
  for (const PlannedJob& job : plan.jobs) {
    if (job.kind != JobKind::array) continue;
    for (std::size_t i = 0; i < job.run_ids.size(); ++i) {
      places_[job.run_ids[i]] = {job.table, static_cast<std::size_t>(job.offset) + i};
    }
  }
}

std::optional<RunTables::Line> RunTables::find(std::string_view run_id) {
  const auto place = places_.find(run_id);
  if (place == places_.end()) return std::nullopt;
  const auto& [table, line] = place->second;
  const std::filesystem::path file = folder_.run_table(table);
  if (held_ != table) {
    held_ = table;
    lines_.clear();
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines_.push_back(std::move(text));
  }
  if (line >= lines_.size()) return std::nullopt;
  return Line{file, lines_[line]};
}

}  // namespace dlscale::contract
