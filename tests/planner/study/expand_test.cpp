// SPDX-License-Identifier: Apache-2.0
#include "planner/study/expand.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/shown_points.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using test::shown;
using test::StudyText;

namespace {

const std::string kMatrix =
    "framework = [\"ddp\", \"synchronous\"]\nmodel = \"mlp\"\n"
    "batch_per_gpu = 32\ngpus = [1, 2]";

}  // namespace

TEST_CASE("the last axis varies fastest") {
  const auto study = test::read({.matrix = kMatrix});
  CHECK(shown(planner::expand(study), {"framework", "gpus"}) ==
        std::vector<std::string>{"ddp 1", "ddp 2", "synchronous 1", "synchronous 2"});
}

TEST_CASE("excluded points are skipped with the first reason that matches") {
  const auto study = test::read({.matrix = kMatrix,
                                 .rest = "[[exclude]]\nwhen = 'gpus == 2 && framework == \"ddp\"'\n"
                                         "why = 'one'\n[[exclude]]\nwhen = 'global_batch == 64'\n"
                                         "why = 'two'"});
  const auto expansion = planner::expand(study);
  CHECK(shown(expansion, {"framework", "gpus"}) ==
        std::vector<std::string>{"ddp 1", "synchronous 1"});
  REQUIRE(expansion.skipped.size() == 2);
  CHECK(expansion.skipped[0].why == "one");
  CHECK(expansion.skipped[1].why == "two");
  CHECK(expansion.skipped[1].point.at("framework") == "synchronous");
}

TEST_CASE("an include combines its values with all values of the other axes") {
  const auto study = test::read({.matrix = kMatrix, .rest = "[[include]]\ngpus = 8"});
  CHECK(shown(planner::expand(study), {"framework", "gpus"}) ==
        std::vector<std::string>{"ddp 1", "ddp 2", "synchronous 1", "synchronous 2", "ddp 8",
                                 "synchronous 8"});
}

TEST_CASE("two points with the same run are rejected, and both are named") {
  const auto again = test::read({.rest = "[[include]]\ngpus = 2"});
  CHECK(test::error_of([&] { planner::expand(again); }) ==
        "s.toml:3:1: matrix: two points are the same run: batch_per_gpu=32 gpus=2 model=mlp and "
        "the same values again (from [[include]])");
  const auto blind = test::read({.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\n"
                                           "schedules.cosine.lr_min = [0, 1]"});
  CHECK(test::error_of([&] { planner::expand(blind); }) ==
        "s.toml:3:1: matrix: two points are the same run: batch_per_gpu=1 gpus=1 model=mlp "
        "schedules.cosine.lr_min=0 and batch_per_gpu=1 gpus=1 model=mlp "
        "schedules.cosine.lr_min=1");
}

TEST_CASE("an uneven batch is an error that names the point, or a skipped point") {
  StudyText text{.study = "name = \"s\"\nscaling = \"strong\"",
                 .matrix = "model = \"mlp\"\ngpus = [1, 3]\nglobal_batch = [16]"};
  const auto strict = test::read(text);
  CHECK(test::error_of([&] { planner::expand(strict); }) ==
        "s.toml:7:17: matrix.global_batch: global_batch 16 over 3 GPUs does not divide evenly "
        "(point global_batch=16 gpus=3 model=mlp)");
  text.study += "\nuneven_batch = \"skip\"";
  const auto skipping = test::read(text);
  const auto expansion = planner::expand(skipping);
  CHECK(expansion.points.size() == 1);
  REQUIRE(expansion.skipped.size() == 1);
  CHECK(expansion.skipped[0].why == "global_batch 16 over 3 GPUs does not divide evenly");
}

TEST_CASE("a schedule without its parameters is rejected at its location") {
  const auto study = test::read({.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\n"
                                           "lr_schedule = [\"constant\", \"step\"]"});
  CHECK(test::error_of([&] {
          planner::expand(study);
        }).rfind("s.toml:7:28: matrix.lr_schedule: the step schedule needs", 0) == 0);
}

