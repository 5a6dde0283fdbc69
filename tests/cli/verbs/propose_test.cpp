// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale propose`, and of `dlscale verify --proposal`.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "analysis/proposal/proposal_form.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"
#include "tests/support/skip.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
namespace fs = std::filesystem;

namespace {

/// Plan folder with results on one and two ranks. The results have not been collected.
struct Results {
  Results() {
    for (int repetition = 1; repetition <= 2; ++repetition) {
      study.add("ddp", 1, {1000, 0.9}, repetition);
      study.add("ddp", 2, {1900, 0.9}, repetition);
    }
  }

  /// Writes a study for which computing time is requested, and its calibration with throughputs.
  void write_request() {
    base::write_file_atomically(program.folder / "rates.toml",
                                "[[throughput]]\ngpus = 1\nsamples_per_s = 1000\n"
                                "[[throughput]]\ngpus = 2\nsamples_per_s = 1900\n");
    base::write_file_atomically(
        program.folder / "large.toml",
        "[study]\nname = \"large\"\nscaling = \"weak\"\nrepeats = 2\n[matrix]\nframework = "
        "[\"ddp\"]\nmodel = [\"mlp\"]\nloader = [\"memory\"]\nlr_schedule = [\"step\"]\n"
        "batch_per_gpu = [64]\ngpus = [1, 2, 4]\n[training]\ndataset = { kind = "
        "\"synthetic_digits\" }\nepochs = 100\nlr = { base_per_gpu = 0.05, scale = \"linear\" }\n"
        "[training.schedules.step]\nmilestones = [2]\nfactor = 0.1\n");
  }

  /// Gives all runs of the results the settings of the first run in a plan folder, except for the
  /// names and the GPU counts of the runs.
  void take_settings_of(const contract::PlanDir& planned) {
    const contract::Plan plan = contract::read_plan(planned);
    const fs::path described = planned.run(plan.runs.front().run_id).run_json();
    contract::RunSpec settings =
        contract::run_spec_from_json(base::read_file(described), described.string());
    for (const contract::PlannedRun& run : study.plan.runs) {
      const fs::path file = study.folder.run(run.run_id).run_json();
      const contract::RunSpec own =
          contract::run_spec_from_json(base::read_file(file), file.string());
      settings.study = own.study;
      settings.run_id = own.run_id;
      settings.repetition = own.repetition;
      settings.point = own.point;
      settings.gpus = own.gpus;
      settings.global_batch = own.global_batch;
      base::write_file_atomically(file, to_json(settings));
    }
  }

  test::Ran propose(std::vector<std::string> options) {
    options.insert(options.begin(), {"propose", folder});
    return program.run(options);
  }

  test::WrittenStudy study;
  test::DlscaleProgram program;
  std::string folder = study.folder.root().string();
};

const std::vector<std::string> kRequest{"--for",      "large.toml", "--calibration",
                                        "rates.toml", "-o",         "application"};

}  // namespace

