// SPDX-License-Identifier: Apache-2.0
// Tests of the files that `dlscale clean` lists, deletes and keeps.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/clock.hpp"
#include "runner/status/launch_log.hpp"
#include "tests/cli/planned_demo.hpp"
#include "workspace/runs/inventory.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using test::PlannedDemo;
namespace fs = std::filesystem;

namespace {

/// Demo with a done, a failed, a running and a planned run. The first three have a checkpoint and
/// job output.
struct UsedDemo : PlannedDemo {
  std::vector<contract::LaunchDir> launches;

  UsedDemo() {
    launches = {complete(ids[0]), fail(ids[1], "disk full"),
                launch(ids[2], {contract::RunStart{}})};
    for (std::size_t i = 0; i < 3; ++i) {
      base::make_directories(launches[i].checkpoint() / "save-1");
      base::write_file_atomically(launches[i].checkpoint() / "save-1" / "rank-0.pt",
                                  std::string(10000, 'x'));
      base::write_file_atomically(folder.job_out(ids[i]), "said\n");
    }
  }
  bool has_checkpoint(std::size_t i) const { return fs::exists(launches[i].checkpoint()); }
};

}  // namespace

TEST_CASE("sizes are printed in readable units") {
  CHECK(workspace::size_text(0) == "0 B");
  CHECK(workspace::size_text(999) == "999 B");
  CHECK(workspace::size_text(1500) == "1.5 kB");
  CHECK(workspace::size_text(999'999) == "1.0 MB");
  CHECK(workspace::size_text(123'400'000'000) == "123 GB");
}

TEST_CASE("clean without --what shows inodes and bytes of each kind and in total") {
  UsedDemo demo;
  base::write_file_atomically(demo.folder.root() / "my-notes.txt", "mine");
  const test::Ran ran = demo.dlscale.run({"clean", "demo"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("kind         inodes  "));
  CHECK_THAT(ran.out, Contains("\ncheckpoints       9  ") && Contains("\nresults           2  ") &&
                          Contains("\nlaunches          4  ") &&
                          Contains("\nlogs              3  ") &&
                          Contains("\nother             1  ") && Contains("\ntotal "));
}

TEST_CASE("clean lists files and deletes nothing without --yes") {
  UsedDemo demo;
  const test::Ran ran = demo.dlscale.run({"clean", "demo", "--what", "checkpoints,logs"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains(demo.launches[0].checkpoint().filename().string()) &&
                          Contains("nothing has been deleted; add --yes to delete these files\n"));
  CHECK_THAT(ran.out, Contains("\ncheckpoints       3  ") && Contains("\nlogs              2  ") &&
                          Contains("\ntotal             5  "));
  CHECK(demo.has_checkpoint(0));
  CHECK(fs::exists(demo.folder.job_out(demo.ids[0])));
}

TEST_CASE("checkpoints of incomplete runs stay unless their state is selected") {
  UsedDemo demo;
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "checkpoints", "--yes"}).exit_code == 0);
  CHECK_FALSE(demo.has_checkpoint(0));
  CHECK(demo.has_checkpoint(1));
  CHECK(fs::exists(demo.launches[0].results()));
  const test::Ran failed =
      demo.dlscale.run({"clean", "demo", "--what", "checkpoints", "--state", "failed", "--yes"});
  CHECK(failed.exit_code == 0);
  CHECK_FALSE(demo.has_checkpoint(1));
}

TEST_CASE("launches means failed launches, and results are deleted only on request") {
  UsedDemo demo;
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "launches", "--yes"}).exit_code == 0);
  CHECK(fs::exists(demo.launches[0].results()));
  CHECK_FALSE(fs::exists(demo.launches[1].root()));
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "results", "--yes"}).exit_code == 0);
  CHECK_FALSE(fs::exists(demo.launches[0].root()));
  CHECK(fs::exists(demo.folder.run(demo.ids[0]).run_json()));
}

TEST_CASE("files of a running run are never deleted") {
  UsedDemo demo;
  const test::Ran ran =
      demo.dlscale.run({"clean", "demo", "--what", "checkpoints,launches,results,logs", "--state",
                        "running", "--yes"});
  CHECK(ran.exit_code == 3);
  CHECK_THAT(ran.out, StartsWith("no checkpoints, launches, results, logs to delete\n"));
  CHECK(demo.has_checkpoint(2));
  CHECK(fs::exists(demo.folder.job_out(demo.ids[2])));
}

TEST_CASE("links are deleted, and their targets stay") {
  UsedDemo demo;
  const fs::path outside = demo.dlscale.folder / "scratch";
  fs::rename(demo.launches[0].checkpoint(), outside);
  fs::create_directory_symlink(outside, demo.launches[0].checkpoint());
  const test::Ran ran = demo.dlscale.run({"clean", "demo", "--what", "checkpoints", "--yes"});
  CHECK_THAT(ran.out, Contains(" (the link)\n") && Contains("\ncheckpoints       1  "));
  CHECK_FALSE(fs::is_symlink(demo.launches[0].checkpoint()));
  CHECK(fs::exists(outside / "save-1" / "rank-0.pt"));
  fs::rename(demo.folder.run(demo.ids[0]).root(), demo.dlscale.folder / "elsewhere");
  fs::create_directory_symlink(demo.dlscale.folder / "elsewhere",
                               demo.folder.run(demo.ids[0]).root());
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "results", "--yes"}).exit_code == 3);
  CHECK(fs::exists(demo.dlscale.folder / "elsewhere" / "launch-1"));
}

TEST_CASE("all tables are deleted, and a selection of runs keeps the output of other jobs") {
  UsedDemo demo;
  base::make_directories(demo.folder.tables());
  base::write_file_atomically(demo.folder.tables() / "efficiency.csv", "x\n");
  const test::Ran ran =
      demo.dlscale.run({"clean", "demo", demo.ids[0], "--what", "tables,logs", "--yes"});
  CHECK(ran.exit_code == 0);
  CHECK_FALSE(fs::exists(demo.folder.tables()));
  CHECK_FALSE(fs::exists(demo.folder.job_out(demo.ids[0])));
  CHECK(fs::exists(demo.folder.job_out(demo.ids[1])));
}

TEST_CASE("launches are not deleted while a launcher may resume them") {
  UsedDemo demo;
  const base::SystemClock clock;
  const runner::LaunchLog launcher(demo.folder.launch_log(), clock);
  const test::Ran ran = demo.dlscale.run({"clean", "demo", "--what", "launches", "--yes"});
  CHECK(ran.exit_code == 1);
  CHECK(fs::exists(demo.launches[1].root()));
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "checkpoints", "--yes"}).exit_code == 0);
}

TEST_CASE("clean rejects an unknown kind, and --yes without a kind") {
  UsedDemo demo;
  const test::Ran typo = demo.dlscale.run({"clean", "demo", "--what", "checkpoint"});
  CHECK(typo.exit_code == 2);
  CHECK_THAT(typo.err, Contains("unknown kind of files \"checkpoint\"; did you mean "
                                "\"checkpoints\"?"));
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "plan"}).exit_code == 2);
  const test::Ran bare = demo.dlscale.run({"clean", "demo", "--yes"});
  CHECK(bare.exit_code == 2);
  CHECK_THAT(bare.err,
             Contains("--what is missing: give one or more of checkpoints, launches, results"));
  CHECK(demo.dlscale.run({"clean", "demo", "--what", "figures"}).exit_code == 3);
}