TEST_CASE("data sets in files need a path") {
  const std::string lr = "lr = { base_per_gpu = 0.1 }\n";
  const auto message = [](const StudyText& text) {
    const auto study = test::read(text);
    return test::error_of([&] { planner::expand(study); });
  };
  CHECK(message({.training = lr + "dataset = { kind = \"mnist\" }"}) ==
        "s.toml:9:20: training.dataset: mnist needs dataset.path, the path of the data");
  CHECK(message({.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\n"
                           "dataset.kind = [\"synthetic\", \"text_sst\"]"}) ==
        "s.toml:7:30: training.dataset: text_sst needs dataset.path, the path of the data");
  CHECK(message({.training = lr + "dataset = { kind = \"mnist\", path = \"d\" }"}).empty());
  CHECK(message({.training = lr + "dataset = { kind = \"synthetic\" }"}).empty());
}

TEST_CASE("data set paths can be an axis and keep their variables as written") {
  const auto study = test::read({.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\n"
                                           "dataset.path = [\"$A/one\", \"$A/two\"]"});
  const auto points = planner::expand(study).points;
  REQUIRE(points.size() == 2);
  CHECK(points[0].id != points[1].id);
  CHECK(points[1].run.point.at("dataset.path") == "$A/two");
}

TEST_CASE("a model can be a script file whose stem is part of the run id") {
  const StudyText text{.matrix =
                           "model = [\"mlp\", \"script:$NETS/my net.pt\"]\ngpus = 1\n"
                           "batch_per_gpu = 1",
                       .rest =
                           "[[override]]\nwhen = 'model == \"script:$NETS/my net.pt\"'\n"
                           "weights = \"$NETS/w.safetensors\""};
  const auto study = test::read(text);
  const auto points = planner::expand(study).points;
  REQUIRE(points.size() == 2);
  CHECK(points[1].id.rfind("ddp-my_net-g1-b1-", 0) == 0);
  CHECK(points[0].run.weights.empty());
  const contract::RunSpec& run = points[1].run;
  CHECK(run.model == "script:$NETS/my net.pt");
  CHECK(run.weights == "$NETS/w.safetensors");
  CHECK(run.point.at("model") == run.model);
}

TEST_CASE("points that are not requested are counted and not checked") {
  const auto study =
      test::read({.matrix = "model = \"mlp\"\ngpus = [1, 2, 4, 8]\nbatch_per_gpu = 4\n"
                            "lr_schedule = [\"constant\", \"step\"]",
                  .rest = "[[exclude]]\nwhen = 'gpus == 8'\nwhy = 'x'"});
  const auto result = planner::expand(study, [](const contract::PlannedRun& run) {
    return run.global_batch > 4 && run.point.at("lr_schedule") == "constant";
  });
  REQUIRE(result.points.size() == 2);
  CHECK(result.points[1].run.gpus == 4);
  CHECK(result.asked->all == 6);
  CHECK(result.asked->wanted == 2);
  CHECK(result.skipped.size() == 2);
  CHECK_FALSE(test::error_of([&] { planner::expand(study); }).empty());
}

TEST_CASE("a study of too many runs is rejected with their number") {
  std::string gpus = "1";
  for (int i = 2; i <= 200; ++i) gpus += ", " + std::to_string(i);
  const StudyText text{.study = "name = \"s\"\nrepeats = 10000",
                       .matrix = "model = \"mlp\"\nbatch_per_gpu = 1\ngpus = [" + gpus + "]"};
  const auto study = test::read(text);
  CHECK(test::error_of([&] { planner::expand(study); }) ==
        "s.toml: matrix: 200 points x 10000 repeats are 2000000 runs, but at most 100000 are "
        "allowed");
  const auto fits = test::read(text, {"study.repeats=500"});
  CHECK(planner::expand(fits).points.size() == 200);
}