TEST_CASE("propose --list prints the forms with their centres and dates") {
  test::DlscaleProgram program;
  const test::Ran ran = program.run({"propose", "--list"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("archer2") && Contains("nhr-zib") && Contains("generic"));
}

TEST_CASE("a proposal without a request states what is missing and how to get it") {
  Results at;
  const test::Ran ran = at.propose({"-o", "application"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("generic: 13 lines, 5 not stated, 2 to be filled in"));
  CHECK_THAT(ran.out, Contains("not stated: Total request: The study for which computing time is "
                               "requested was not named.\n  dlscale propose RESULTS --for"));
  const fs::path folder = at.program.folder / "application";
  CHECK_THAT(base::read_file(folder / "proposal.md"),
             Contains("**Weak scaling of made-up**") && Contains("## Limits of the statements"));
  CHECK(fs::exists(folder / "figures/speedup.svg"));
}

TEST_CASE("a proposal with a request has its total, and verify computes it again") {
  Results at;
  at.write_request();
  const test::Ran ran = at.propose(kRequest);
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  const fs::path file = at.program.folder / "application/proposal.md";
  std::string text = base::read_file(file);
  CHECK_THAT(text, Contains("The 6 runs of large need ") && Contains(" node-h (band "));
  CHECK_THAT(text, Contains("2 requested runs are on more than 2 ranks"));
  CHECK_THAT(text, Contains("Note on the prediction: 1 point outside the measured GPU counts"));
  const std::vector<std::string> verify{"verify", at.folder, "--proposal", "application"};
  const test::Ran same = at.program.run(verify);
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Contains("recomputed from the records: no differences\n"));
  const std::string from = "The 6 runs of large need ";
  text.replace(text.find(from), from.size(), "The 6 runs of large need 1");
  base::write_file_atomically(file, text);
  const test::Ran changed = at.program.run(verify);
  CHECK(changed.exit_code == 1);
  CHECK_THAT(changed.out, Contains("proposal.md:") && Contains("1 lines differ"));
}

TEST_CASE("the request for a training script uses the measured throughputs of the same work") {
  Results at;
  const auto write_study = [&](const std::string& length, const std::string& width) {
    base::write_file_atomically(
        at.program.folder / "large.toml",
        "[study]\nname = \"large\"\n[matrix]\ngpus = [1]\nbatch_per_gpu = [64]\n[training]\n" +
            length + "\nparameters = { width = " + width +
            " }\n[trainer]\ncommand = \"train.sh {{gpus}} {{parameters.width}}\"\n");
  };
  write_study("epochs = 2", "8");
  CHECK(at.program.run({"plan", "large.toml", "-o", "planned"}).exit_code == 0);
  at.take_settings_of(contract::PlanDir(at.program.folder / "planned"));
  const std::vector<std::string> request{"--for", "large.toml", "-o", "application"};
  write_study("epochs = 10", "8");
  const test::Ran unknown = at.propose(request);
  INFO(unknown.err);
  CHECK(unknown.exit_code == 0);
  CHECK_THAT(unknown.out, Contains("key training.dataset.train_samples") && !Contains("calibrate"));
  write_study("steps = 56250", "8");  // 56250 x 64 samples at 1000 samples/s: 1 h
  CHECK(at.propose(request).exit_code == 0);
  const std::string text = base::read_file(at.program.folder / "application/proposal.md");
  CHECK_THAT(text, Contains("The 1 run of large needs 1.00 node-h (band "));
  CHECK_THAT(text, Contains("(basis: measured throughputs of the results)"));
  CHECK(at.program.run({"verify", at.folder, "--proposal", "application"}).exit_code == 0);
  write_study("steps = 56250", "800");  // the measured runs have the width 8
  const test::Ran other = at.propose(request);
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.out, Contains("no comparable measured runs did the same work") &&
                            Contains("--calibration rates.toml") && !Contains("train_samples=N"));
}

TEST_CASE("every shipped form writes a PDF file") {
  if (std::system("command -v pdflatex >/dev/null") != 0) {
    return test::skip("pdflatex is not installed (tools/setup --lint brings it)");
  }
  Results at;
  at.write_request();
  for (const analysis::ProposalForm& form : analysis::shipped_proposal_forms()) {
    INFO(form.name);
    std::vector<std::string> options = kRequest;
    options.back() = form.name;
    options.insert(options.end(), {"--form", form.name});
    const test::Ran ran = at.propose(options);
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("wrote " + form.name + "/proposal.pdf\n"));
    const std::string pdf = base::read_file(at.program.folder / form.name / "proposal.pdf");
    CHECK_THAT(pdf, StartsWith("%PDF"));
  }
}

TEST_CASE("without pdflatex there is no PDF file, and a line gives the reason") {
  Results at;
  std::vector<std::string> words{"propose", at.folder, "-o", "application"};
  const fs::path old_pdf = at.program.folder / "application/proposal.pdf";
  fs::create_directory(old_pdf.parent_path());
  base::write_file_atomically(old_pdf, "%PDF of an earlier call\n");
  const test::Ran ran = at.program.run(words, {{"PATH", "/nowhere"}});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("warning: no proposal.pdf: cannot find pdflatex in PATH"));
  CHECK(fs::exists(at.program.folder / "application/proposal.tex"));
  CHECK_FALSE(fs::exists(old_pdf));
}

