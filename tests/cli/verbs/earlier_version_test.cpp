// SPDX-License-Identifier: Apache-2.0
// Tests of a plan folder that version 0.1 made and completed. That version named runs after
// framework, model, LR schedule, GPUs and batch.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = fs::path(__FILE__).parent_path() / "../../data/plan_of_0.1";

struct OldPlan {
  test::DlscaleProgram dlscale;
  contract::PlanDir folder{dlscale.folder / "p"};
  std::vector<std::string> ids;

  OldPlan() {
    fs::copy(kFolder, folder.root(), fs::copy_options::recursive);
    fs::copy_file(folder.study_toml(), dlscale.folder / "study.toml");
    for (const auto& run : contract::read_plan(folder).runs) ids.push_back(run.run_id);
  }
  test::Ran plan(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"plan", "study.toml", "-o", "p"});
    return dlscale.run(more);
  }
  std::map<std::string, std::string> results() const {
    std::map<std::string, std::string> texts;
    for (const std::string& id : ids) {
      texts[id] = base::read_file(folder.run(id).launch(1).results());
    }
    return texts;
  }
};

}  // namespace

TEST_CASE("a study of an earlier version keeps its finished runs when it is planned again") {
  OldPlan old;
  const auto before = old.results();
  const test::Ran diff = old.plan({"--diff"});
  CHECK(diff.out == "0 added, 0 removed, 0 changed, 0 stale, 4 unchanged\n");
  REQUIRE(old.plan().exit_code == 0);
  std::vector<std::string> ids;
  for (const auto& run : contract::read_plan(old.folder).runs) ids.push_back(run.run_id);
  CHECK(ids == old.ids);
  CHECK(old.results() == before);
  const test::Ran status = old.dlscale.run({"status", "p", "--json", "--offline"});
  CHECK_THAT(status.out, Contains("\"counts\": {\n  \"done\": 4\n }"));
}

TEST_CASE(
    "runs of an earlier version stay when the study gets an axis, and other values get new ids") {
  OldPlan old;
  const std::vector<std::string> more{"-S", "matrix.optimizer.momentum=[0, 0.9]"};
  const test::Ran ran = old.plan(more);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  int kept = 0, added = 0;
  for (const auto& run : contract::read_plan(old.folder).runs) {
    const bool is_old = std::find(old.ids.begin(), old.ids.end(), run.run_id) != old.ids.end();
    kept += is_old ? 1 : 0;
    added += run.run_id.find("-momentum0.9-") != std::string::npos ? 1 : 0;
  }
  CHECK(kept == 4);
  CHECK(added == 4);
  const test::Ran status = old.dlscale.run({"status", "p", "--json", "--offline"});
  CHECK_THAT(status.out, Contains("\"done\": 4") && Contains("\"planned\": 4"));
}

TEST_CASE("results of an earlier version are collected") {
  OldPlan old;
  const test::Ran ran = old.dlscale.run({"collect", "p"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("synchronous") && Contains("ddp"));
}
