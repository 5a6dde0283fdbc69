// SPDX-License-Identifier: Apache-2.0
// Compares the runs that are shown for a selection with the runs of the plan.
#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

/// Plans a study with all shown runs selected, compares the shown runs with the plan and returns
/// their number.
std::size_t shown_as_planned(const std::string& study) {
  const test::TempDir dir;
  base::write_file_atomically(dir / "study.toml", study);
  const planner::Resources resources = test::shipped_resources();
  planner::Planner planner({.study = dir / "study.toml"}, resources);
  planner.expand();
  const std::vector<contract::PlannedRun> shown = planner.outline().runs;
  std::set<std::string> ids;
  for (const auto& run : shown) ids.insert(run.run_id);
  planner.keep(ids);
  const auto runs = planner.finish().plan.runs;
  REQUIRE(shown.size() == runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO(runs[i].run_id);
    CHECK(shown[i].run_id == runs[i].run_id);
    CHECK(shown[i].repetition == runs[i].repetition);
    CHECK(shown[i].point == runs[i].point);
    CHECK(shown[i].substudies == runs[i].substudies);
    CHECK(shown[i].gpus == runs[i].gpus);
    CHECK(shown[i].batch_per_gpu == runs[i].batch_per_gpu);
    CHECK(shown[i].global_batch == runs[i].global_batch);
  }
  return runs.size();
}

}  // namespace

TEST_CASE("the runs shown for a selection are the runs of the plan") {
  CHECK(shown_as_planned("[study]\nname = 's'\nrepeats = 2\n[matrix]\nmodel = 'mlp'\n"
                         "gpus = [1, 2, 4]\nbatch_per_gpu = [8, 16]\n[training]\nlr.base = 1\n"
                         "[[override]]\nwhen = 'gpus > 1'\naccumulation_steps = 2\n") == 12);
  CHECK(shown_as_planned("[study]\nname = 's'\nscaling = 'strong'\nuneven_batch = 'floor'\n"
                         "[matrix]\nmodel = 'mlp'\ngpus = [1, 3]\n[training]\nlr.base = 1\n"
                         "global_batch = 128\n[[override]]\nwhen = 'gpus == 1'\n"
                         "global_batch = 256\n") == 2);
  CHECK(shown_as_planned("[study]\nname = 's'\n[matrix]\nmodel = 'mlp'\ngpus = [1, 2]\n"
                         "[training]\nlr.base = 1\n[[substudy]]\nname = 'weak'\n"
                         "matrix.batch_per_gpu = 32\n[[substudy]]\nname = 'strong'\n"
                         "scaling = 'strong'\nmatrix.global_batch = 64\n") == 3);
}
