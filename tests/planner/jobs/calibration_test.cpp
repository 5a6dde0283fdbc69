// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/run_times.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using planner::Calibration;

namespace {

contract::RunSpec run_on(int gpus, const std::string& model = "resnet50") {
  contract::RunSpec run;
  run.model = model;
  run.gpus = gpus;
  run.epochs = 90;
  run.dataset = {.kind = "image_folder", .train_samples = 1000};
  run.point = {{"model", model}, {"gpus", std::to_string(gpus)}, {"loader", "native"}};
  run.loader = "native";
  return run;
}

/// Axes of the study to which the calibrations of these tests belong.
const std::vector<contract::Axis> kAxes{{"gpus", {}}, {"label_smoothing", {}}, {"loader", {}}};

std::string calibration_error(const std::string& text) {
  return test::error_of([&] { Calibration(text, "t.toml", kAxes); });
}

const std::string kRow = "[[throughput]]\ngpus = 4\nsamples_per_s = 400\n";

}  // namespace

TEST_CASE("the most specific row for a run is used") {
  const Calibration calibration(
      kRow +
          "[[throughput]]\ngpus = 4\nsamples_per_s = 500\nmodel = 'resnet50'\n"
          "[[throughput]]\ngpus = 4\nsamples_per_s = 600\nmodel = 'resnet50'\nloader = "
          "'dali_gpu'\n",
      "t.toml", kAxes);
  CHECK(calibration.throughput(run_on(4))->samples_per_s == 500);
  CHECK(calibration.throughput(run_on(4, "vgg16"))->samples_per_s == 400);
  auto dali = run_on(4);
  dali.point["loader"] = "dali_gpu";
  CHECK(calibration.throughput(dali)->samples_per_s == 600);
}

TEST_CASE("two rows for the same GPUs and runs are rejected") {
  CHECK(calibration_error(kRow + kRow) ==
        "t.toml:4:1: throughput[1]: another row has the same GPU count and conditions");
  const std::string model = kRow + "model = 'resnet50'\n";
  CHECK(
      calibration_error(model + kRow + model).rfind("t.toml:8:1: throughput[2]: another row", 0) ==
      0);
  CHECK(calibration_error(kRow + model).empty());
}

TEST_CASE("a malformed calibration is rejected with location, key and remedy") {
  CHECK(calibration_error("") ==
        "t.toml: throughput: there is no [[throughput]] row; add at least one");
  CHECK(calibration_error("[[troughput]]\ngpus = 1") ==
        "t.toml:1:3: troughput: unknown key; did you mean \"throughput\"? (known: throughput)");
  CHECK(calibration_error("[[throughput]]\nsamples_per_s = 1") ==
        "t.toml:1:1: throughput[0]: gpus is missing");
  CHECK(calibration_error("[[throughput]]\ngpus = 1") ==
        "t.toml:1:1: throughput[0]: samples_per_s is missing");
  CHECK(calibration_error("[[throughput]]\ngpus = 1\nsamples_per_s = 0").find("t.toml:3:17") == 0);
  CHECK(calibration_error(kRow + "modle = 'x'").find("did you mean \"model\"?") !=
        std::string::npos);
}

TEST_CASE("a row key that is not an axis of the study is rejected at its location") {
  CHECK_THAT(calibration_error(kRow + "window_steps = 5\n"),
             StartsWith("t.toml:4:16: throughput[0].window_steps: unknown axis of the study "
                        "\"window_steps\"") &&
                 Contains("(known: accumulation_steps, ") && Contains("label_smoothing, "));
  CHECK_THAT(calibration_error(kRow + "parameters = { width = 8 }\n"),
             StartsWith("t.toml:4:24: throughput[0].parameters.width: unknown axis"));
}

TEST_CASE("a condition on an axis that a run does not have does not match the run") {
  const Calibration calibration(
      kRow + "[[throughput]]\ngpus = 4\nsamples_per_s = 500\nlabel_smoothing = 0.1\n", "t.toml",
      kAxes);
  CHECK(calibration.throughput(run_on(4))->samples_per_s == 400);
  auto smoothed = run_on(4);
  smoothed.point["label_smoothing"] = "0.1";
  CHECK(calibration.throughput(smoothed)->samples_per_s == 500);
}

TEST_CASE("a row may name a parameter that is an axis of the study") {
  const Calibration calibration(kRow + "parameters.width = 8\n", "t.toml",
                                {{"parameters.width", {}}});
  auto run = run_on(4);
  CHECK_FALSE(calibration.throughput(run).has_value());
  run.point["parameters.width"] = "8";
  CHECK(calibration.throughput(run)->samples_per_s == 400);
}

TEST_CASE("a row may name an axis that only one sub-study has") {
  test::TempDir dir;
  const test::StudyText study{.matrix = "model = 'mlp'\nbatch_per_gpu = 32",
                              .training =
                                  "lr = { base_per_gpu = 0.1 }\nepochs = 10\n"
                                  "dataset = { kind = 'synthetic', train_samples = 1000 }",
                              .resources = "calibration = 't.toml'",
                              .rest =
                                  "[[substudy]]\nname = 'plain'\nmatrix = { gpus = [1] }\n"
                                  "[[substudy]]\nname = 'smooth'\n"
                                  "matrix = { gpus = [2], label_smoothing = [0, 0.1] }\n"};
  base::write_file_atomically(dir / "t.toml",
                              "[[throughput]]\ngpus = 1\nsamples_per_s = 100\n[[throughput]]\n"
                              "gpus = 2\nsamples_per_s = 1000\nlabel_smoothing = 0.1\n");
  const auto planning = test::plan_texts(study.text(), "scheduler = 'local'", dir);
  REQUIRE(planning.plan.runs.size() == 3);
  CHECK(planning.plan.runs[0].predicted_s == Approx(100));
  CHECK(planning.plan.runs[1].predicted_s == Approx(50));  // twice the throughput of one GPU
  CHECK(planning.plan.runs[2].predicted_s == Approx(10));
}

TEST_CASE("run times are epochs x samples / throughput from the file next to the study") {
  test::TempDir dir;
  base::write_file_atomically(dir / "t.toml", kRow + "model = 'resnet50'\n");
  planner::ResourceSettings requested;
  requested.calibration = "t.toml";
  requested.said["calibration"] = {std::string("t.toml"), {(dir / "study.toml").string(), 3, 5}};
  planner::RunTimes times(planner::StepTimes({}, {}), planner::FinishedRuns({}), kAxes);
  const planner::Site site{.scheduler = "slurm"};
  CHECK(times.of(run_on(4), requested, site).value == Approx(90 * 1000 / 400.0));
  CHECK(times.notes().empty());
  CHECK(times.of(run_on(8), requested, site).value == Approx(90 * 1000 / 800.0));
  CHECK(times.of(run_on(4, "vgg16"), requested, site).value == 0);
  auto unknown_size = run_on(4);
  unknown_size.dataset.train_samples = 0;
  CHECK(times.of(unknown_size, requested, site).value == 0);
  REQUIRE(times.notes().size() == 4);
  CHECK(times.notes()[0].find("1 point outside the measured GPU counts: run times assume") == 0);
  requested.calibration = "gone.toml";
  CHECK(test::error_of([&] { times.of(run_on(4), requested, site); }) ==
        (dir / "study.toml").string() + ":3:5: resources.calibration: cannot read " +
            (dir / "gone.toml").string() + ": No such file or directory");
  CHECK(times.of(run_on(4), {}, site).value == 0);
}
