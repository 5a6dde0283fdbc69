// SPDX-License-Identifier: Apache-2.0
// Tests of log formats that a file describes, with the example of docs/log-formats-own.md.
#include "analysis/import/described_format.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/import/line_report.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/any_value.hpp"
#include "tests/support/records.hpp"

namespace dlscale::analysis {
namespace {

using contract::EvalRecord;
using contract::StepWindow;
using test::all;

/// Returns the first code block of the page that is marked with this language.
std::string documented(const std::string& language) {
  const std::string page =
      base::read_file(std::string(DLSCALE_SOURCE_DIR) + "/docs/log-formats-own.md");
  const std::string fence = "```" + language + "\n";
  const std::size_t begin = page.find(fence);
  REQUIRE(begin != page.npos);
  const std::size_t text = begin + fence.size();
  return page.substr(text, page.find("```", text) - text);
}

contract::RunSpec run_with(int gpus) {
  contract::RunSpec run{.run_id = "r"};
  run.gpus = gpus;
  return run;
}

LogContent read_with(const std::string& format, const std::string& text, int gpus = 1) {
  return DescribedFormat(format, "mine.toml").entry().read(text, run_with(gpus));
}

/// Returns a format of lines "value N" with these fields of `steps`.
std::string format_of_steps(const std::string& fields, const std::string& keys = "") {
  return "name = \"mine\"\nsummary = \"s\"\nrates = \"r\"\nrecognise.any = [{ starts = \"value\" "
         "}]\n" +
         keys + "[[line]]\npattern = '^value (?<x>(?&NUM))'\nsteps = { " + fields + " }\n";
}

std::string error_of_format(const std::string& text) {
  try {
    const DescribedFormat format(text, "mine.toml");
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the documented format reads the documented log") {
  const LogContent log = read_with(documented("toml"), documented("text"));
  CHECK(log.file.skipped.empty());
  CHECK(log.facts.at("gpus") == "8");
  CHECK(log.facts.at("global_batch") == "256");
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 3);
  CHECK(windows[0].warmup);
  CHECK_FALSE(windows[1].warmup);
  CHECK(windows[1].steps == 10);
  CHECK(windows[1].samples == 2560);
  CHECK(windows[1].wall_s == Approx(2560 / (8 * 2048.0)));
  CHECK(windows[1].peak_memory_bytes == Approx(35.2 * 1073741824));
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 1);
  CHECK(evals[0].accuracy == Approx(0.615));
}

TEST_CASE("a rate per rank is multiplied by the number of ranks") {
  const LogContent log =
      read_with(format_of_steps("rank_samples_per_s = \"x\", samples = 100"), "value 25\n", 4);
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(1));
}

TEST_CASE("tokens require the length of a sequence") {
  const std::string fields = "rank_tokens_per_s = \"x\", samples = 8";
  const LogContent none = read_with(format_of_steps(fields), "value 100\n", 2);
  CHECK(all<StepWindow>(none.file).empty());
  REQUIRE(none.file.skipped.size() == 1);
  CHECK_THAT(none.file.skipped[0], Catch::Contains("sequence_length"));
  const LogContent log =
      read_with(format_of_steps(fields + ", sequence_length = 50"), "value 100\n", 2);
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(2));
}

TEST_CASE("times since the start become times of lines, and a smaller time is a restart") {
  const LogContent log =
      read_with(format_of_steps("elapsed_s = \"x\", samples = 1"), "value 10\nvalue 15\nvalue 2\n");
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 3);
  CHECK(windows[0].wall_s == 10);
  CHECK(windows[1].wall_s == 5);
  CHECK(windows[2].wall_s == 2);
}

TEST_CASE("a filter ignores rows without a message") {
  const std::string format =
      format_of_steps("wall_s = \"x\", samples = 1") + "require = [{ that = \"x > 5\" }]\n";
  const LogContent log = read_with(format, "value 3\nvalue 7\n");
  CHECK(all<StepWindow>(log.file).size() == 1);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("colours, separators of thousands and text before JSON do not disturb") {
  const std::string format =
      "name = \"mine\"\nsummary = \"s\"\nrates = \"r\"\nthousands = \",\"\n"
      "recognise.any = [{ contains = [\"metrics: {\"] }]\n[[line]]\ncontains = \"metrics: {\"\n"
      "json = { rate = \"speed/all\" }\nsteps = { samples_per_s = \"rate\", samples = 10 }\n"
      "[[line]]\npattern = '^took (?<s>[\\d,.]+)s'\nsteps = { wall_s = \"s\", samples = 10 }\n";
  const LogContent log = read_with(
      format, "INFO metrics: {\"speed\": {\"all\": 5}}\n\x1b[31mtook \x1b[1m1,000.5\x1b[0ms\n");
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].wall_s == 2);
  CHECK(windows[1].wall_s == 1000.5);
}