TEST_CASE("results and proposal can move together and are still verified") {
  Results at;
  at.write_request();
  CHECK(at.propose(kRequest).exit_code == 0);
  const fs::path root = at.program.folder.path();
  fs::create_directory(root / "moved");
  for (const char* const name : {"application", "large.toml", "rates.toml"}) {
    fs::rename(root / name, root / "moved" / name);
  }
  const test::Ran ran = at.program.run({"verify", at.folder, "--proposal", "moved/application"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("no differences"));
}

TEST_CASE("an unknown form, a wrong form file and a wrong facts file give exit code 2") {
  Results at;
  const test::Ran unknown = at.propose({"--form", "archer22", "-o", "application"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("unknown form \"archer22\"; did you mean \"archer2\"?"));
  base::write_file_atomically(at.program.folder / "mine.toml",
                              "name = \"mine\"\ncentre = \"Mine\"\napplication = \"form\"\n"
                              "[[line]]\ntitle = \"T\"\nasks = \"a\"\nquantity = \"limit\"\n"
                              "source = \"answer\"\n");
  const test::Ran wrong = at.propose({"--form", "mine.toml", "-o", "application"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("mine.toml:7:12: ") && Contains("did you mean \"limits\"?"));
  base::write_file_atomically(at.program.folder / "facts.toml", "sofware = \"PyTorch\"\n");
  const test::Ran facts = at.propose({"--facts", "facts.toml", "-o", "application"});
  CHECK(facts.exit_code == 2);
  CHECK_THAT(facts.err, Contains("facts.toml:1:1: ") && Contains("did you mean \"software\"?"));
  CHECK_FALSE(fs::exists(at.program.folder / "application"));
}

TEST_CASE("further arguments of propose select runs, and a second plan folder is rejected") {
  Results at;
  CHECK(at.propose({"ddp-g1-*", "-o", "application"}).exit_code == 0);
  const std::string text = base::read_file(at.program.folder / "application/proposal.md");
  CHECK_THAT(text, Contains("2 of 2 runs used"));
  test::WrittenStudy other;
  other.add("ddp", 1, {1000, 0.9}, 1);
  const test::Ran several = at.propose({other.folder.root().string(), "-o", "several"});
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, Contains("a proposal needs exactly one plan folder"));
  const test::Ran named = at.program.run({"propose", "mine=" + at.folder, "-o", "several"});
  CHECK(named.exit_code == 2);
  CHECK_FALSE(fs::exists(at.program.folder / "several"));
}

TEST_CASE("verify --proposal rejects every other option and further arguments") {
  Results at;
  CHECK(at.propose({"-o", "application"}).exit_code == 0);
  const std::vector<std::string> verify{"verify", at.folder, "--proposal", "application"};
  CHECK(at.program.run(verify).exit_code == 0);
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--where", "gpus == 1"},
                                                 {"--run", "ddp-*"},
                                                 {"--baseline", "gpus=1"},
                                                 {"--by", "framework"},
                                                 {"--mixed"},
                                                 {"--outliers", "mad"},
                                                 {"--outliers", "none"},
                                                 {"--warmup", "detected"},
                                                 {"--min-efficiency", "0.9"},
                                                 {"--allow-empty"}}) {
    std::vector<std::string> words = verify;
    words.insert(words.end(), option.begin(), option.end());
    const test::Ran ran = at.program.run(words);
    INFO(option.front());
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains("leave out " + option.front() + " with --proposal: inputs.toml"));
  }
  std::vector<std::string> run = verify;
  run.insert(run.begin() + 2, "ddp-g1-*");
  CHECK(at.program.run(run).exit_code == 2);
}

TEST_CASE("a folder without results gives exit code 2 and writes nothing") {
  test::WrittenStudy study;
  study.plan_run("ddp", 1);
  test::DlscaleProgram program;
  const std::string folder = study.folder.root().string();
  const test::Ran ran = program.run({"propose", folder, "-o", "application"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains(folder + ": no run has completed"));
  CHECK(program.run({"propose", "nowhere", "-o", "application"}).exit_code == 2);
  CHECK_FALSE(fs::exists(program.folder / "application"));
}

TEST_CASE("options of the requested study without --for are rejected") {
  Results at;
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--site", "local"},
                                                 {"-S", "study.repeats=2"},
                                                 {"--calibration", "rates.toml"}}) {
    const test::Ran ran = at.propose(option);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(option[0] + ": also give --for STUDY.toml"));
  }
}

TEST_CASE("a folder without inputs.toml cannot be verified as a proposal") {
  Results at;
  const test::Ran ran = at.program.run({"verify", at.folder, "--proposal", "nowhere"});
  CHECK(ran.exit_code == 3);
  CHECK_THAT(ran.err,
             Contains("nowhere: there is no file inputs.toml; dlscale propose writes this file"));
}
