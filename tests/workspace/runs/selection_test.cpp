// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/selection.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "cli/command.hpp"

using namespace dlscale;
using Catch::Contains;
using workspace::RunIds;

namespace {

contract::PlannedRun run_of(const std::string& framework, int gpus, int repetition) {
  contract::PlannedRun run;
  run.run_id = framework + "-g" + std::to_string(gpus) + "-r" + std::to_string(repetition);
  run.repetition = repetition;
  run.point = {{"framework", framework}, {"gpus", std::to_string(gpus)}};
  run.gpus = gpus;
  run.batch_per_gpu = 32;
  run.global_batch = 32 * gpus;
  return run;
}

contract::Plan plan() {
  contract::Plan plan;
  plan.axes = {{"framework", {"ddp", "horovod"}}, {"gpus", {"1", "2"}}};
  for (const char* framework : {"ddp", "horovod"}) {
    for (const int gpus : {1, 2}) {
      for (const int repetition : {1, 2}) {
        plan.runs.push_back(run_of(framework, gpus, repetition));
      }
    }
  }
  return plan;
}

RunIds where(const std::string& condition, const contract::Plan& of = plan()) {
  return workspace::matching_runs(of, {{}, condition});
}

RunIds called(const std::vector<std::string>& names) {
  return workspace::matching_runs(plan(), {names, ""});
}

}  // namespace

TEST_CASE("all runs are selected without a selection") {
  CHECK(workspace::matching_runs(plan(), {}).size() == 8);
  CHECK_FALSE(workspace::SelectionChoice{}.narrows());
}

TEST_CASE("a condition selects by axes, derived values and repetition") {
  CHECK(where("framework == 'ddp' && gpus == 2") == RunIds{"ddp-g2-r1", "ddp-g2-r2"});
  CHECK(where("global_batch > 32 && repetition == 1") == RunIds{"ddp-g2-r1", "horovod-g2-r1"});
  CHECK(where("batch_per_gpu != 32").empty());
}

TEST_CASE("ids and globs select the union of their matches") {
  CHECK(called({"ddp-g1-r1"}) == RunIds{"ddp-g1-r1"});
  CHECK(called({"horovod-*-r1", "ddp-g[12]-r2", "*-g1-r2"}) ==
        RunIds{"horovod-g1-r1", "horovod-g2-r1", "ddp-g1-r2", "ddp-g2-r2", "horovod-g1-r2"});
  CHECK(called({"ddp"}).empty());
}

TEST_CASE("a run id of joined folders matches with and without the name of its source") {
  contract::Plan joined;
  for (const char* source : {"juwels", "a/out"}) {
    for (contract::PlannedRun run : plan().runs) {
      run.run_id = std::string(source) + "/" + run.run_id;
      joined.runs.push_back(run);
    }
  }
  const auto count = [&](const std::string& name) {
    return workspace::matching_runs(joined, {{name}, ""}).size();
  };
  CHECK(count("ddp-g1-r1") == 2);
  CHECK(count("juwels/ddp-g1-r1") == 1);
  CHECK(count("a/out/*") == 8);
  CHECK(count("out*") == 0);
}

TEST_CASE("names and a condition are combined with and") {
  CHECK(workspace::matching_runs(plan(), {{"ddp-*"}, "gpus == 2 && repetition == 2"}) ==
        RunIds{"ddp-g2-r2"});
}

TEST_CASE("the values of an axis determine whether it is text, number or boolean") {
  contract::Plan mixed = plan();
  mixed.axes.push_back({"parameters.size", {"1", "large"}});
  mixed.axes.push_back({"optimizer.nesterov", {"true", "false"}});
  mixed.axes.push_back({"optimizer.momentum", {"0", "0.9"}});
  for (const std::size_t repetition : {0, 1}) {
    mixed.runs[repetition].point.insert(
        {{"parameters.size", "1"}, {"optimizer.nesterov", "true"}, {"optimizer.momentum", "0.9"}});
  }
  const RunIds both{"ddp-g1-r1", "ddp-g1-r2"};
  CHECK(where("parameters.size == '1'", mixed) == both);
  CHECK(where("optimizer.nesterov", mixed) == both);
  CHECK(where("optimizer.momentum > 0.5", mixed) == both);
}

TEST_CASE("a run of several sub-studies matches if one of them matches") {
  contract::Plan of_two = plan();
  of_two.runs[0].substudies = of_two.runs[1].substudies = {"small", "large"};
  of_two.runs[2].substudies = of_two.runs[3].substudies = {"small"};
  CHECK(where("substudy == 'large'", of_two) == RunIds{"ddp-g1-r1", "ddp-g1-r2"});
  CHECK(where("substudy == 'small'", of_two) ==
        RunIds{"ddp-g1-r1", "ddp-g1-r2", "ddp-g2-r1", "ddp-g2-r2"});
}

TEST_CASE("unknown axes and values in a condition are errors that list the known ones") {
  CHECK_THROWS_WITH(where("model == 'mlp'"),
                    Contains("--where: character 1 of 'model == 'mlp'': unknown name \"model\"") &&
                        Contains("framework, gpus, batch_per_gpu, global_batch, repetition)"));
  CHECK_THROWS_WITH(where("framework == 'dpp'"), Contains("did you mean \"ddp\"?"));
  CHECK_THROWS_WITH(where("substudy == 'x'"), Contains("unknown name \"substudy\""));
  CHECK_THROWS_AS(where("gpus >"), base::SpecError);
}

TEST_CASE("an empty selection is an error with its own exit code unless allowed") {
  try {
    workspace::select_runs(plan(), {{}, "gpus > 2"});
    FAIL("not refused");
  } catch (const base::Error& error) {
    CHECK(error.exit_code() == cli::kExitNothingMatched);
    CHECK_THAT(error.what(), Contains("0 of 8 runs match"));
  }
  CHECK(workspace::select_runs(plan(), {{}, "gpus > 2", true}).empty());
}