TEST_CASE("each row of a table may be a run, and rows belong to the heading before them") {
  const std::string head = "name = \"mine\"\nsummary = \"s\"\nrates = \"r\"\n[[line]]\n";
  const DescribedFormat format(
      head +
          "texts = { model = \"model\" }\nsteps = { steps = 1, samples = \"n\", wall_s = 1 }\n"
          "[line.table]\nheading = \"model,n\"\nnames = [\"model\", \"n\"]\n"
          "run_per_row = \"model\"\n",
      "mine.toml");
  const std::string text = "model,n\na,2\nb,3\na,4\n";
  const auto rows = format.entry().parts(text);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].which.at("model") == "b");
  CHECK(rows[2].which.at("row") == "2");
  const LogContent last = format.entry().read_part(text, rows[2], run_with(1));
  CHECK(all<StepWindow>(last.file).at(0).samples == 4);
  CHECK(last.file.record_lines.back() == 4);
  CHECK_THAT(error_of_format(head + "table = { heading = \"a\", run_per_row = \"b\" }\n"),
             Catch::Contains("run_per_row = \"b\" is not one of the values in the key \"names\""));
  CHECK_THAT(
      error_of_format(head + "table = { names = [\"a\"] }\n"),
      Catch::Contains("must have at least one of the keys heading, heading_pattern and columns"));
}

TEST_CASE("dates are times of lines, rules may share lines, and reports follow at the end") {
  const LogContent log = read_with(
      "name = \"mine\"\nsummary = \"s\"\nrates = \"r\"\nrecognise.any = [{ starts = \"at\" }]\n"
      "initial = { lines = 0 }\n"
      "[[line]]\nstarts = \"at\"\nshared = true\nset = { lines = \"lines + 1\" }\n"
      "[[line]]\nstarts = \"at\"\ntime = { now = '^at (\\S+ \\S+)' }\n"
      "steps = { when = \"known(before)\", samples = 8, wall_s = \"now - before\" }\n"
      "then = { before = \"now\" }\n"
      "[[at_end.report]]\nwhen = \"lines > 1\"\nline = 2\ntext = \"{lines} lines\"\n",
      "at 2024-02-28 23:59:58,500\nat 2024-02-29 00:00:01,000\n");
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].wall_s == Approx(2.5));
  CHECK(log.file.skipped == std::vector<std::string>{"line 2: 2 lines"});
}

TEST_CASE("every line is reported with what was read from it") {
  const DescribedFormat format(documented("toml"), "mine.toml");
  const LogReport report =
      report_lines(format.entry(), "hello\n" + documented("text") + "epoch x\n", run_with(8));
  REQUIRE(report.lines.size() == 7);
  CHECK(report.lines[0].read.empty());
  CHECK(report.lines[1].read == std::vector<std::string>{"facts"});
  CHECK(report.lines[5].read.front() == "evaluation");
  CHECK(report.lines[6].text == "epoch x");
}

TEST_CASE("errors in a format file name the place and the nearest key") {
  const std::string good = format_of_steps("wall_s = \"x\"");
  CHECK(error_of_format(good).empty());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return error_of_format(text);
  };
  CHECK_THAT(changed("wall_s", "wal_s"),
             Catch::StartsWith("mine.toml:7:") && Catch::Contains("did you mean \"wall_s\""));
  CHECK_THAT(changed("\"x\"", "\"y\""), Catch::Contains("unknown name \"y\""));
  CHECK_THAT(changed("recognise", "recognize"), Catch::Contains("did you mean \"recognise\""));
  CHECK_THAT(changed("(?<x>", "(?<x"), Catch::Contains("regular expression"));
  CHECK_THAT(changed("name = \"mine\"\n", ""), Catch::Contains("name: missing"));
}

TEST_CASE("a pattern file and a column map are formats too") {
  contract::RunSpec run = run_with(1);
  run.global_batch = 16;
  const auto wall_s_of_step = [&](const DescribedFormat& format, const std::string& text) {
    const LogContent log = format.entry().read(text, run);
    CHECK(log.file.skipped.empty());
    const auto windows = all<StepWindow>(log.file);
    REQUIRE(windows.size() == 1);
    return windows[0].wall_s;
  };
  const DescribedFormat pattern(
      "line = '^step (?<step>\\d+) (?<wall_s>[\\d.]+)'\nfactor.wall_s = 0.001\n", "mine.toml");
  CHECK(wall_s_of_step(pattern, "step 1 500\n") == Approx(0.5));
  const DescribedFormat map("name = \"cols\"\nkind = \"jsonl\"\ncolumns = { wall_s = \"t\" }\n",
                            "mine.toml");
  CHECK(std::string(map.entry().name) == "cols");
  CHECK(wall_s_of_step(map, "{\"t\": 0.25}\n") == Approx(0.25));
  CHECK_THAT(error_of_format("columns = { wal_s = \"t\" }\n"), Catch::Contains("columns.wal_s"));
}

