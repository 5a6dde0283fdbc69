// SPDX-License-Identifier: Apache-2.0
#include "planner/plan_origin.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "planner/study/study_reader.hpp"
#include "tests/planner/planned.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

/// Study with a script next to it, and the folder of its plan.
struct OwnStudy {
  test::TempDir dir;
  contract::PlanDir out{dir / "plan"};

  explicit OwnStudy(const std::string& command = "bash train.sh {{gpus}}") {
    base::write_file_atomically(dir / "train.sh", "");
    base::write_file_atomically(dir / "env.sh", "");
    base::write_file_atomically(
        dir / "study.toml",
        "[study]\nname = 's'\n[matrix]\ngpus = [1, 2]\nbatch_per_gpu = 8\n[trainer]\ncommand = '" +
            command + "'\nenvironment_setup = ['source env.sh', 'export A=1']\n");
  }
  planner::Planning plan(const std::filesystem::path& study,
                         const std::vector<std::string>& overrides = {}) const {
    return plan_in(out, study, overrides);
  }
  planner::Planning plan_in(const contract::PlanDir& folder, const std::filesystem::path& study,
                            const std::vector<std::string>& overrides = {}) const {
    planner::Planner planner({study, "local", overrides}, test::shipped_resources());
    planner.expand();
    planner::Planning planning = planner.finish({.folder = folder});
    planner::write_plan(planning, test::shipped_resources(), folder);
    return planning;
  }
  std::vector<std::string> warnings(const std::filesystem::path& study,
                                    const std::vector<std::string>& overrides = {}) const {
    return planner::copy_warnings(
        planner::read_study(base::read_file(study), study.string(), overrides), overrides);
  }
};

}  // namespace

TEST_CASE("a plan records the study file, the changes and the files that the command names") {
  const OwnStudy own;
  const planner::Planning planning = own.plan(own.dir / "study.toml", {"study.repeats=2"});
  const contract::PlanOrigin origin = contract::find_plan_head(own.out).value().origin;
  CHECK(origin == planning.plan.origin);
  CHECK(origin.study_file == (own.dir / "study.toml").string());
  CHECK(origin.overrides == std::vector<std::string>{"study.repeats=2"});
  CHECK(origin.named_files == std::vector<std::string>{"train.sh", "env.sh"});
}

TEST_CASE("the copy in a plan folder gets a warning for files and changes that it lacks") {
  const OwnStudy own;
  own.plan(own.dir / "study.toml", {"study.repeats=2"});
  const std::vector<std::string> warnings = own.warnings(own.out.study_toml());
  REQUIRE(warnings.size() == 2);
  const std::vector<std::string> planned =
      planner::make_plan({own.out.study_toml(), "local"}, test::shipped_resources()).plan.warnings;
  for (const std::string& warning : warnings) {
    CHECK(std::find(planned.begin(), planned.end(), warning) != planned.end());
  }
  CHECK_THAT(warnings[0], Contains("does not contain train.sh, env.sh") &&
                              Contains("plan " + (own.dir / "study.toml").string() + " instead"));
  CHECK_THAT(warnings[1], Contains("to keep them, add -S 'study.repeats=2'"));
}

TEST_CASE("a plan of the copy in the same folder keeps the original study file") {
  const OwnStudy own;
  const std::string original = (own.dir / "study.toml").string();
  own.plan(own.dir / "study.toml", {"study.repeats=2"});
  for (int times = 0; times < 2; ++times) {
    const planner::Planning again = own.plan(own.out.study_toml(), {"study.repeats=3"});
    CHECK(again.plan.origin.study_file == original);
    CHECK(again.plan.origin.overrides == std::vector<std::string>{"study.repeats=3"});
    CHECK(again.plan.origin.named_files == std::vector<std::string>{"train.sh", "env.sh"});
    CHECK_THAT(own.warnings(own.out.study_toml(), {"study.repeats=3"}).at(0),
               Contains("plan " + original + " instead"));
  }
  const contract::PlanDir other(own.dir / "other");
  CHECK(own.plan_in(other, own.out.study_toml()).plan.origin.study_file ==
        own.out.study_toml().string());
  // This plan has no changes from the command line, so its origin has none.
  CHECK(own.plan(own.out.study_toml()).plan.origin.overrides.empty());
}

TEST_CASE("a plan of a merged copy keeps the changes that the copy contains") {
  const OwnStudy own;
  base::write_file_atomically(own.dir / "more.toml", "extends = 'study.toml'\n");
  own.plan(own.dir / "more.toml", {"study.repeats=2", "matrix.batch_per_gpu=4"});
  const planner::Planning again = own.plan(own.out.study_toml(), {"matrix.batch_per_gpu=2"});
  CHECK(again.plan.origin.study_file == (own.dir / "more.toml").string());
  CHECK(again.plan.origin.overrides ==
        std::vector<std::string>{"study.repeats=2", "matrix.batch_per_gpu=2"});
}

TEST_CASE("a copy whose files and changes are complete gets no warning") {
  const OwnStudy own;
  own.plan(own.dir / "study.toml", {"study.repeats=2"});
  for (const char* file : {"train.sh", "env.sh"}) {
    base::write_file_atomically(own.out.root() / file, "");
  }
  CHECK(own.warnings(own.out.study_toml(), {"study.repeats=3"}).empty());
}

TEST_CASE("the copy of a study that extends another study contains the changes") {
  const OwnStudy own;
  base::write_file_atomically(own.dir / "more.toml", "extends = 'study.toml'\n");
  own.plan(own.dir / "more.toml", {"study.repeats=2"});
  const std::vector<std::string> warnings = own.warnings(own.out.study_toml());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Contains("does not contain train.sh, env.sh"));
}

TEST_CASE("the original study and studies without files get no warning") {
  const OwnStudy own;
  own.plan(own.dir / "study.toml");
  CHECK(own.warnings(own.dir / "study.toml").empty());
  const OwnStudy other("bash /opt/train.sh");
  std::filesystem::remove(other.dir / "env.sh");
  other.plan(other.dir / "study.toml");
  CHECK(other.warnings(other.out.study_toml()).empty());
}
