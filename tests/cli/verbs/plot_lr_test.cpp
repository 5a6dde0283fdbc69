// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale plot lr` through the program.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const std::string kJuwels = DLSCALE_SOURCE_DIR "/examples/studies/juwels/study.toml";

std::size_t lines_of(const std::string& text, const std::string& beginning) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("\n" + beginning, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

}  // namespace

TEST_CASE("learning rates of a study are plotted before planning") {
  test::DlscaleProgram program;
  const test::Ran ran = program.run(
      {"plot", "lr", kJuwels, "--where", "substudy == \"schedules\"", "-o", "rates.svg"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out == "wrote ./rates.csv\nwrote ./rates.svg\n");
  const std::string csv = base::read_file(program.folder / "rates.csv");
  CHECK_THAT(csv, Contains("27 curves for "));
  CHECK(lines_of(csv, "\"step, 0.1\",0,0.025,,") == 1);
  CHECK(lines_of(csv, "\"exponential, 25.6\",5,25.6,,") == 1);
  CHECK_THAT(base::read_file(program.folder / "rates.svg"), Contains("</svg>"));
}

TEST_CASE("learning rates are plotted for selected points and with changed settings") {
  test::DlscaleProgram program;
  const test::Ran ran =
      program.run({"plot", "lr", kJuwels, "--where",
                   "gpus == 1024 && lr_schedule == \"step\" && substudy == \"schedules\"", "-S",
                   "training.lr.warmup_from='zero'"});
  CHECK(ran.exit_code == 0);
  const std::string csv = base::read_file(program.folder / "lr.csv");
  CHECK_THAT(csv, Contains("one curve for "));
  CHECK(lines_of(csv, "step,0,0,,") == 1);
}

TEST_CASE("plot lr rejects anything but a study in one line and leaves no files") {
  test::DlscaleProgram program;
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plot", "lr"});
    const test::Ran ran = program.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK(fs::is_empty(program.folder.path()));
    return ran.err;
  };
  CHECK(
      refused({}) ==
      "dlscale: . is a folder, but learning rates are drawn from a study file: use dlscale plot lr "
      "STUDY.toml\n");
  CHECK_THAT(refused({"nowhere.toml"}), Contains("nowhere.toml: "));
  CHECK_THAT(refused({kJuwels, "-S", "training.warmup_epoch=1"}),
             Contains("did you mean \"warmup_epochs\"?"));
  CHECK_THAT(refused({kJuwels, "--baseline", "gpus=4"}), Contains("only to figures of results"));
  CHECK_THAT(refused({kJuwels, "-o", "lr.bmp"}), Contains("unknown figure format \"bmp\""));
}

TEST_CASE("an unknown figure is reported with the nearest name, including lr") {
  test::DlscaleProgram program;
  const test::Ran ran = program.run({"plot", "lrs"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("unknown figure or quantity \"lrs\"; did you mean \"lr\"?"));
  CHECK_THAT(program.run({"plot", "loss", "-S", "a=1"}).err,
             Contains("only the command plot lr reads"));
}