TEST_CASE("patterns and column maps state the steps of a line and the number of warm-up lines") {
  contract::RunSpec run = run_with(1);
  run.global_batch = 16;
  const std::string log = "it 10 9 s\nit 20 5 s\nit 30 5 s\n";
  const std::string line = "line = 'it (?<step>\\d+) (?<wall_s>\\d+) s'\n";
  const auto windows_of = [&](const std::string& keys, const std::string& text) {
    const LogContent content = DescribedFormat(keys, "mine.toml").entry().read(text, run);
    CHECK(content.file.skipped.empty());
    return all<StepWindow>(content.file);
  };
  const auto counted = windows_of(line + "counts_from = 1\nwarmup_rows = 1\n", log);
  REQUIRE(counted.size() == 3);
  CHECK(counted[0].warmup);
  CHECK_FALSE(counted[1].warmup);
  CHECK(counted[1].steps == 10);
  CHECK(counted[1].samples == 160);
  const auto stated = windows_of(line + "steps = 5\n", log);
  REQUIRE(stated.size() == 3);
  CHECK(stated[2].steps == 5);
  const auto columns =
      windows_of("kind = \"jsonl\"\ncolumns = { wall_s = \"t\" }\nsteps = 20\nwarmup_rows = 1\n",
                 "{\"t\": 1}\n{\"t\": 1}\n");
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].warmup);
  CHECK(columns[1].samples == 320);
}

TEST_CASE("contradictory or impossible counts of steps are rejected with place and key") {
  const std::string line = "line = 'it (?<step>\\d+) (?<wall_s>\\d+) s'\n";
  CHECK(error_of_format(line + "steps = 10\ncounts_from = 1\n") ==
        "mine.toml:3:15: counts_from: cannot be combined with steps; remove one of the two keys");
  CHECK(error_of_format("line = '(?<wall_s>\\d+) s'\ncounts_from = 1\n") ==
        "mine.toml:2:15: counts_from: requires the step number; name a group of an expression: "
        "(?<step>\\d+)");
  CHECK(error_of_format("columns = { wall_s = \"t\" }\ncounts_from = 0\n") ==
        "mine.toml:2:15: counts_from: requires the step number; state its column: "
        "columns.step = \"COLUMN\"");
  CHECK_THAT(error_of_format(line + "counts_from = 2\n"),
             Catch::StartsWith("mine.toml:2:15: counts_from: must be at most 1"));
  CHECK_THAT(error_of_format(line + "steps = 0\n"),
             Catch::StartsWith("mine.toml:2:9: steps: must be at least 1"));
  CHECK_THAT(error_of_format(line + "warmup_row = 1\n"),
             Catch::Contains("did you mean \"warmup_rows\"?"));
  CHECK(error_of_format(line + "epochs_from = 1\n") ==
        "mine.toml:2:15: epochs_from: requires the epoch number; name a group of an expression: "
        "(?<epoch>\\d+)");
  CHECK_THAT(error_of_format(line + "train_samples = 0\n"),
             Catch::StartsWith("mine.toml:2:17: train_samples: must be at least 1"));
}

TEST_CASE("a name that other programs use for a measure is reported with its place") {
  const DescribedFormat columns("columns = { wall_s = \"t\", throughput = \"r\" }\n", "mine.toml");
  REQUIRE(columns.warnings().size() == 1);
  CHECK_THAT(columns.warnings()[0],
             Catch::StartsWith("mine.toml: columns: the field \"throughput\" is not a measured"));
  const DescribedFormat patterns("line = '(?<wall_s>\\d+) s (?<images_per_sec>\\d+)'\n",
                                 "mine.toml");
  REQUIRE(patterns.warnings().size() == 1);
  CHECK_THAT(patterns.warnings()[0],
             Catch::StartsWith("mine.toml:1:8: line: the group \"images_per_sec\" is not") &&
                 Catch::Contains("did you mean \"samples_per_s\"?"));
}

TEST_CASE("an invalid pattern is reported with its place") {
  CHECK_THAT(error_of_format("line = [\n  '(?<wall_s>\\d+) s',\n  '(?<loss>\\d+',\n]\n"),
             Catch::StartsWith("mine.toml:3:3: line: ") && Catch::Contains("regular expression"));
}

