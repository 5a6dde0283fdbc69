// SPDX-License-Identifier: Apache-2.0
// Small plan folder with the files that its runs would write.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

/// Plan with the jobs "a", "b", … that have one run each, "run-a", "run-b", ….
class WrittenPlan {
 public:
  explicit WrittenPlan(const std::vector<std::string>& jobs) : folder(temp_.path()) {
    base::make_directories(folder.logs());
    base::make_directories(folder.jobs());
    for (const std::string& job : jobs) {
      contract::PlannedRun run;
      run.run_id = "run-" + job;
      run.job = job;
      plan.runs.push_back(run);
      plan.jobs.push_back({job, {run.run_id}, {}});
      base::make_directories(folder.run(run.run_id).root());
    }
  }

  /// Writes the results of the next launch of a run, started at `start` (Unix time).
  contract::LaunchDir write_launch(const std::string& run_id, double start,
                                   const std::vector<contract::ResultRecord>& more = {}) {
    const contract::LaunchDir launch = folder.run(run_id).make_next_launch();
    contract::RunStart first;
    first.time = start;
    std::string text = contract::to_json_line(first) + "\n";
    for (const auto& record : more) text += contract::to_json_line(record) + "\n";
    base::write_file_atomically(launch.results(), text);
    return launch;
  }
  contract::LaunchDir write_completed(const std::string& run_id, double start) {
    return write_launch(run_id, start, {contract::RunStop{}});
  }

 private:
  TempDir temp_;

 public:
  contract::PlanDir folder;
  contract::Plan plan;
};

}  // namespace dlscale::test
