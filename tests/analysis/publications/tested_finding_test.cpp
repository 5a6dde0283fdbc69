// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/tested_finding.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/analysis/support/rows.hpp"

using namespace dlscale;
using namespace dlscale::analysis;

namespace {

constexpr const char* kTwoFaster =
    "[[finding]]\nname = \"faster\"\nclaim = \"Two GPUs are faster.\"\nsource = \"Figure 4\"\n"
    "metric = \"throughput\"\nleft = \"gpus == 2\"\nright = \"gpus == 1\"\n";

PublishedFinding finding_with(const std::string& keys) {
  return read_findings(kTwoFaster + keys, "f.toml").at(0);
}

/// Returns runs on one GPU and on two GPUs with these throughputs in samples per second.
Frame runs_of(const std::vector<double>& one, const std::vector<double>& two) {
  std::vector<RunRow> runs;
  for (std::size_t i = 0; i < one.size(); ++i) {
    runs.push_back(test::run_at(1, one[i], "ddp", static_cast<int>(i) + 1));
  }
  for (std::size_t i = 0; i < two.size(); ++i) {
    runs.push_back(test::run_at(2, two[i], "ddp", static_cast<int>(i) + 1));
  }
  return test::frame_of(std::move(runs));
}

std::set<std::string> ids_on(int gpus, const Frame& frame) {
  std::set<std::string> ids;
  for (const RunRow& run : frame.runs) {
    if (run.gpus == gpus) ids.insert(run.run_id);
  }
  return ids;
}

FindingResult result_of(const PublishedFinding& finding, const Frame& frame) {
  return test_finding(finding, frame, ids_on(2, frame), ids_on(1, frame));
}

const std::vector<double> kOne{100, 101, 102, 103}, kTwo{180, 182, 184, 186};

}  // namespace

TEST_CASE("a finding holds if the interval of the ratio excludes the contrary") {
  const FindingResult result = result_of(finding_with(""), runs_of(kOne, kTwo));
  CHECK(result.verdict == FindingVerdict::holds);
  REQUIRE(result.tests.size() == 1);
  CHECK(result.tests[0].statistics[0].estimate.value == Approx(1.8).epsilon(0.02));
  CHECK(result.tests[0].statistics[0].left_runs == 4);
}

TEST_CASE("a finding with a factor does not hold if the interval contains the factor") {
  const Frame frame = runs_of(kOne, kTwo);
  CHECK(result_of(finding_with("factor = 1.8\n"), frame).verdict == FindingVerdict::does_not_hold);
  CHECK(result_of(finding_with("factor = 1.7\n"), frame).verdict == FindingVerdict::holds);
}

TEST_CASE("the relations less and similar are tested against the interval") {
  const Frame frame = runs_of(kOne, kTwo);
  const auto verdict = [&](const std::string& keys) {
    return result_of(finding_with(keys), frame).verdict;
  };
  CHECK(verdict("relation = \"less\"\n") == FindingVerdict::does_not_hold);
  CHECK(verdict("relation = \"less\"\nfactor = 2\n") == FindingVerdict::holds);
  CHECK(verdict("relation = \"similar\"\nfactor = 1.8\nwithin = 0.05\n") == FindingVerdict::holds);
  CHECK(verdict("relation = \"similar\"\nwithin = 0.05\n") == FindingVerdict::does_not_hold);
}

TEST_CASE("three runs on each side are too few for an interval") {
  const FindingResult result =
      result_of(finding_with(""), runs_of({100, 101, 102}, {180, 182, 184}));
  CHECK(result.verdict == FindingVerdict::not_testable);
  CHECK(result.reason == "3 on the left and 3 on the right are too few runs for a 95 % interval");
}

TEST_CASE("a finding is not testable with fewer runs than its least number of repetitions") {
  const FindingResult result = result_of(finding_with("repetitions = 5\n"), runs_of(kOne, kTwo));
  CHECK(result.verdict == FindingVerdict::not_testable);
  CHECK(result.reason == "needs 5 runs on each side, found 4");
}