TEST_CASE("patterns and rules that read no line are named with their place") {
  const DescribedFormat patterns(
      "line = [\n  '(?<wall_s>\\d+) s',\n  'loss (?<loss>\\d+)',\n  '(?<lr>\\d+)',\n]\n",
      "mine.toml");
  const LogContent log = patterns.entry().read("took 2 s\n", run_with(1));
  CHECK(log.unused_patterns == std::set<std::size_t>{1, 2, 4, 5});  // 4, 5: groups loss and lr
  const std::vector<std::string> warnings = patterns.describe_unused(log.unused_patterns);
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], Catch::StartsWith("mine.toml:3:3: line: no line is read by the pattern "
                                            "'loss (?<loss>\\d+)'"));
  const DescribedFormat rules(format_of_steps("wall_s = \"x\"") + "[[line]]\nstarts = \"end\"\n",
                              "mine.toml");
  const LogContent ruled = rules.entry().read("value 1\n", run_with(1));
  CHECK(ruled.unused_patterns == std::set<std::size_t>{1});
  CHECK_THAT(rules.describe_unused(ruled.unused_patterns).at(0),
             Catch::StartsWith("mine.toml:8:1: line: no line is read by this rule"));
}

TEST_CASE("times of rules that rise like a clock are reported") {
  const LogContent log =
      read_with(format_of_steps("step_s = \"x\", samples = 1"), "value 10\nvalue 20\nvalue 30\n");
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::StartsWith("line 1: step_s rises from line to line") &&
                                      Catch::Contains("use the field elapsed_s"));
}

TEST_CASE("a line that was read is not reported as skipped because of a remark about the log") {
  contract::RunSpec run = run_with(1);
  run.global_batch = 16;
  const DescribedFormat format("line = 'it (?<step>[\\d.]+) (?<wall_s>\\d+) s'\n", "mine.toml");
  const LogReport report =
      report_lines(format.entry(), "it 10 1 s\nit 20 1 s\nit 2.5 1 s\nit 30 1 s\n", run);
  REQUIRE(report.content.file.skipped.size() == 2);
  REQUIRE(report.lines.size() == 4);
  const std::vector<std::string> step{"1 step: 16 samples, 1 s"};
  CHECK(report.lines[1].read == step);  // the remark "line 2: the step number …"
  CHECK(report.lines[2].read ==
        std::vector<std::string>{"skipped: step is 2.5, but it must be a whole number"});
  CHECK(report.lines[3].read == step);
}

TEST_CASE("measured quantities of steps and of epochs are recorded with their units") {
  const std::string format =
      format_of_steps("wall_s = 1, samples = 2, measured = { mfu = \"x / 2\" }",
                      "[measured.mfu]\nunit = \"%\"\n[measured.norm]\n") +
      "[[line]]\npattern = '^epoch (?<e>\\d+) norm (?<norm>(?&LOSS))'\n"
      "epoch = { epoch = \"e\", measured = { norm = \"norm\" } }\n";
  const LogContent log = read_with(format, "value 80\nepoch 0 norm 1.5\nepoch 1 norm nan\n");
  CHECK(log.file.skipped.empty());
  CHECK(all<StepWindow>(log.file).at(0).measured == std::map<std::string, double>{{"mfu", 40}});
  const auto epochs = all<contract::EpochRecord>(log.file);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[0].measured == std::map<std::string, double>{{"norm", 1.5}});
  CHECK(epochs[1].measured.empty());
  CHECK(all<contract::RunStart>(log.file).at(0).measured_units ==
        std::map<std::string, std::string>{{"mfu", "%"}});
}

TEST_CASE("the name of a field or of a table column is rejected for a measured quantity") {
  const auto error = [](const std::string& declared, const std::string& name) {
    return error_of_format(format_of_steps("wall_s = 1, measured = { " + name + " = \"x\" }",
                                           "[measured." + declared + "]\n"));
  };
  CHECK(
      error("loss", "loss") ==
      "mine.toml:5:11: measured.loss: the field steps.loss has this name; state the value in this "
      "field, or choose another name");
  CHECK_THAT(error("gpus", "gpus"),
             Catch::Contains("mine.toml:5:11: measured.gpus: another column of the tables has"));
  CHECK_THAT(error("'m f u'", "x"), Catch::Contains("may contain only letters"));
  CHECK_THAT(error("mfu", "mfx"), Catch::Contains("unknown key \"mfx\"; did you mean \"mfu\"?"));
  CHECK_THAT(
      error("mfu]\nunits = \"%\"\n[measured.b", "mfu"),
      Catch::Contains("mine.toml:6:1: measured.mfu.units: unknown key; did you mean \"unit\"?"));
}

TEST_CASE("each measured quantity must have a declaration and a formula") {
  CHECK_THAT(error_of_format(format_of_steps("wall_s = 1, measured = { mfu = \"x\" }")),
             Catch::Contains("steps.measured: the format declares no measured quantity; add "
                             "[measured.NAME]"));
  CHECK(error_of_format(format_of_steps("wall_s = \"x\"", "[measured.mfu]\n")) ==
        "mine.toml:5:11: measured.mfu: no line states the value; add steps.measured = { mfu = … } "
        "to a line");
}

}  // namespace dlscale::analysis
