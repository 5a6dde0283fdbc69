// SPDX-License-Identifier: Apache-2.0
// Tests of the messages about runs of a training script whose output has no known format, and
// about a script that changes between runs.
#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/records/launch_record.hpp"
#include "tests/cli/dlscale_program.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

constexpr const char* kWindow =
    R"({"record": "step_window", "epoch": 0, "first_step": 0, "steps": 50, "samples": 400, )"
    R"("wall_s": 0.5, "parts": {}})";

struct ExternalStudy {
  test::DlscaleProgram dlscale;

  explicit ExternalStudy(const std::string& script, const std::string& trainer_keys = "") {
    write_script(script);
    base::write_file_atomically(
        dlscale.folder / "study.toml",
        "[study]\nname = 'mine'\n[matrix]\nmodel = 'net'\ngpus = [1, 2]\nbatch_per_gpu = 8\n"
        "[trainer]\ncommand = 'bash " +
            (dlscale.folder / "train.sh").string() + "'\n" + trainer_keys);
    REQUIRE(dlscale.run({"plan", "study.toml", "-o", "out"}).exit_code == 0);
  }
  void write_script(const std::string& text) const {
    base::write_file_atomically(dlscale.folder / "train.sh", text + "\n");
  }
  test::Ran submit(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"submit", "out", "--wait"};
    all.insert(all.end(), more.begin(), more.end());
    return dlscale.run(all);
  }
  std::string run_id(std::size_t i) const {
    return contract::read_plan(contract::PlanDir(dlscale.folder / "out")).runs.at(i).run_id;
  }
};

}  // namespace

TEST_CASE("completed runs of which nothing was read are reported by every verb") {
  ExternalStudy study("echo loss 3.2");
  REQUIRE(study.submit().exit_code == 0);
  const auto check_message = [](const std::string& text) {
    CHECK_THAT(text, Contains("no records were read from 2 completed runs"));
    CHECK_THAT(text, Contains("launch-1/results.jsonl does not exist"));
    CHECK_THAT(text, Contains("dlscale check-format FORMAT"));
  };
  check_message(study.dlscale.run({"status", "out"}).out);
  CHECK_THAT(study.dlscale.run({"status", "out", "--json"}).out,
             Contains("\"warnings\"") && Contains("no records were read"));
  const test::Ran collected = study.dlscale.run({"collect", "out"});
  CHECK_THAT(collected.out, Contains("0 of 2 runs used, 2 completed without records"));
  check_message(collected.out);
  const test::Ran brief = study.dlscale.run({"collect", "out", "--no-tables"});
  CHECK(brief.exit_code == collected.exit_code);
  CHECK_THAT(brief.out, Contains("0 of 2 runs used, 2 completed without records"));
  check_message(brief.out);
  check_message(study.dlscale.run({"analyze", "out"}).err);
  check_message(study.dlscale.run({"report", "out"}).err);
}

TEST_CASE(
    "a named format that reads nothing sets the exit code, and empty tables are not printed") {
  test::DlscaleProgram dlscale;
  const std::string study =
      "[study]\nname = 'mine'\n[matrix]\nmodel = 'net'\ngpus = 1\nbatch_per_gpu = 8\n"
      "[trainer]\ncommand = 'echo loss 3.2 wall 0.5'\n";
  const auto run_with = [&](const std::string& read) {
    base::write_file_atomically(dlscale.folder / "study.toml", study + read);
    return dlscale.run({"run", "study.toml", "-o", "out", "--no-figures"});
  };
  const test::Ran wrong =
      run_with("read = { line = ['lost (?<loss>[0-9.]+) wall (?<wall_s>[0-9.]+)'] }\n");
  CHECK(wrong.exit_code == 3);
  CHECK_THAT(wrong.out, Contains("0 of 1 run used, 1 completed without records") &&
                            Contains("no records were read") &&
                            Contains("no completed run can be shown here") &&
                            !Contains("Parallel efficiency") && !Contains("Test accuracy"));
  CHECK(std::filesystem::exists(dlscale.folder / "out/tables/accuracy.csv"));
  const test::Ran right =
      run_with("read = { line = ['loss (?<loss>[0-9.]+) wall (?<wall_s>[0-9.]+)'] }\n");
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, Contains("Parallel efficiency") && !Contains("Test accuracy") &&
                            !Contains("no completed run can be shown here"));
  CHECK(run_with("").exit_code == 0);  // a study without a format need not have records
}