TEST_CASE("a finding is not testable without a run that has the metric") {
  const Frame frame = runs_of({}, kTwo);
  CHECK(result_of(finding_with(""), frame).reason == "no run with throughput matches gpus == 1");
  PublishedFinding finding = finding_with("");
  finding.metric = "final-accuracy";
  CHECK(result_of(finding, runs_of(kOne, kTwo)).reason ==
        "no run with final-accuracy matches gpus == 2");
}

TEST_CASE("one run is sufficient for an exact metric") {
  Frame frame = runs_of({100}, {180});
  frame.runs[0].size.trainable_parameters = 10;
  frame.runs[1].size.trainable_parameters = 20;
  PublishedFinding finding = finding_with("factor = 2\nrelation = \"similar\"\nwithin = 0\n");
  finding.metric = "parameters";
  CHECK(result_of(finding, frame).verdict == FindingVerdict::holds);
}

TEST_CASE("a run that ended out of memory counts as 1 and a completed run as 0") {
  Frame frame = runs_of({100}, {180});
  frame.runs[1].outcome = "OutOfMemory";
  PublishedFinding finding = finding_with("relation = \"similar\"\nwithin = 0\n");
  finding.metric = kOutOfMemory;
  finding.right.clear();
  finding.value = 1;
  CHECK(test_finding(finding, frame, ids_on(2, frame), {}).verdict == FindingVerdict::holds);
  CHECK(test_finding(finding, frame, ids_on(1, frame), {}).verdict ==
        FindingVerdict::does_not_hold);
}

TEST_CASE("a finding must hold for each value of the axes that pair the selections") {
  Frame frame = runs_of(kOne, kTwo);
  for (RunRow run : runs_of(kTwo, kOne).runs) {
    run.run_id = "other-" + run.run_id;
    run.point["framework"] = "horovod";
    frame.runs.push_back(std::move(run));
  }
  const FindingResult result = result_of(finding_with("each = [\"framework\"]\n"), frame);
  CHECK(result.verdict == FindingVerdict::does_not_hold);
  REQUIRE(result.tests.size() == 2);
  CHECK(result.tests[0].statistics[0].where == "framework ddp");
  CHECK(result.tests[0].holds);
  CHECK_FALSE(result.tests[1].holds);
}

TEST_CASE("a value of an axis that only one selection has is listed as not tested") {
  Frame frame = runs_of(kOne, kTwo);
  RunRow lonely = test::run_at(2, 200, "horovod");
  frame.runs.push_back(lonely);
  const FindingResult result = result_of(finding_with("each = [\"framework\"]\n"), frame);
  CHECK(result.verdict == FindingVerdict::holds);
  CHECK(result.left_out == std::vector<std::string>{"framework horovod: no run matches gpus == 1"});
}

TEST_CASE("an unknown axis in each is an error with the nearest axis") {
  CHECK_THROWS_WITH(result_of(finding_with("each = [\"framwork\"]\n"), runs_of(kOne, kTwo)),
                    Catch::Contains("framework"));
}

TEST_CASE("a selection can be compared with a number") {
  PublishedFinding finding = finding_with("");
  finding.right.clear();
  finding.value = 150;
  const std::vector<double> six{180, 182, 184, 186, 188, 190};
  CHECK(result_of(finding, runs_of(kOne, six)).verdict == FindingVerdict::holds);
  finding.value = 185;
  CHECK(result_of(finding, runs_of(kOne, six)).verdict == FindingVerdict::does_not_hold);
}

