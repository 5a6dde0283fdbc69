// SPDX-License-Identifier: Apache-2.0
// Tests of plan folders that were moved or copied.
#include <catch2/catch.hpp>

#include "tests/cli/small_study.hpp"

using namespace dlscale;
using Catch::Contains;
namespace fs = std::filesystem;

TEST_CASE("a copy of a plan folder is not submitted, because its jobs would run in the original") {
  test::SmallStudy planned;
  const fs::path there = planned.dlscale.folder.path();
  fs::copy(there / "p", there / "it's a copy", fs::copy_options::recursive);
  for (const char* verb : {"submit", "retry"}) {
    const test::Ran ran = planned.run({verb, "it's a copy"});
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains("it's a copy was moved or copied after planning") &&
                            Contains("would run in " + fs::canonical(there / "p").string() + ";"));
  }
  CHECK_FALSE(fs::exists(there / "it's a copy/launch.jsonl"));
  CHECK(planned.run({"submit", "p"}).exit_code == 0);
}

TEST_CASE("a moved plan folder can be submitted after planning it again") {
  test::SmallStudy planned;
  const fs::path there = planned.dlscale.folder.path();
  fs::rename(there / "p", there / "it's moved");
  CHECK(planned.run({"submit", "it's moved", "--dry-run"}).exit_code == 2);
  const test::Ran again =
      planned.run({"plan", "study.toml", "--site", "local", "-o", "it's moved"});
  INFO(again.err);
  CHECK(again.exit_code == 0);
  const test::Ran ran = planned.run({"submit", "it's moved"});
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
}

TEST_CASE("a plan folder may be given by a symbolic link") {
  test::SmallStudy planned;
  fs::create_directory_symlink("p", planned.dlscale.folder / "link");
  CHECK(planned.run({"submit", "link", "--dry-run"}).exit_code == 0);
  CHECK(planned.run({"plan", "study.toml", "--site", "local", "-o", "link"}).exit_code == 0);
  CHECK(planned.run({"submit", "p", "--dry-run"}).exit_code == 0);
}