TEST_CASE("a format that the study describes is not part of run ids") {
  ExternalStudy study("echo loss 3.2 wall 0.5; echo loss 3.1 wall 0.5");
  REQUIRE(study.submit().exit_code == 0);
  const std::string id = study.run_id(0);
  const std::string text = base::read_file(study.dlscale.folder / "study.toml");
  const auto plan_with = [&](const std::string& read) {
    base::write_file_atomically(study.dlscale.folder / "study.toml", text + read);
    const test::Ran planned = study.dlscale.run({"plan", "study.toml", "-o", "out"});
    CHECK_THAT(planned.out, !Contains("with results"));
    CHECK(study.run_id(0) == id);
    return study.dlscale.run({"collect", "out"}).out;
  };
  const std::string wrong = "line = ['lost (?<loss>[0-9.]+) wall (?<wall_s>[0-9.]+)']\n";
  const std::string right = "line = ['loss (?<loss>[0-9.]+) wall (?<wall_s>[0-9.]+)']\n";
  CHECK_THAT(plan_with("[trainer.read]\n" + wrong), Contains("0 of 2 runs used"));
  CHECK_THAT(plan_with("[trainer.read]\n" + right), Contains("2 of 2 runs used"));
  base::write_file_atomically(study.dlscale.folder / "own.toml", right);
  CHECK_THAT(plan_with("read = 'own.toml'\n"), Contains("2 of 2 runs used"));
  const std::filesystem::path copy = study.dlscale.folder / "out/log_format.toml";
  CHECK(std::filesystem::exists(copy));
  CHECK_THAT(plan_with(""), Contains("0 of 2 runs used"));
  CHECK_FALSE(std::filesystem::exists(copy));
  const std::string named = text + "log_format = 'timm'\n";
  base::write_file_atomically(study.dlscale.folder / "study.toml", named);
  REQUIRE(study.dlscale.run({"plan", "study.toml", "-o", "out"}).exit_code == 0);
  CHECK(study.run_id(0) != id);
}

TEST_CASE(
    "records of a script are read without a log format, and naming the format repeats no run") {
  ExternalStudy study(std::string("echo '") + kWindow + "' > results.jsonl");
  CHECK(study.submit().exit_code == 0);
  CHECK_THAT(study.dlscale.run({"status", "out"}).out, Contains("2 done"));
  CHECK_THAT(study.dlscale.run({"collect", "out"}).out, Contains("2 of 2 runs used"));
  const std::string text = base::read_file(study.dlscale.folder / "study.toml");
  base::write_file_atomically(study.dlscale.folder / "study.toml", text + "read = 'dlscale'\n");
  const test::Ran again = study.dlscale.run({"run", "study.toml", "-o", "out", "--no-figures"});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, Contains("no run was started") && Contains("2 of 2 runs used"));
}

