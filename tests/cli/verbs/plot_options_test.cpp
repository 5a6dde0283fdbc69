// SPDX-License-Identifier: Apache-2.0
// Tests of options of `dlscale plot` that apply to some figures only.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;

TEST_CASE("options of one figure are rejected for another, and no files are left") {
  test::DlscaleProgram program;
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plot");
    const test::Ran ran = program.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK(std::filesystem::is_empty(program.folder.path()));
    return ran.err;
  };
  CHECK(refused({"throughput", "--laws"}) ==
        "dlscale: --laws applies only to figures of speedup and efficiency\n");
  CHECK(refused({"efficiency", "--card", "x.json"}) ==
        "dlscale: --card, --peak and --memory-bandwidth apply only to plot roofline\n");
  CHECK_THAT(refused({"rofline"}), Contains("did you mean \"roofline\"?"));
  CHECK_THAT(refused({"efficiency", "--warmup", "marke"}), Contains("did you mean \"marked\"?"));
}
