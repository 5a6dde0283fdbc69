// SPDX-License-Identifier: Apache-2.0
#include "planner/warnings.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

const std::string kLocal = "scheduler = 'local'\nwalltime = '01:00:00'\n";

bool has_warning(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("a learning rate that falls during warm-up is a warning") {
  const auto warnings = [](const std::string& training) {
    const test::TempDir dir;
    return test::plan_texts(test::StudyText{.training = training}.text(), kLocal, dir)
        .plan.warnings;
  };
  const std::string text =
      "the learning rate falls during warm-up because the global batch is below lr.base_batch, so "
      "the peak is below lr.base: ";
  const std::string lr = "epochs = 9\nlr = { base = 0.1, base_batch = ";
  CHECK(warnings(lr + "64 }\nwarmup_epochs = 1") == std::vector{text + "1 of 2 runs"});
  CHECK(warnings(lr + "32 }\nwarmup_epochs = 1").empty());
  CHECK(warnings(lr + "64 }").empty());
  CHECK(warnings(lr + "64, warmup_from = 'zero' }\nwarmup_epochs = 1").empty());
}

TEST_CASE("a warm-up without effect or with an idle first epoch is a warning") {
  const auto warnings = [](const std::string& lr) {
    const test::TempDir dir;
    const std::string training = "epochs = 9\nwarmup_epochs = 1\nlr = { base = 0.1" + lr + " }";
    return test::plan_texts(test::StudyText{.training = training}.text(), kLocal, dir)
        .plan.warnings;
  };
  REQUIRE(warnings("").size() == 1);
  CHECK_THAT(warnings("")[0], Catch::StartsWith("warm-up has no effect because without lr.scale"));
  CHECK(warnings(", base_batch = 32").empty());
  CHECK(warnings(", warmup_from = 'zero'").empty());
  const auto idle = warnings(", warmup_from = 'zero', warmup_update = 'epoch'");
  REQUIRE(idle.size() == 1);
  CHECK_THAT(idle[0], Catch::StartsWith("the first epoch learns nothing"));
}

TEST_CASE("every run that the trainer would reject at its start is counted in a warning") {
  const auto warnings = [](const std::string& training) {
    const test::TempDir dir;
    const test::StudyText study{.matrix =
                                    "model = 'cnn'\nloader = 'memory'\ngpus = [1, 2]\n"
                                    "batch_per_gpu = 32",
                                .training = "epochs = 1\nlr.base = 0.1\n" + training};
    const std::string site = "scheduler = 'local'\nwalltime = '01:00:00'\ncapabilities = '" +
                             test::full_trainer().string() + "'\n";
    return test::plan_texts(study.text(), site, dir).plan.warnings;
  };
  const auto refused = [&](const std::string& training, const std::string& beginning,
                           const std::string& runs) {
    INFO(training);
    const auto lines = warnings(training);
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0], Catch::StartsWith("the trainer rejects " + beginning) &&
                             Catch::Contains(runs + " of 2 runs would fail"));
  };
  const std::string set = "dataset = { kind = 'synthetic', train_samples = 40";
  CHECK(warnings(set + " }").empty());
  refused(set + ", shape = '1x5x5' }", "model (cnn needs images of at least 6x6", "2");
  refused(set + ", shape = '28' }", "dataset.shape (\"28\" is not a shape", "2");
  refused("dataset = { kind = 'image_folder', path = '/d', image_size = 32 }",
          "dataset.image_size (requires a loader that decodes", "2");
}

TEST_CASE("a condition on the data that a run needs to start is a warning") {
  const test::TempDir dir;
  const test::StudyText study{
      .matrix = "model = 'cnn'\nloader = 'synthetic'\ngpus = [1, 2]\nbatch_per_gpu = 32",
      .training = "epochs = 1\nlr.base = 0.1\ndataset = { kind = 'image_folder', path = '/d' }"};
  const std::string site =
      "scheduler = 'local'\ncapabilities = '" + test::full_trainer().string() + "'\n";
  CHECK(test::plan_texts(study.text(), site, dir).plan.warnings ==
        std::vector<std::string>{"the trainer starts only if all images of image_folder have the "
                                 "same size (dataset.image_size is not set): 2 of 2 runs"});
}

TEST_CASE("warnings count only the runs that --fit keeps") {
  const test::TempDir dir;
  base::write_file_atomically(dir / "t.toml",
                              "[[throughput]]\ngpus = 99\nsamples_per_s = 1\n"
                              "model = 'cnn'\n");
  const test::StudyText study{.matrix = "model = 'mlp'\ngpus = [1, 2, 4]\nbatch_per_gpu = 32",
                              .training =
                                  "lr.base_per_gpu = 0.1\nepochs = 1\nwarmup_epochs = 2\n"
                                  "dataset = { kind = 'synthetic', train_samples = 1000 }",
                              .resources = "max_gpu_hours = 5\ncalibration = 't.toml'"};
  const auto planning = test::plan_texts(study.text(), kLocal, dir, true);
  REQUIRE(planning.plan.runs.size() == 2);
  CHECK(has_warning(planning.plan.warnings,
                    "the peak learning rate is never reached because warm-up is at least as long "
                    "as the run: 2 of 2 runs"));
  CHECK(has_warning(
      planning.plan.warnings,
      "2 points without a matching row in the calibration: the walltime of the site is used"));
}