TEST_CASE("a folder that is planned again for dlscale-train has no external runs") {
  ExternalStudy study("true");
  const contract::PlanDir folder(study.dlscale.folder / "out");
  CHECK(std::filesystem::exists(folder.describe_script()));
  base::write_file_atomically(
      study.dlscale.folder / "study.toml",
      "[study]\nname = 'mine'\n[matrix]\nmodel = 'mlp'\ngpus = 1\nbatch_per_gpu = 8\n"
      "[training]\nepochs = 1\ndataset.kind = 'synthetic_digits'\nlr.base_per_gpu = 0.05\n"
      "lr.scale = 'linear'\n");
  REQUIRE(study.dlscale.run({"plan", "study.toml", "-o", "out"}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(folder.describe_script()));
}

TEST_CASE("status shows the line of environment_setup that failed") {
  ExternalStudy study("echo trained", "environment_setup = ['source missing/bin/activate']\n");
  CHECK(study.submit().exit_code != 0);
  CHECK_THAT(study.dlscale.run({"status", "out"}).out,
             Contains("missing/bin/activate: No such file or directory; "
                      "trainer.environment_setup: \"source missing/bin/activate\" ended with exit "
                      "code 1") &&
                 !Contains(": line "));
}

TEST_CASE("breakdown tells that the steps of a script have no parts") {
  ExternalStudy study(std::string("echo '") + kWindow + "' > results.jsonl",
                      "log_format = 'dlscale'\n");
  REQUIRE(study.submit().exit_code == 0);
  const test::Ran collected = study.dlscale.run({"collect", "out"});
  CHECK_THAT(collected.out, Contains("2 of 2 runs used") && !Contains("no records were read"));
  CHECK_THAT(study.dlscale.run({"analyze", "out", "--metric", "breakdown"}).err,
             Contains("breakdown needs a completed run that recorded the parts of its steps") &&
                 Contains("and there is none"));
}

TEST_CASE("after retry, the completed launch of each run counts") {
  ExternalStudy study("echo rate 100 samples/s; exit 1",
                      "[trainer.read]\nline = ['rate (?<samples_per_s>[0-9.]+) samples/s']\n");
  CHECK(study.submit().exit_code != 0);
  study.write_script("echo rate 2000 samples/s");
  REQUIRE(study.dlscale.run({"retry", "out", "--wait"}).exit_code == 0);
  CHECK_THAT(study.dlscale.run({"collect", "out"}).out, Contains("2 of 2 runs used"));
  const test::Ran analyzed = study.dlscale.run({"analyze", "out", "--metric", "throughput"});
  CHECK_THAT(analyzed.out, Contains(" 2000.0 ") && !Contains(" 100.0 "));
  CHECK_THAT(study.dlscale.run({"verify", "out"}).out, Contains("no differences"));
}

TEST_CASE("epochs that a script prints from 1 count from 0, also in a launch that resumes") {
  const std::string epochs =
      "; do echo \"it 10 of 10: 64 samples/s\"; echo \"Epoch $e/4: accuracy 0.$e\"; done";
  ExternalStudy study(
      "for e in 1 2" + epochs + "; exit 1",
      "[trainer.read]\nline = ['it (?<steps>\\d+) of .* (?<samples_per_s>\\d+) samples/s', "
      "'Epoch (?<epoch>\\d+)/\\d+: accuracy (?<accuracy>[0-9.]+)']\n");
  CHECK(study.submit().exit_code != 0);
  CHECK_THAT(study.dlscale.run({"status", "out", "--json"}).out, Contains("\"epoch\":2,"));
  study.write_script("for e in 3" + epochs);
  REQUIRE(study.dlscale.run({"retry", "out", "--wait"}).exit_code == 0);
  const test::Ran collected = study.dlscale.run({"collect", "out"});
  CHECK_THAT(collected.out, Contains("2 of 2 runs used") && !Contains("epochs_from"));
  REQUIRE(
      study.dlscale.run({"export", "out", "-o", "csv", "--view", "eval,step_window"}).exit_code ==
      0);
  const std::string evals = base::read_file(study.dlscale.folder / "csv/eval.csv");
  CHECK_THAT(evals, Contains(",0.3,"));
  CHECK_THAT(study.dlscale.run({"analyze", "out", "--metric", "epochs", "--format", "csv"}).out,
             Contains(",3,") && !Contains(",4,"));
}

TEST_CASE("a pattern that reads no line of any completed run is reported with its place") {
  ExternalStudy study("echo rate 100 samples/s; echo loss 3",
                      "[trainer.read]\nline = ['rate (?<samples_per_s>[0-9.]+) samples/s', "
                      "'loss (?<loss>[0-9.]+)', 'top1 (?<accuracy>[0-9.]+)']\n");
  REQUIRE(study.submit().exit_code == 0);
  for (int i = 0; i < 2; ++i) {  // the second collect reads no log
    const std::string text = study.dlscale.run({"collect", "out"}).out;
    CHECK_THAT(text, Contains("out/log_format.toml:1:") &&
                         Contains("no line is read by the pattern 'top1 (?<accuracy>[0-9.]+)'") &&
                         !Contains("by the pattern 'loss"));
  }
}

TEST_CASE("verbs that show results older than the runs name the command that reads the runs") {
  ExternalStudy study("echo rate 100 samples/s",
                      "[trainer.read]\nline = ['rate (?<samples_per_s>[0-9.]+) samples/s']\n");
  CHECK_THAT(study.submit({"--run", study.run_id(0)}).out,
             Contains("dlscale collect") && Contains("reads the results of the runs"));
  REQUIRE(study.dlscale.run({"collect", "out"}).exit_code == 0);
  const auto warnings = [&](const std::vector<std::string>& command) {
    const test::Ran ran = study.dlscale.run(command);
    return ran.out + ran.err;
  };
  const std::vector<std::vector<std::string>> commands{{"analyze", "out"},
                                                       {"report", "out", "-o", "paper"},
                                                       {"plot", "throughput", "out", "-o", "a.svg"},
                                                       {"export", "out", "-o", "csv", "--force"}};
  for (const auto& command : commands) CHECK_THAT(warnings(command), !Contains("older than"));
  REQUIRE(study.submit().exit_code == 0);
  for (const auto& command : commands) {
    CHECK_THAT(warnings(command), Contains("warning: the results are older than the runs") &&
                                      Contains("run dlscale collect out"));
  }
  REQUIRE(study.dlscale.run({"collect", "out"}).exit_code == 0);
  for (const auto& command : commands) CHECK_THAT(warnings(command), !Contains("older than"));
}

TEST_CASE("runs of different code are compared only with --mixed") {
  const std::string script = std::string("echo '") + kWindow + "' > results.jsonl";
  ExternalStudy study(script, "log_format = 'dlscale'\n");
  REQUIRE(study.submit({"--run", study.run_id(0)}).exit_code == 0);
  study.write_script(script + " # faster");
  REQUIRE(study.submit().exit_code == 0);
  REQUIRE(study.dlscale.run({"collect", "out"}).exit_code == 0);
  CHECK_THAT(study.dlscale.run({"analyze", "out", "--metric", "speedup"}).err,
             Contains("code is \"train.sh ") && Contains("--mixed"));
  CHECK_THAT(study.dlscale.run({"analyze", "out", "--metric", "speedup", "--mixed"}).out,
             Contains("mixes conditions: code is"));
}

TEST_CASE("retry --old-code repeats the runs of other code, and the runs are comparable again") {
  const std::string script = std::string("echo '") + kWindow + "' > results.jsonl";
  ExternalStudy study(script, "log_format = 'dlscale'\n");
  REQUIRE(study.submit({"--run", study.run_id(0)}).exit_code == 0);
  CHECK(study.dlscale.run({"retry", "out", "--old-code", "--wait"}).exit_code == 3);
  study.write_script(script + " # faster");
  REQUIRE(study.submit().exit_code == 0);
  const std::string warning = "1 run used other code than " + study.run_id(1) +
                              ", the newest completed run (file that differs: " +
                              (study.dlscale.folder / "train.sh").string() +
                              "): " + study.run_id(0) + "; \"dlscale retry ";
  CHECK_THAT(study.dlscale.run({"status", "out"}).out, Contains(warning));
  CHECK_THAT(study.dlscale.run({"collect", "out"}).out, Contains("warning: " + warning));
  CHECK_THAT(study.dlscale.run({"analyze", "out", "--metric", "speedup"}).err,
             Contains("dlscale status names the command that repeats the runs of other code"));
  const test::Ran repeated = study.dlscale.run({"retry", "out", "--old-code", "--wait"});
  CHECK(repeated.exit_code == 0);
  const contract::PlanDir folder(study.dlscale.folder / "out");
  CHECK(folder.run(study.run_id(0)).launches().size() == 2);
  CHECK(folder.run(study.run_id(1)).launches().size() == 1);
  CHECK_THAT(study.dlscale.run({"collect", "out"}).out, !Contains("other code"));
  CHECK(study.dlscale.run({"analyze", "out", "--metric", "speedup"}).exit_code == 0);
}

TEST_CASE("a script that changed after all runs is named, and retry --old-code repeats the runs") {
  const std::string script = std::string("echo '") + kWindow + "' > results.jsonl";
  ExternalStudy study(script, "log_format = 'dlscale'\n");
  const std::vector<std::string> command{"run", "study.toml", "-o", "out", "--no-figures"};
  REQUIRE(study.dlscale.run(command).exit_code == 0);
  CHECK_THAT(study.dlscale.run({"status", "out"}).out, !Contains("earlier version"));
  study.write_script(script + " # faster");
  const std::string warning =
      "warning: 2 runs used an earlier version of " + (study.dlscale.folder / "train.sh").string();
  const test::Ran again = study.dlscale.run(command);
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, Contains("no run was started") && Contains(warning));
  CHECK_THAT(study.dlscale.run({"status", "out"}).out,
             Contains("2 runs used an earlier version") &&
                 Contains("the results stay valid for that version; \"dlscale retry "));
  CHECK(study.dlscale.run({"retry", "out", "--old-code", "--wait"}).exit_code == 0);
  CHECK_THAT(study.dlscale.run({"status", "out"}).out, !Contains("earlier version"));
  CHECK(study.dlscale.run({"retry", "out", "--old-code"}).exit_code == 3);
}

