// SPDX-License-Identifier: Apache-2.0
// Plan folder with four runs of the demo study, and writers for the files of launchers and
// trainers.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/records/result_record.hpp"
#include "tests/cli/dlscale_program.hpp"

namespace dlscale::test {

struct PlannedDemo {
  DlscaleProgram dlscale;
  contract::PlanDir folder{dlscale.folder / "demo"};
  std::vector<std::string> ids;

  PlannedDemo() {
    REQUIRE(plan({}).err == "");
    const contract::Plan written = contract::read_plan(folder);
    for (const auto& run : written.runs) ids.push_back(run.run_id);
    REQUIRE(ids.size() == 4);
  }
  Ran plan(const std::vector<std::string>& more) {
    std::vector<std::string> all{"plan", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml",
                                 "-o",   "demo",
                                 "-S",   "study.repeats=1",
                                 "-S",   "matrix.lr_schedule='cosine'",
                                 "-S",   "matrix.batch_per_gpu=32"};
    all.insert(all.end(), more.begin(), more.end());
    return dlscale.run(all);
  }
  /// Makes the next launch of the run with these records.
  contract::LaunchDir launch(const std::string& run_id,
                             const std::vector<contract::ResultRecord>& records) const {
    const contract::LaunchDir launch = folder.run(run_id).make_next_launch();
    std::string text;
    for (const auto& record : records) text += contract::to_json_line(record) + "\n";
    base::write_file_atomically(launch.results(), text);
    return launch;
  }
  contract::LaunchDir complete(const std::string& run_id) const {
    return launch(run_id, {contract::RunStart{}, contract::RunStop{}});
  }
  contract::LaunchDir fail(const std::string& run_id, const std::string& reason) const {
    contract::RunStop stop;
    stop.outcome = contract::RunOutcome::Failed;
    stop.exit_code = 1;
    stop.reason = reason;
    return launch(run_id, {contract::RunStart{}, stop});
  }
  /// Appends the record to the launch log.
  void log(const contract::LaunchRecord& record) const {
    base::LineAppender(folder.launch_log()).append(contract::to_json_line(record));
  }
  /// Logs the submission and start of a job with the run.
  void log_launch(const std::string& run_id, const std::string& token, double start_s) const {
    log({.event = "submitting", .job = run_id, .launch = token, .runs = {run_id}, .time = start_s});
    log({.event = "submitted", .job = run_id, .launch = token, .job_id = "4711", .time = start_s});
    log({.event = "started",
         .job = run_id,
         .launch = token,
         .run_id = run_id,
         .nodes = {"node7"},
         .time = start_s});
  }
  void log_end(const std::string& run_id, const std::string& token, contract::RunOutcome outcome,
               double time_s) const {
    contract::LaunchRecord end{.event = "ended", .job = run_id, .launch = token, .run_id = run_id};
    end.time = time_s;
    end.outcome = outcome;
    end.exit_code = outcome == contract::RunOutcome::Completed ? 0 : 1;
    if (outcome != contract::RunOutcome::Completed) end.reason = "what went wrong";
    log(end);
  }
};

}  // namespace dlscale::test
