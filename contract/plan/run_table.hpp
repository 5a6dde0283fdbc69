// SPDX-License-Identifier: Apache-2.0
// The descriptions of the runs of job arrays: a task makes the folder of its run when it starts;
// until then its line of the array's table describes it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::contract {

class RunTables {
 public:
  /// Both must outlive it. Files are read when first asked for, one is held at a time.
  RunTables(const Plan& plan, const PlanDir& folder);

  struct Line {
    std::filesystem::path file;
    std::string json;  ///< of a run.json
  };
  /// Empty for a run of no array, and where the table has no such line.
  std::optional<Line> find(std::string_view run_id);
  bool has(std::string_view run_id) const { return places_.find(run_id) != places_.end(); }

 private:
  const PlanDir& folder_;
  std::map<std::string, std::pair<std::string, std::size_t>, std::less<>>
      places_;  // run id → table and line
  std::string held_;
  std::vector<std::string> lines_;  // of the table `held_`
};

}  // namespace dlscale::contract