TEST_CASE("a difference is tested against the interval of the difference") {
  const Frame frame = runs_of(kOne, kTwo);  // the difference is about 81.5 samples per second
  const auto verdict = [&](const std::string& keys) {
    return result_of(finding_with(keys), frame).verdict;
  };
  CHECK(verdict("difference = 75\n") == FindingVerdict::holds);
  CHECK(verdict("difference = 82\n") == FindingVerdict::does_not_hold);
  CHECK(verdict("difference = 90\nrelation = \"less\"\n") == FindingVerdict::holds);
  CHECK(verdict("difference = 80\nrelation = \"similar\"\n") == FindingVerdict::holds);
  CHECK(verdict("difference = -80\nrelation = \"similar\"\n") == FindingVerdict::does_not_hold);
  const FindingResult result = result_of(finding_with("difference = 75\n"), frame);
  CHECK(result.tests.at(0).statistics.at(0).estimate.value == Approx(81.5));
}

TEST_CASE("a negative difference is similar within its own bounds") {
  const Frame frame = runs_of(kTwo, kOne);
  const std::string keys = "difference = -80\nrelation = \"similar\"\n";
  CHECK(result_of(finding_with(keys), frame).verdict == FindingVerdict::holds);
}

namespace {

/// Returns runs on one GPU with `one` samples per second and on two GPUs with `two` samples per
/// second, at a batch. Four repetitions differ by at most 1 %.
void add_batch(Frame& frame, std::int64_t batch, double one, double two) {
  for (const auto& [gpus, throughput] : {std::pair{1, one}, std::pair{2, two}}) {
    for (int repetition = 1; repetition <= 4; ++repetition) {
      RunRow run = test::run_at(gpus, throughput * (1 + 0.0025 * repetition), "ddp", repetition);
      run.run_id += "-b" + std::to_string(batch);
      run.batch_per_gpu = batch;
      frame.runs.push_back(std::move(run));
    }
  }
}

FindingVerdict verdict_along(const std::string& keys, const Frame& frame) {
  return result_of(finding_with("along = \"batch_per_gpu\"\n" + keys), frame).verdict;
}

}  // namespace

TEST_CASE("a gap narrows if the ratio is nearer to 1 at the largest value of the axis") {
  Frame narrow = runs_of({}, {}), wide = narrow, crossed = narrow;
  add_batch(narrow, 8, 100, 60);
  add_batch(narrow, 16, 100, 10);  // only the batches 8 and 64 count
  add_batch(narrow, 64, 100, 90);
  add_batch(wide, 8, 100, 90);
  add_batch(wide, 64, 100, 60);
  add_batch(crossed, 8, 100, 60);
  add_batch(crossed, 64, 100, 200);
  const std::string narrows = "relation = \"narrows\"\n";
  CHECK(verdict_along(narrows, narrow) == FindingVerdict::holds);
  CHECK(verdict_along(narrows, wide) == FindingVerdict::does_not_hold);
  CHECK(verdict_along(narrows, crossed) == FindingVerdict::does_not_hold);
}

TEST_CASE("a gap of times can widen while the gap of their ratio narrows") {
  Frame frame = runs_of({}, {});
  add_batch(frame, 8, 100, 60);
  add_batch(frame, 64, 1000, 900);
  CHECK(verdict_along("relation = \"narrows\"\n", frame) == FindingVerdict::holds);
  CHECK(verdict_along("relation = \"narrows\"\ndifference = 0\n", frame) ==
        FindingVerdict::does_not_hold);
}

TEST_CASE("the change of a statistic along an axis is compared with a number") {
  Frame frame = runs_of({}, {});
  add_batch(frame, 8, 100, 120);
  add_batch(frame, 64, 100, 180);
  CHECK(verdict_along("", frame) == FindingVerdict::holds);
  CHECK(verdict_along("factor = 1.4\n", frame) == FindingVerdict::holds);
  CHECK(verdict_along("factor = 1.6\n", frame) == FindingVerdict::does_not_hold);
  CHECK(verdict_along("difference = 50\n", frame) == FindingVerdict::holds);
  CHECK(verdict_along("difference = 70\n", frame) == FindingVerdict::does_not_hold);
  const PublishedFinding finding = finding_with("along = \"batch_per_gpu\"\n");
  CHECK_THAT(findings_text("made-up", {{finding, result_of(finding, frame)}}),
             Catch::Contains("from batch_per_gpu 8: 1.2 [") &&
                 Catch::Contains(" to batch_per_gpu 64: 1.8 ["));
}

