// SPDX-License-Identifier: Apache-2.0
#include "planner/study/run_names.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "contract/run_spec/run_id.hpp"
#include "planner/study/expand.hpp"
#include "tests/planner/study_text.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::StartsWith;

namespace {

planner::Study study_of(const std::string& axes) {
  return test::read(
      {.matrix = "framework = \"ddp\"\nmodel = \"mlp\"\nbatch_per_gpu = 32\n" + axes});
}

std::vector<std::string> ids_of(const planner::Study& study, const planner::RunNames& names = {}) {
  std::vector<std::string> ids;
  for (const planner::Point& point : planner::expand(study, {}, names).points) {
    ids.push_back(point.id);
  }
  return ids;
}

}  // namespace

TEST_CASE("the name of a run contains every axis with several values") {
  const auto ids = ids_of(study_of(
      "optimizer.momentum = [0, 0.9]\ngpus = [1, 2]\nlr_schedule = [\"constant\", \"cosine\"]\n"
      "optimizer.nesterov = false\nprecision = \"fp32\""));
  REQUIRE(ids.size() == 8);
  CHECK_THAT(ids[0], StartsWith("ddp-mlp-g1-b32-momentum0-constant-"));
  CHECK_THAT(ids[7], StartsWith("ddp-mlp-g2-b32-momentum0.9-cosine-"));
}

TEST_CASE("run names have valid file name characters and a limited length") {
  const std::string path = "/data/" + std::string(200, 'x') + " é";
  const auto ids = ids_of(
      study_of("gpus = 1\ndataset.kind = \"mnist\"\ndataset.path = [\"/a b\", \"" + path + "\"]"));
  REQUIRE(ids.size() == 2);
  CHECK_THAT(ids[0], StartsWith("ddp-mlp-g1-b32-_a_b-"));
  CHECK(ids[1].size() <= 72 + 11);
  for (const std::string& id : ids) CHECK(contract::file_word(id) == id);
}

TEST_CASE("an existing run keeps its name when the study gets another axis") {
  const test::TempDir folder;
  const contract::PlanDir plan(folder.path());
  const auto before = ids_of(study_of("gpus = [1, 2]"));
  std::filesystem::create_directories(
      plan.run("called-otherwise-" + std::string(contract::point_hash(before[0])) + "-r1").root());
  const auto after = ids_of(study_of("gpus = [1, 2]\nlr_schedule = [\"constant\", \"cosine\"]"),
                            planner::RunNames(plan));
  REQUIRE(after.size() == 4);
  CHECK_THAT(after[0], StartsWith("called-otherwise-"));
  CHECK_THAT(after[1], StartsWith("ddp-mlp-g1-b32-cosine-"));
  CHECK(contract::point_hash(after[0]) == contract::point_hash(before[0]));
}

TEST_CASE("the hash of a name is its last part") {
  CHECK(contract::point_hash("ddp-mlp-g1-b64-7c61c82bb6") == "7c61c82bb6");
  CHECK(contract::point_hash("mine") == "mine");
}
