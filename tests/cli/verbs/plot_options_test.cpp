// SPDX-License-Identifier: Apache-2.0
// Tests of options of `dlscale plot` that apply to some figures only.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "tests/analysis/support/written_study.hpp"
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
        "dlscale: --card, --peak and --memory-bandwidth apply only to the figure roofline\n");
  CHECK_THAT(refused({"rofline"}), Contains("did you mean \"roofline\"?"));
  CHECK_THAT(refused({"efficiency", "--warmup", "marke"}), Contains("did you mean \"marked\"?"));
}

TEST_CASE("an unknown quantity or an axis of another figure is rejected before a folder is read") {
  test::DlscaleProgram program;
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plot");
    const test::Ran ran = program.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK(std::filesystem::is_empty(program.folder.path()));
    return ran.err;
  };
  CHECK(refused({"roofline", "--x", "gpus"}) ==
        "dlscale: --x and --by apply only to quantities, not to the figure roofline\n");
  CHECK_THAT(refused({"load,forwards"}), Contains("unknown quantity \"forwards\"; did you mean"));
  CHECK_THAT(refused({"stp-time"}), Contains("unknown figure or quantity \"stp-time\"") &&
                                        Contains("did you mean \"step-time\"?"));
  CHECK_THAT(refused({"breakdown", "--x", "gpus"}), Contains("unknown quantity \"breakdown\""));
  CHECK_THAT(refused({"efficiency", "--x", "gpus", "--laws"}), Contains("without --x and --by"));
}

TEST_CASE("plot draws quantities over an axis of a collected study, and lists them") {
  test::WrittenStudy study;
  test::DlscaleProgram program;
  const std::string folder = study.folder.root().string();
  study.add("ddp", 1, {1000, 0.97});
  study.add("ddp", 2, {1900, 0.96});
  study.add("synchronous", 2, {1600, 0.95});
  CHECK(program.run({"collect", folder, "--no-tables"}).exit_code == 0);
  const test::Ran list = program.run({"plot", "list", folder});
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.out,
             Contains("  step-time              time of a step on the slowest rank (ms)"));
  CHECK_THAT(list.out, Contains("axes of made-up:\n  framework              ddp, synchronous\n"));
  const test::Ran drawn = program.run({"plot", "forward,backward", folder, "--x", "framework"});
  CHECK(drawn.err.empty());
  CHECK(drawn.exit_code == 0);
  CHECK(std::filesystem::exists(study.folder.figures() / "forward-backward-by-framework.svg"));
  CHECK_THAT(
      base::read_file(study.folder.figures() / "forward-backward-by-framework.csv"),
      Contains("\nseries,framework,time_ms,low,high\n") && Contains("\nforward,synchronous,"));
  const test::Ran none = program.run({"plot", "latency", folder});
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err, Contains("nothing to draw: latency needs a completed run with mode"));
  CHECK(program.run({"plot", "throughput", folder, "--x", "framwork"}).exit_code == 2);
}

TEST_CASE("plot states why nothing can be drawn, and what would help") {
  test::WrittenStudy study;
  test::DlscaleProgram program;
  const std::string folder = study.folder.root().string();
  const auto why = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "plot");
    words.insert(words.begin() + 2, folder);
    const test::Ran ran = program.run(words);
    CHECK(ran.exit_code == 3);
    return ran.err;
  };
  study.add("ddp", 1, {.outcome = contract::RunOutcome::Failed});
  CHECK(program.run({"collect", folder, "--no-tables"}).exit_code == 1);
  for (const char* kind : {"throughput", "speedup", "loss", "step-time"}) {
    CHECK_THAT(why({kind}), Contains("nothing to draw: no run completed (dlscale status shows"));
  }
  study.add("ddp", 2, {1900, 0.96});
  program.run({"collect", folder, "--no-tables"});
  CHECK_THAT(why({"inference"}),
             Contains("nothing to draw: inference needs a completed run with mode = \"inference\", "
                      "and there is none; 1 of 2 runs used"));
  CHECK_THAT(why({"best-count"}), Contains("best-count needs a curve of comparable runs whose"));
  CHECK_THAT(why({"validation-loss", "--x", "samples"}),
             Contains("the runs record validation-loss by epoch, but not the numbers of samples of "
                      "the epochs (use --x epoch)"));
}

TEST_CASE("plot reads the losses of step windows and the peak memory when a figure shows them") {
  test::WrittenStudy study;
  test::DlscaleProgram program;
  const std::string folder = study.folder.root().string();
  const std::string run = study.plan_run("ddp", 1);
  const contract::LaunchDir launch = study.folder.run(run).make_next_launch();
  contract::RunStart start;
  start.run_id = run;
  std::string text = contract::to_json_line(start) + "\n";
  for (int i = 0; i < 3; ++i) {
    contract::StepWindow window;
    window.first_step = 5 * i;
    window.steps = 5;
    window.samples = 320;
    window.wall_s = 1;
    window.train_loss = 4 - i;
    window.peak_memory_bytes = 2e9 + 1e9 * i;
    text += contract::to_json_line(window) + "\n";
  }
  base::write_file_atomically(launch.results(),
                              text + contract::to_json_line(contract::RunStop{}) + "\n");
  CHECK(program.run({"collect", folder, "--no-tables"}).exit_code == 0);
  CHECK(program.run({"plot", "train-loss", folder, "--x", "step", "-o", "l.svg"}).exit_code == 0);
  CHECK_THAT(base::read_file(program.folder / "l.csv"),
             Contains("measured,5,4,,\nmeasured,10,3,,\nmeasured,15,2,,\n"));
  CHECK(program.run({"plot", "memory", folder, "-o", "m.svg"}).exit_code == 0);
  CHECK_THAT(base::read_file(program.folder / "m.csv"), Contains("measured,1,4,,\n"));
}
