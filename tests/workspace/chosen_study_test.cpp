// SPDX-License-Identifier: Apache-2.0
#include "workspace/chosen_study.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "workspace/collect/collect_steps.hpp"

namespace dlscale::cli {
namespace {

using Catch::Contains;

/// Collected study of 1 and 2 GPUs with a plan that requests the baseline of 2 GPUs.
struct Collected {
  test::WrittenStudy study;
  Collected() {
    study.plan.baseline = {"gpus", 2};
    study.add("ddp", 1);
    study.add("ddp", 2);
    std::ostringstream out;
    workspace::collect_and_report({.plan_folder = study.folder.root(), .tables = false}, out);
  }
  workspace::StudyChoice choice(const std::string& baseline) const {
    return {study.folder.root().string(), baseline};
  }
};

}  // namespace

TEST_CASE("the study's own baseline is the default") {
  const Collected collected;
  CHECK(workspace::open_study(collected.choice("")).options.baseline ==
        contract::BaselineRule{"gpus", 2});
}

TEST_CASE("a chosen baseline overrides the study's baseline") {
  const Collected collected;
  const workspace::ChosenStudy study = workspace::open_study(collected.choice("per-curve"));
  CHECK(study.options.baseline == contract::BaselineRule{"per-curve", 0});
  CHECK(study.frame.runs.size() == 2);
}

TEST_CASE("a chosen baseline that was not measured is a usage error naming it") {
  const Collected collected;
  CHECK_THROWS_AS(workspace::open_study(collected.choice("gpus=16")), base::UsageError);
  CHECK_THROWS_WITH(workspace::open_study(collected.choice("gpus=16")),
                    Contains("gpus=16") && Contains("this curve has gpus=1, 2"));
}

TEST_CASE("outlying repeats are left out by a known policy only") {
  Collected collected;
  collected.study.add("ddp", 2, {.samples_per_s = 900}, 2);
  std::ostringstream out;
  workspace::collect_and_report({.plan_folder = collected.study.folder.root(), .tables = false},
                                out);
  workspace::StudyChoice choice = collected.choice("");
  CHECK(workspace::open_study(choice).frame.runs.size() == 3);
  choice.outliers = "drop-first";
  const workspace::ChosenStudy study = workspace::open_study(choice);
  CHECK(study.frame.runs.size() == 2);
  CHECK_THAT(study.frame.outliers, Contains("outliers (drop-first): 1 run left out: ddp-g2-r1"));
  choice.outliers = "drop";
  CHECK_THROWS_WITH(workspace::open_study(choice), Contains("unknown outlier policy \"drop\""));
}

TEST_CASE("a folder that was not collected is reported") {
  const test::WrittenStudy study;
  CHECK_THROWS_WITH(workspace::open_study({study.folder.root().string(), ""}),
                    Contains("run dlscale collect"));
}

}  // namespace dlscale::cli
