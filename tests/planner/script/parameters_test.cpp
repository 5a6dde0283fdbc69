// SPDX-License-Identifier: Apache-2.0
#include "planner/script/run_values.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

/// Returns a study of an external trainer. `matrix` begins on line 7 and `training` on line 9.
test::StudyText external(const std::string& matrix, const std::string& training = "",
                         const std::string& command = "train {{model}}") {
  return {.matrix = "model = \"vit\"\ngpus = 1\nbatch_per_gpu = 8\n" + matrix,
          .training = training,
          .rest = "[trainer]\ncommand = '" + command + "'\n"};
}

std::string parameters_error(const test::StudyText& study) {
  return test::error_of([&] { planner::check_parameters(test::read(study)); });
}

}  // namespace

TEST_CASE("a parameter cannot have a name that commands or scripts use") {
  CHECK(parameters_error(external("parameters.gpus = [1, 2]")) ==
        "s.toml:7:19: matrix.parameters.gpus: the name is reserved: in scripts and commands "
        "{{gpus}} is the value \"ranks of the run\"; use another name for the parameter");
  CHECK(parameters_error(external("", "parameters.epochs = 3"))
            .rfind("s.toml:9:21: training.parameters.epochs: the name is reserved", 0) == 0);
  CHECK(
      parameters_error(external("parameters.table = 'a'")).find("the value \"in an array: file") !=
      std::string::npos);
  CHECK(parameters_error(external("parameters.is_packed = true")).find("the flag ") !=
        std::string::npos);
  CHECK(parameters_error(external("parameters.drop_path = [0, 0.1]", "parameters.amp = true"))
            .empty());
  auto overriding = external("", "parameters.size = 1");
  overriding.rest += "[[override]]\nwhen = 'gpus == 1'\nparameters.seed = 7\n";
  CHECK(parameters_error(overriding).find("override[0].parameters.seed: the name is reserved") !=
        std::string::npos);
}

TEST_CASE("planning rejects parameter names that are in use") {
  const test::TempDir dir;
  CHECK(test::error_of([&] {
          test::plan_texts(external("parameters.model = ['a']").text(), "scheduler = 'local'", dir);
        }).find("matrix.parameters.model: the name is reserved") != std::string::npos);
}

TEST_CASE("the head of an external trainer's script contains only settings of the study") {
  const test::TempDir dir;
  const auto planning = test::plan_texts(external("").text(), "scheduler = 'local'", dir);
  CHECK(planner::job_script(planning, 0, test::shipped_resources(), contract::PlanDir(dir / "out"))
            .find("\n# trains vit; ranks: 1, global batch: 8.\n") != std::string::npos);
}

TEST_CASE("an axis that the command does not use is reported with its location") {
  const auto study = test::read(
      external("parameters.foo = [1, 2]\nparameters.bar = [1, 2]", "", "train --foo {{foo}}"));
  CHECK(planner::unused_parameters(study) ==
        std::vector<std::string>{"s.toml:8:18: matrix.parameters.bar: the command does not contain "
                                 "{{bar}}, so the values of this axis have no effect"});
  const test::TempDir dir;
  const auto planning =
      test::plan_texts(external("parameters.bar = [1, 2]").text(), "scheduler = 'local'", dir);
  REQUIRE(planning.plan.warnings.size() == 1);
  CHECK(planning.plan.warnings[0].find("the command does not contain {{bar}}") !=
        std::string::npos);
}