TEST_CASE("a change along an axis needs two values with runs on both sides") {
  Frame frame = runs_of({}, {});
  add_batch(frame, 8, 100, 120);
  const PublishedFinding finding = finding_with("along = \"batch_per_gpu\"\n");
  const FindingResult result = result_of(finding, frame);
  CHECK(result.verdict == FindingVerdict::not_testable);
  CHECK(result.reason == "needs two values of batch_per_gpu with runs on both sides, found 1");
}

TEST_CASE("an axis without numbers cannot be the axis of a change") {
  CHECK_THROWS_WITH(
      result_of(finding_with("along = \"framework\"\n"), runs_of(kOne, kTwo)),
      Catch::Contains(
          "along: the values of the axis framework must be numbers, but one is \"ddp\""));
}

TEST_CASE("steps to a target are counted in the runs that reached it") {
  Frame frame = runs_of(kOne, kTwo);
  for (RunRow& run : frame.runs) {
    run.targets = {{.metric = "train_loss", .step = run.gpus == 1 ? 900 : 400}};
  }
  PublishedFinding finding = finding_with("relation = \"less\"\ndifference = -400\n");
  finding.metric = "steps-to-target";
  CHECK(result_of(finding, frame).verdict == FindingVerdict::holds);
  for (RunRow& run : frame.runs) {
    if (run.gpus == 1) run.targets.clear();
  }
  CHECK(result_of(finding, frame).reason == "no run with steps-to-target matches gpus == 1");
}

TEST_CASE("the ranks of a run can be compared with each other") {
  Frame frame = runs_of({}, kTwo);
  for (RunRow& run : frame.runs) {
    const double shift = 0.001 * run.repetition;
    run.ranks = {{.launch = 1,
                  .epochs = {{.steps = 9,
                              .work_s = {1, 1},
                              .epoch = 0,
                              .train_loss = {0.5 + shift, 2.3 + shift}}}}};
  }
  PublishedFinding finding = finding_with("factor = 4\n");
  finding.metric = "train-loss";
  finding.left_rank = 1;
  finding.right_rank = 0;
  const std::set<std::string> two = ids_on(2, frame);
  CHECK(test_finding(finding, frame, two, two).verdict == FindingVerdict::holds);
  finding.left_rank = 0;
  CHECK(test_finding(finding, frame, two, two).verdict == FindingVerdict::does_not_hold);
  finding.left_rank = 2;
  CHECK(test_finding(finding, frame, two, two).reason ==
        "no run with train-loss of rank 2 matches gpus == 2");
}

TEST_CASE("the table of findings has a row for each finding with verdict and statistic") {
  const Frame frame = runs_of(kOne, kTwo);
  const PublishedFinding finding = finding_with("");
  const Table table = findings_table("made-up", {{finding, result_of(finding, frame)}});
  REQUIRE(table.rows.size() == 1);
  CHECK(std::get<std::string>(table.rows[0][1]) == "holds");
  CHECK_THAT(std::get<std::string>(table.rows[0][4]), Catch::Contains("(n = 4, 4)"));
  CHECK_THAT(findings_text("made-up", {{finding, result_of(finding, frame)}}),
             Catch::StartsWith("Findings in made-up: 1 holds, 0 do not hold, 0 cannot be tested") &&
                 Catch::Contains("\nfaster: holds\n"));
  const Frame slower = runs_of(kTwo, kOne);
  CHECK_THAT(findings_text("made-up", {{finding, result_of(finding, slower)}}),
             Catch::StartsWith("Findings in made-up: 0 hold, 1 does not hold, 0 cannot"));
}