TEST_CASE("retry before the first submission names the command that submits the runs") {
  ExternalStudy study("exit 1");
  const test::Ran ran = study.dlscale.run({"retry", "out"});
  CHECK(ran.exit_code == 3);
  CHECK_THAT(ran.err, Contains("no run has failed yet, because 2 runs are planned and not "
                               "submitted; dlscale submit ") &&
                          Contains(" starts them"));
  CHECK(study.dlscale.run({"retry", "out", "--allow-empty"}).exit_code == 0);
  CHECK(study.submit({"--run", study.run_id(0)}).exit_code == 1);
  CHECK_THAT(study.dlscale.run({"retry", "out", "--run", study.run_id(1)}).err,
             Contains("1 run is planned and not submitted") && Contains(" starts it"));
  CHECK_THAT(study.dlscale.run({"retry", "out", "--wait"}).err, Contains("1 of 2 runs is failed"));
}

TEST_CASE("retry --state done repeats completed runs of a training script") {
  ExternalStudy study("echo trained");
  REQUIRE(study.submit().exit_code == 0);
  CHECK(study.dlscale.run({"retry", "out", "--state", "done", "--run", study.run_id(1), "--wait"})
            .exit_code == 0);
  const contract::PlanDir folder(study.dlscale.folder / "out");
  CHECK(folder.run(study.run_id(0)).launches().size() == 1);
  CHECK(folder.run(study.run_id(1)).launches().size() == 2);
  CHECK(study.dlscale.run({"retry", "out", "--state", "done", "--old-code"}).exit_code == 2);
}

