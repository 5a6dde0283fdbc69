// SPDX-License-Identifier: Apache-2.0
// Tests of [[override]] in studies.
#include <catch2/catch.hpp>

#include "tests/planner/shown_points.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using test::StudyText;

namespace {

const std::string kOverrideMatrix = "model = \"mlp\"\ngpus = [1, 2, 4]\nbatch_per_gpu = 32";

std::vector<contract::RunSpec> runs(const planner::Study& study) {
  std::vector<contract::RunSpec> result;
  for (const auto& point : planner::expand(study).points) {
    result.push_back(point.run);
  }
  return result;
}

std::string override_error(const std::string& rest) {
  return test::error_of([&] { test::read({.matrix = kOverrideMatrix, .rest = rest}); });
}

}  // namespace

TEST_CASE("the last matching override counts") {
  const auto all = runs(test::read({.matrix = kOverrideMatrix,
                                    .rest = "[[override]]\nwhen = 'gpus > 1'\nepochs = 3\n"
                                            "optimizer = { momentum = 0.9 }\n"
                                            "[[override]]\nwhen = 'gpus > 2'\nepochs = 5\n"}));
  REQUIRE(all.size() == 3);
  CHECK(all[0].epochs == 1);
  CHECK(all[1].epochs == 3);
  CHECK(all[2].epochs == 5);
  CHECK(all[0].optimizer.momentum == 0);
  CHECK(all[2].optimizer.momentum == 0.9);
}

TEST_CASE("an override keeps the labels of points and the ids of unaffected points") {
  const auto plain = test::read({.matrix = kOverrideMatrix});
  const auto changed = test::read(
      {.matrix = kOverrideMatrix, .rest = "[[override]]\nwhen = 'gpus == 2'\nepochs = 3"});
  const auto before = planner::expand(plain).points, after = planner::expand(changed).points;
  CHECK(before[0].id == after[0].id);
  CHECK(before[1].id != after[1].id);
  CHECK(before[2].id == after[2].id);
  CHECK(test::shown(changed, {"gpus", "epochs"})[1] == "2 -");
}

TEST_CASE("overrides use the values of the study, exclusions use the overridden values") {
  const auto study = test::read(
      {.matrix = kOverrideMatrix,
       .rest = "[[override]]\nwhen = 'epochs == 1 && gpus == 4'\nepochs = 7\n"
               "[[override]]\nwhen = 'epochs == 1 && gpus == 4'\naccumulation_steps = 2\n"
               "[[exclude]]\nwhen = 'epochs == 7 && global_batch == 256'\nwhy = 'long'"});
  const auto expansion = planner::expand(study);
  CHECK(test::shown(expansion, {"gpus"}) == std::vector<std::string>{"1", "2"});
  CHECK(expansion.skipped.size() == 1);
}

TEST_CASE("an override that holds in one sub-study is not reported for the others") {
  const std::string rest =
      "[[substudy]]\nname = 'few'\nmatrix = { gpus = [1] }\n"
      "[[substudy]]\nname = 'many'\nmatrix = { gpus = [2] }\n";
  const auto notes_of = [&](const std::string& when) {
    const auto study =
        test::read({.matrix = kOverrideMatrix,
                    .rest = "[[override]]\nwhen = '" + when + "'\nepochs = 2\n" + rest});
    return planner::expand(study).notes;
  };
  CHECK(notes_of("gpus == 2").empty());
  CHECK(notes_of("gpus == 4").size() == 1);
}

TEST_CASE("an override whose condition never holds is reported") {
  const auto study = test::read(
      {.matrix = kOverrideMatrix, .rest = "[[override]]\nwhen = 'gpus > 4'\nepochs = 2"});
  CHECK(planner::expand(study).notes ==
        std::vector<std::string>{
            "s.toml:11:1: override[0]: has no effect: its condition is false for all points"});
  const auto by_option =
      test::read({.matrix = kOverrideMatrix}, {"override=[{when='gpus > 4', epochs=2}]"});
  CHECK(planner::expand(by_option).notes ==
        std::vector<std::string>{"-S override=[{when='gpus > 4', epochs=2}]: override[0]: has no "
                                 "effect: its condition is false for all points"});
}

TEST_CASE("a malformed override is rejected with location and key") {
  CHECK(override_error("[[override]]\nepochs = 2") ==
        "s.toml:11:1: override[0]: when = 'condition' is missing");
  CHECK(override_error("[[override]]\nwhen = 'true'") ==
        "s.toml:11:1: override[0]: changes nothing; add keys of [training]");
  CHECK(override_error("[[override]]\nwhen = 'true'\ngpus = 2")
            .rfind("s.toml:13:1: override[0].gpus: unknown key", 0) == 0);
  CHECK(override_error("[[override]]\nwhen = 'true'\nbatch_per_gpu = 2") ==
        "s.toml:13:17: override[0].batch_per_gpu: is an axis (matrix.batch_per_gpu): an override "
        "cannot change it");
  CHECK(override_error("[[override]]\nwhen = 'true'\nglobal_batch = 2") ==
        "s.toml:13:16: override[0].global_batch: batch_per_gpu is also given; keep one of the two");
  CHECK(override_error("[[override]]\nwhen = 'true'\noptimizer = { momentum = -1 }") ==
        "s.toml:13:26: override[0].optimizer.momentum: must be between 0 and 1 (got -1)");
  CHECK(override_error("[[override]]\nwhen = 'gpus'\nepochs = 2") ==
        "s.toml:12:8: override[0].when: character 1 of 'gpus': expected a comparison");
}
