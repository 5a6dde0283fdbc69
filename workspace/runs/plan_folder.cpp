// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/plan_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;

contract::RunSpec read_run(const contract::PlanDir& folder, contract::RunTables& tables,
                           const std::string& run_id) {
  const fs::path own = folder.run(run_id).run_json();
  if (!fs::exists(own)) {
    if (const auto line = tables.find(run_id)) {
      return contract::run_spec_from_json(line->json, line->file.string());
    }
  }
  return contract::run_spec_from_json(base::read_file(own), own.string());
}

void require_writable(const contract::PlanDir& folder) {
  const auto refuse = [&](int reason) {
    throw base::UsageError(fmt::format("cannot write the plan folder {}: {}",
                                       folder.root().string(), std::strerror(reason)));
  };
  fs::path there = fs::absolute(folder.root());
  std::error_code unreadable;
  while (!fs::exists(there, unreadable)) there = there.parent_path();
  if (!fs::is_directory(there, unreadable)) refuse(ENOTDIR);
  if (::access(there.c_str(), W_OK | X_OK) != 0) refuse(errno);
}

void make_folder(const contract::PlanDir& folder) {
  try {
    base::make_directories(folder.root());
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

planner::WrittenPlan write_planned(planner::Planning& planning, const planner::Resources& resources,
                                   const contract::PlanDir& out, bool dry_run) {
  require_writable(out);
  planner::WrittenPlan written = dry_run ? planner::check_plan(planning, resources, out)
                                         : planner::write_plan(planning, resources, out);
  for (contract::PlannedRun& run : planning.plan.runs) {
    run.stale = std::binary_search(written.stale.begin(), written.stale.end(), run.run_id);
  }
  return written;
}

}  // namespace dlscale::workspace