TEST_CASE("a repeated run command leaves completed runs of a training script untouched") {
  ExternalStudy study("echo loss 3.2");
  const std::vector<std::string> command{"run", "study.toml", "-o", "out", "--no-figures"};
  CHECK(study.dlscale.run(command).exit_code == 0);
  const contract::PlanDir folder(study.dlscale.folder / "out");
  const auto records = [&] {
    std::string text = base::read_file(folder.launch_log());
    for (std::size_t i = 0; i < 2; ++i) text += base::read_file(folder.run_notes(study.run_id(i)));
    return text + study.dlscale.run({"usage", "out"}).out;
  };
  const std::string before = records();
  const test::Ran again = study.dlscale.run(command);
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, Contains("all runs are complete; no run was started\n"));
  CHECK(records() == before);
}

TEST_CASE("a study of a training script runs without dlscale-train") {
  ExternalStudy study("echo trained");
  base::write_file_atomically(study.dlscale.folder / "here.toml",
                              "scheduler = 'local'\ntrainer = 'no-trainer'\n");
  const test::Ran ran =
      study.dlscale.run({"run", "study.toml", "--site", "here.toml", "-o", "new", "--no-figures"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(study.dlscale.run({"status", "new"}).out, Contains("2 done"));
}

TEST_CASE("a training script that exits with 5 or 99 has failed with its last words") {
  for (const std::string code : {"5", "99"}) {
    ExternalStudy study("echo 'ERROR: data not found'; exit " + code);
    CHECK(study.submit().exit_code == 1);
    const std::string status = study.dlscale.run({"status", "out"}).out;
    CHECK_THAT(status, Contains("2 failed") &&
                           Contains("ERROR: data not found; exit code " + code) &&
                           !Contains("preempted"));
  }
}

TEST_CASE("the submission and the job record the same description of unchanged code") {
  ExternalStudy study("true");
  REQUIRE(study.submit().exit_code == 0);
  const contract::PlanDir folder(study.dlscale.folder / "out");
  const auto records = contract::parse_launch_log(base::read_file(folder.launch_log()));
  REQUIRE(records.front().event == "submitting");
  const std::string software = records.front().software;
  CHECK(std::filesystem::exists(folder.software_record(software)));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string notes = base::read_file(folder.run_notes(study.run_id(i)));
    CHECK_THAT(notes, Contains("\"launch_number\":1,\"software\":\"" + software + "\""));
  }
  CHECK_THAT(study.dlscale.run({"status", "out"}).out, !Contains("the code changed"));
}

TEST_CASE("packages that environment_setup adds are no change, and different packages are named") {
  if (test::run_bash("command -v python3").exit_code != 0) return test::skip("no python3 on PATH");
  test::TempDir library;
  const auto package = library / "extra-1.0.dist-info";
  base::make_directories(package);
  base::write_file_atomically(package / "METADATA",
                              "Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n");
  ExternalStudy study(std::string("echo '") + kWindow + "' > results.jsonl",
                      "log_format = 'dlscale'\nenvironment_setup = ['export PYTHONPATH=" +
                          library.path().string() + "']\n");
  REQUIRE(study.submit({"--run", study.run_id(0)}).exit_code == 0);
  std::filesystem::remove_all(package);
  REQUIRE(study.submit().exit_code == 0);
  CHECK_THAT(study.dlscale.run({"status", "out"}).out, !Contains("the packages of"));
  CHECK_THAT(study.dlscale.run({"collect", "out"}).out, !Contains("the packages of"));
  CHECK_THAT(study.dlscale.run({"analyze", "out", "--metric", "speedup"}).err,
             Contains("packages is \"extra 1.0\" at gpus=1 but \"no extra\" at gpus=2"));
}

TEST_CASE("the conditions of a table name the code and the packages") {
  ExternalStudy study(std::string("echo '") + kWindow + "' > results.jsonl",
                      "log_format = 'dlscale'\n");
  REQUIRE(study.submit().exit_code == 0);
  CHECK_THAT(study.dlscale.run({"collect", "out"}).out, Contains("code train.sh "));
}
