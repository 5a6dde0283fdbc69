// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;

TEST_CASE("check-format reads several logs and prints the name of each") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "mine.toml",
                              "line = '^accuracy (?<accuracy>[\\d.]+)'\n");
  base::write_file_atomically(dlscale.folder / "a.log", "accuracy 0.5\n");
  base::write_file_atomically(dlscale.folder / "b.log", "accuracy 0.75\n");
  base::write_file_atomically(dlscale.folder / "empty.log", "nothing\n");
  const test::Ran two = dlscale.run({"check-format", "mine.toml", "a.log", "b.log"});
  CHECK(two.exit_code == 0);
  CHECK_THAT(two.out, Catch::StartsWith("a.log:\n1  evaluation: accuracy 0.5 ") &&
                          Catch::Contains("\n\nb.log:\n1  evaluation: accuracy 0.75 "));
  const test::Ran one = dlscale.run({"check-format", "mine.toml", "a.log"});
  CHECK_THAT(one.out, Catch::StartsWith("1  evaluation: accuracy 0.5 "));
  CHECK(dlscale.run({"check-format", "mine.toml", "empty.log", "a.log"}).exit_code == 3);
  const test::Ran missing = dlscale.run({"check-format", "mine.toml", "a.log", "none.log"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.out.empty());
  CHECK_THAT(missing.err, Catch::Contains("none.log: no such file"));
}
