// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/run_warnings.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/runner/written_plan.hpp"
#include "workspace/runs/launch_log_reader.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Plan of two external runs in the given format. Each run has one launch with this output. With
/// `is_in_ids`, the study names the format with the key "log_format", which is part of run ids,
/// instead of the key "read".
struct ExternalPlan : test::WrittenPlan {
  ExternalPlan(const std::string& format, const std::string& out, bool is_in_ids = false)
      : WrittenPlan({"a", "b"}) {
    for (contract::PlannedRun& run : plan.runs) {
      run.log_format = format;
      const contract::LaunchDir launch = folder.run(run.run_id).make_next_launch();
      base::write_file_atomically(launch.out(), out);
      contract::RunSpec spec;
      spec.run_id = run.run_id;
      spec.global_batch = spec.batch_per_gpu;
      if (is_in_ids) spec.trainer.log_format = format;
      base::write_file_atomically(folder.run(run.run_id).run_json(), to_json(spec));
    }
  }
};

std::vector<std::string> without(const test::WrittenPlan& written) {
  return workspace::runs_without_records(written.plan, written.folder, {"run-a", "run-b"});
}

std::string message(const test::WrittenPlan& written) {
  return workspace::nothing_read(written.plan, written.folder, {"run-a", "run-b"});
}

constexpr const char* kStep =
    "{\"record\":\"step_window\",\"epoch\":0,\"first_step\":0,\"steps\":5,\"samples\":40,"
    "\"wall_s\":0.5,\"parts\":{}}\n";

}  // namespace

TEST_CASE("completed runs without a log format and without results are reported") {
  const ExternalPlan written("", "loss 3.2\n");
  CHECK(without(written) == std::vector<std::string>{"run-a", "run-b"});
  CHECK_THAT(message(written),
             StartsWith("no records were read from 2 completed runs (run-a, run-b): ") &&
                 Contains("launch-1/results.jsonl does not exist, and the study names no "
                          "log_format; set read under [trainer], so that dlscale can read ") &&
                 Contains("/stdout without repeating the runs; ") &&
                 Contains("\"dlscale check-format FORMAT ") && Contains("launch-1/stdout\""));
}

TEST_CASE("completed runs whose output has another format are reported with the format") {
  const ExternalPlan written("timm", "my own words\n", true);
  CHECK(without(written).size() == 2);
  const std::string file = written.folder.run("run-a").launch(1).out().string();
  CHECK_THAT(message(written), Contains(file + " contains no measurement in the format \"timm\"") &&
                                   Contains("\"dlscale check-format timm " + file + "\"") &&
                                   Contains("the runs then have other ids"));
}

TEST_CASE("completed runs whose output does not fit the study's own format need not be repeated") {
  const ExternalPlan written("pattern", "my own words\n");
  base::write_file_atomically(written.folder.log_format_toml(),
                              "line = ['loss (?<loss>[0-9.]+)']\n");
  CHECK_THAT(message(written),
             Contains("in the format \"pattern\"") && Contains("the runs need not be repeated"));
}

TEST_CASE("completed runs need not be repeated if the study names their format in read") {
  const ExternalPlan written("timm", "my own words\n");
  CHECK_THAT(message(written),
             Contains("Correct the key read in [trainer], then plan and collect again; the runs "
                      "need not be repeated"));
}

TEST_CASE("runs of a format are not reported if one of them has measurements") {
  const ExternalPlan written("dlscale", "");
  CHECK_THAT(message(written), Contains("the study names the log format \"dlscale\""));
  base::write_file_atomically(written.folder.run("run-b").launch(1).results(), kStep);
  CHECK(without(written).empty());
}

TEST_CASE("runs of dlscale-train and runs without a launch are not reported") {
  test::WrittenPlan written({"a", "b"});
  written.write_completed("run-a", 100);
  CHECK(without(written).empty());
  CHECK(workspace::nothing_read(written.plan, written.folder, {}).empty());
}

TEST_CASE("of a large log only the beginning and the end are read") {
  std::string log = kStep;
  log.append(std::size_t{5} << 20, '\n');
  const ExternalPlan written("dlscale", "");
  const contract::LaunchDir launch = written.folder.run("run-a").launch(1);
  base::write_file_atomically(launch.results(), log);
  CHECK(workspace::has_measurements(launch, written.plan.runs[0], written.folder));
  base::write_file_atomically(launch.results(), log.substr(std::string_view(kStep).size()));
  CHECK_FALSE(workspace::has_measurements(launch, written.plan.runs[0], written.folder));
}
