// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/mapped_format.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/analysis/support/log_folder.hpp"
#include "tests/support/records.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using contract::EpochRecord;
using contract::EvalRecord;
using contract::StepWindow;
using test::all;
using test::format_of;
using test::rate_of;

contract::RunSpec two_ranks() {
  contract::RunSpec run;
  run.gpus = 2;
  run.global_batch = 16;
  run.point = {{"gpus", "2"}, {"global_batch", "16"}};
  return run;
}

const std::vector<std::string> kPerRank{"rank=rank", "load_wait_s=load", "compute_s=compute"};

contract::ResultsFile read(const std::string& text, const MappedFormat& format,
                           const LogPart& part = {}) {
  return read_mapped(text, format, part, two_ranks()).file;
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace

TEST_CASE("jsonl: rows with losses and without times show divergence") {
  const auto format = format_of("jsonl", {"epoch=epoch", "loss=loss", "test_loss=val"});
  const auto file = read(
      "{\"epoch\": 0, \"loss\": 2.5, \"val\": 2.0}\n"
      "{\"epoch\": 1, \"loss\": NaN, \"val\": Infinity}\n",
      format);
  const auto stops = all<contract::RunStop>(file);
  REQUIRE(stops.size() == 1);
  CHECK(stops[0].outcome == contract::RunOutcome::Diverged);
  CHECK(stops[0].reason == "the training loss is not finite from line 2 on");
  CHECK(all<EvalRecord>(file).size() == 2);
  CHECK(file.skipped.empty());
}

TEST_CASE("csv: a table with a byte order mark appended to another adds rows") {
  const auto file = read(
      "\xef\xbb\xbf"
      "epoch,loss\n0,2.5\n\xef\xbb\xbf"
      "epoch,loss\n1,1.5\n",
      format_of("csv", {"epoch=epoch", "test_loss=loss"}));
  CHECK(all<EvalRecord>(file).size() == 2);
  CHECK(file.skipped.empty());
}

TEST_CASE("csv: rows of ranks make one step, as long as its slowest rank") {
  const auto file = read("load,compute,rank\n0.5,1.0,0\n0.25,1.5,1\n", format_of("csv", kPerRank));
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].wall_s == 1.75);
  CHECK(windows[0].samples == 16);
  CHECK(windows[0].parts[0].mean == 0.375);
  CHECK(windows[0].parts[7].mean == 1.25);
  CHECK(windows[0].parts[7].max == 1.5);
  CHECK(file.record_lines == std::vector<int>{2});
  CHECK(file.skipped.empty());
}

TEST_CASE("csv: ranks that write in turn or interleaved make the same steps") {
  const std::string head = "load,compute,rank\n";
  const std::string in_turn = head + "1,1,0\n2,2,0\n1,3,1\n2,4,1\n";
  const std::string mixed = head + "1,1,0\n1,3,1\n2,4,1\n2,2,0\n";
  for (const std::string& text : {in_turn, mixed}) {
    const auto windows = all<StepWindow>(read(text, format_of("csv", kPerRank)));
    REQUIRE(windows.size() == 2);
    CHECK(windows[0].wall_s == 4);
    CHECK(windows[1].wall_s == 6);
    CHECK(windows[1].first_step == 1);
  }
}

TEST_CASE("csv: a step that lacks a rank is reported and left out") {
  const auto file = read("load,compute,rank\n1,1,0\n", format_of("csv", kPerRank));
  CHECK(file.records.empty());
  CHECK(file.skipped ==
        std::vector<std::string>{"line 2: only 1 of 2 ranks have a row for this step"});
}

TEST_CASE("csv: Windows line ends, semicolons, quotes and comments are read") {
  const auto file =
      read("# from a spreadsheet\r\nload;\"com\"\"pute\";rank\r\n1;2;0\r\n\r\n1;3;1\r\n",
           format_of("csv", {"rank=rank", "load_wait_s=load", "wall_s=com\"pute"}));
  REQUIRE(all<StepWindow>(file).size() == 1);
  CHECK(all<StepWindow>(file)[0].wall_s == 3);
  CHECK(file.record_lines == std::vector<int>{3});
}

TEST_CASE("csv: impossible rows are reported with their lines") {
  const auto format = format_of("csv", {"wall_s=t", "load_wait_s=l", "accuracy=acc"});
  const auto file =
      read("t,l,acc\nsoon,1,0\n1,2\n1,3,0\n-1,0,0\n1,0,76.5\n\"1,0,0\nnan,0,0\n", format);
  CHECK(file.records.empty());
  CHECK(file.skipped ==
        std::vector<std::string>{
            "line 2: wall_s is not a number: \"soon\"", "line 3: has 2 of 3 columns",
            "line 4: the parts of the step take 3 s, which is more than wall_s of 1 s",
            "line 5: wall_s is -1, but it must not be negative",
            "line 6: accuracy is 76.5, but it must not exceed 1 (map an accuracy in percent with "
            "*0.01)",
            "line 7: a quotation mark is not closed", "line 8: wall_s is not a number: \"nan\""});
}

TEST_CASE("csv: a truncated last line is not a row") {
  const auto file = read("load,compute,rank\n1,1,0\n1,2,1\n1,2", format_of("csv", kPerRank));
  CHECK(file.truncated);
  CHECK(all<StepWindow>(file).size() == 1);
  CHECK(file.skipped.empty());
}

TEST_CASE("csv: a line of more than 1 MiB is reported and skipped") {
  const std::string text = "t\n" + std::string((1 << 20) + 1, '1') + "\n2\n";
  const auto file = read(text, format_of("csv", {"wall_s=t"}));
  CHECK(all<StepWindow>(file).size() == 1);
  REQUIRE(file.skipped.size() == 1);
  CHECK(file.skipped[0] == "line 2: has 1048577 bytes; at most 1048576 are read");
}

TEST_CASE("csv: impossible rates and parts longer than the whole suggest wrong units") {
  const auto file = read("t\n2e-10\n", format_of("csv", {"wall_s=t"}));
  CHECK(file.skipped == std::vector<std::string>{
                            "line 2: 8e+10 samples/s is impossible: check the unit of the time"});
  const auto parts = read("load,t\n250,0.4\n", format_of("csv", {"load_wait_s=load", "wall_s=t"}));
  CHECK(parts.skipped ==
        std::vector<std::string>{"line 2: the parts of the step take 250 s, which is more than "
                                 "wall_s of 0.4 s"});
}

TEST_CASE("csv: axis columns split a file into runs with their rows") {
  const auto format = format_of("csv", {"gpus=g", "repetition=r", "samples_per_s=rate"});
  const std::string text = "g,r,rate\n1,1,100\n2,1,190\n1,2,110\n";
  const auto runs = runs_in(text, format);
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].which == AxisValues{{"gpus", "2"}, {"repetition", "1"}});
  CHECK(runs[1].first_line == 3);
  const auto file = read(text, format, runs[2]);
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 1);
  CHECK(rate_of(windows[0]) == Approx(110));
  CHECK(file.record_lines == std::vector<int>{4});
}

TEST_CASE("csv: a missing column is reported with the existing columns") {
  const auto format = format_of("csv", {"wall_s=time"});
  CHECK(refusal([&] { runs_in("t,u\n1,2\n", format); }) ==
        "has no column \"time\" (the columns are: t, u)");
  CHECK(refusal([&] { runs_in("", format); }) == "has no column \"time\" (the columns are: none)");
}

TEST_CASE("a mapped heading that appears twice is reported, and the column is not read") {
  const auto format = format_of("csv", {"samples_per_s=r"});
  CHECK(refusal([&] { runs_in("r,x,r\n380,1,150\n", format); }) ==
        "has 2 columns \"r\": rename all of them except one");
  const auto file = read("r,x,r\n380,1,150\n", format);
  CHECK(file.records.empty());
  CHECK(file.skipped == std::vector<std::string>{"has 2 columns \"r\": rename all of them "
                                                 "except one"});
  CHECK(read("r,x,x\n380,1,2\n", format).skipped.empty());
  const auto drawn = format_of("markdown", {"samples_per_s=r"});
  const auto tables = read("| r | r |\n|---|---|\n| 380 | 150 |\n\n| r |\n|---|\n| 960 |\n", drawn);
  CHECK(all<StepWindow>(tables).size() == 1);
  CHECK(tables.skipped ==
        std::vector<std::string>{"line 3: its table has 2 columns \"r\": rename all of them "
                                 "except one"});
}

TEST_CASE("csv: rows of epochs are epochs with units, rates and evaluations") {
  const auto format = format_of("csv", {"epoch=epoch", "wall_s=ms*0.001", "samples=n", "loss=loss",
                                        "accuracy=top1*0.01", "test_loss=vloss"});
  const auto file =
      read("epoch,ms,n,loss,top1,vloss\n0,2000,160,0.7,50,0.6\n1,1000,160,0.4,75,\n", format);
  const auto epochs = all<EpochRecord>(file);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[0].wall_s == 2);
  CHECK(epochs[0].steps == 10);  // 160 samples with a global batch of 16
  CHECK(epochs[1].train_loss == 0.4);
  const auto evals = all<EvalRecord>(file);
  REQUIRE(evals.size() == 2);
  CHECK(evals[1].accuracy == 0.75);
  CHECK(evals[0].loss == 0.6);
  CHECK(std::isnan(evals[1].loss));
}

TEST_CASE("jsonl: keys may be nested in objects, and unrelated objects are skipped") {
  const auto format = format_of("jsonl", {"wall_s=time/step", "loss=loss", "samples=n"});
  const auto file = read(
      "{\"note\": \"begin\"}\n{\"time\": {\"step\": 0.5}, \"loss\": 2, \"n\": 8}\nnot\n", format);
  const auto windows = all<StepWindow>(file);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].wall_s == 0.5);
  CHECK(windows[0].train_loss == 2);
  CHECK(file.skipped == std::vector<std::string>{"line 1: has no key that is mapped to a measure",
                                                 "line 3: is not a JSON object"});
}

TEST_CASE("jsonl: a key with slashes in its name is found") {
  const auto format = format_of("jsonl", {"wall_s=dt", "loss=train/loss", "samples=n"});
  const auto windows =
      all<StepWindow>(read("{\"train/loss\": 2, \"dt\": 0.5, \"n\": 8}\n", format));
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].train_loss == 2);
}

TEST_CASE("pattern: the groups of the first matching expression are measures and facts") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^(?<gpus>\d+) workers)",
                     R"(step (?<step>\d+): (?<samples_per_s>[\d.]+) img/s)"};
  format.factors = {{"samples_per_s", 2}};
  check(format);
  const LogContent content =
      read_mapped("4 workers\nstep 1: 50.0 img/s\nstep two: 1 img/s\n", format, {}, two_ranks());
  CHECK(content.facts == AxisValues{{"gpus", "4"}});
  const auto windows = all<StepWindow>(content.file);
  REQUIRE(windows.size() == 1);
  CHECK(rate_of(windows[0]) == Approx(100));
  CHECK(content.file.record_lines == std::vector<int>{2});
}

TEST_CASE("pattern: a batch in the log applies to its steps") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^(?<gpus>\d+) GPUs of (?<batch_per_gpu>\d+))",
                     R"(took (?<wall_s>[\d.]+) s)"};
  const LogContent content = read_mapped("took 2 s\n4 GPUs of 8\ntook 1 s\n", format, {},
                                         contract::RunSpec{.global_batch = 0});
  const auto windows = all<StepWindow>(content.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].samples == 32);
}

TEST_CASE("pattern: the size of the training set in the log applies to its epochs") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^(?<train_samples>\d+) images)",
                     R"(epoch (?<epoch>\d+): (?<wall_s>\d+) s)"};
  const LogContent content =
      read_mapped("500 images\nepoch 1: 10 s\n", format, {}, contract::RunSpec{.global_batch = 0});
  const auto windows = all<StepWindow>(content.file);
  REQUIRE(windows.size() == 1);
  CHECK(rate_of(windows[0]) == Approx(50));
  CHECK(windows[0].steps == 0);  // 0: the batch is unknown
}

TEST_CASE("csv: a heading may begin like a comment") {
  const auto format = format_of("csv", {"gpus=# GPUs", "wall_s=t"});
  const std::string text = "# of 2024, all\n# GPUs,t\n2,0.5\n";
  REQUIRE(runs_in(text, format) == std::vector<LogPart>{{.which = {{"gpus", "2"}}}});
  CHECK(all<StepWindow>(read(text, format, {.which = {{"gpus", "2"}}})).size() == 1);
}

TEST_CASE("markdown: tables with the mapped columns are read, with the headings above them") {
  const auto format = format_of("markdown", {"gpus=device num", "framework=#column",
                                             "precision=#heading4", "samples_per_s=*"});
  const std::string text =
      "### ResNet50 (img/s)\n\n| Framework | Version |\n|---|---|\n| A | 1 |\n\n"
      "#### FP32\n| device num | [A](../a)<sup>[1]</sup> | **B**<br>x |\n| --- | ---: | :--: |\n"
      "| 1 | 10 | - |\n| 8 | 79.5 | `OOM` |\n";
  const auto runs = runs_in(text, format);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].which == AxisValues{{"gpus", "1"}, {"framework", "A"}, {"precision", "FP32"}});
  CHECK(runs[2].which.at("framework") == "B x");
  const auto file = read(text, format, runs[1]);
  REQUIRE(all<StepWindow>(file).size() == 1);
  CHECK(rate_of(all<StepWindow>(file)[0]) == Approx(79.5));
  CHECK(file.record_lines == std::vector<int>{11});
  CHECK(read(text, format, runs[2]).skipped ==
        std::vector<std::string>{"line 11: samples_per_s is not a number: \"OOM\""});
}

TEST_CASE("markdown: other drawn tables are read and numbered, and stray rows are ignored") {
  const auto format = format_of("markdown", {"table=#table", "func=Func", "wall_s=Mean*0.001"});
  const std::string rule = "-------------------\n";
  const std::string table = rule + "|  Func  |  Mean   |\n" + rule + "| fprop | 28.4 |\n" + rule;
  const std::string text = "| stray | row |\n\n" + table + table + "```\n" + table + "```\n";
  const auto runs = runs_in(text, format);
  REQUIRE(runs.size() == 2);
  CHECK(runs[1].which == AxisValues{{"table", "2"}, {"func", "fprop"}});
  CHECK(all<StepWindow>(read(text, format, runs[1]))[0].wall_s == Approx(0.0284));
}

TEST_CASE("markdown: rows of another width are reported, and missing columns with existing ones") {
  const auto format = format_of("markdown", {"gpus=g", "samples_per_s=r"});
  const std::string text = "| g | r |\n|---|---|\n| 1 | 5 |\n| 2 |\n| 4 | 20 |\n";
  const auto runs = runs_in(text, format);
  REQUIRE(runs.size() == 2);
  CHECK(read(text, format, runs[0]).skipped ==
        std::vector<std::string>{"line 4: has 1 of 2 columns"});
  CHECK(refusal([&] { runs_in("| g |\n|---|\n| 1 |\n", format); }) ==
        "has no column \"r\" (the columns are: g)");
}

TEST_CASE("csv: a wildcard column makes a run of each remaining column") {
  const auto format = format_of("csv", {"gpus=g", "model=#column", "samples_per_s=*"});
  const std::string text = "g,resnet,vgg\n1,10,5\n2,20,\n";
  REQUIRE(runs_in(text, format).size() == 3);
  const LogPart part = runs_in(text, format)[1];
  CHECK(part.which == AxisValues{{"gpus", "1"}, {"model", "vgg"}});
  CHECK(rate_of(all<StepWindow>(read(text, format, part))[0]) == Approx(5));
}

TEST_CASE("pattern: an expression that takes too long on a line is abandoned there") {
  MappedFormat format{.kind = "pattern"};
  format.patterns = {R"(^(?<loss>(x+x+)+)$)"};
  const auto file = read(std::string(5000, 'x') + "!\n", format);
  CHECK(file.skipped == std::vector<std::string>{"line 1: a pattern needs too many match steps "
                                                 "on this line: simplify the pattern"});
}

TEST_CASE("fields of study runs may be axes even if they resemble measures") {
  for (const char* name : {"optimizer", "train_samples", "test_samples", "epochs", "device"}) {
    CHECK_NOTHROW(check_axis_name("--set", name));
  }
  CHECK_THAT(refusal([] { check_axis_name("--set", "sampls"); }), Contains("did you mean"));
  CHECK_NOTHROW(check_axis_name("--set", "samples_x"));
  CHECK_THAT(refusal([] { check_axis_name("pattern", "samples_per_sec"); }),
             Contains("did you mean \"samples_per_s\""));
  CHECK_THAT(refusal([] { check_axis_name("--axis", "samples"); }),
             Contains("is the name of a measured field") && Contains("samples_axis"));
}

TEST_CASE("impossible mappings are rejected with the alternatives") {
  CHECK_THAT(refusal([] { parse_mapping("wall_s"); }),
             Contains("--map wall_s: must be FIELD=COLUMN or FIELD=COLUMN*FACTOR"));
  CHECK_THAT(refusal([] { parse_mapping("wal_s=t"); }), Contains("did you mean \"wall_s\"?"));
  CHECK_THAT(refusal([] { parse_mapping("wall_s=t*fast"); }),
             Contains("the factor must be a positive number (got \"fast\")"));
  CHECK_THAT(refusal([] { parse_mapping("gpus=t*2"); }), Contains("an axis cannot have a factor"));
  CHECK_THAT(refusal([] { check(format_of("csv", {"gpus=g"})); }),
             Contains("map the columns of the file"));
  CHECK_THAT(refusal([] {
               check(format_of("csv", {"loss=a", "loss=b"}));
             }),
             Contains("loss is mapped twice"));
  CHECK_THAT(refusal([] { check({.kind = "pattern", .patterns = {"(?<loss>"}}); }),
             Contains("regular expression \"(?<loss>\" is invalid: missing"));
  CHECK_THAT(refusal([] { check({.kind = "pattern", .patterns = {"loss (.*)"}}); }),
             Contains("must have a named group for a measure"));
}

TEST_CASE("a group that is not a measure is probably misspelt if its pattern gives no result") {
  const auto misspelt = [](const std::vector<std::string>& patterns) {
    return misspelt_groups({.kind = "pattern", .patterns = patterns});
  };
  const auto found =
      misspelt({R"(loss (?<loss>\d+) (?<throughput>\d+))", R"(accuracy (?<accuracy>\d+))"});
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].text,
             Catch::StartsWith("the group \"throughput\" is not a measured field, ") &&
                 Contains("samples_per_s, "));
  CHECK(misspelt({R"(top 5: (?<top5_accuracy>\d+), top 1: (?<acuracy>\d+))"}).size() == 1);
  CHECK(misspelt({R"((?<wall_s>\d+) s on (?<host>\w+))"}).empty());
  CHECK(misspelt({R"((?<gpus>\d+) GPUs of (?<batch_per_gpu>\d+))"}).empty());
  CHECK(misspelt_groups(format_of("csv", {"host=host", "wall_s=t"})).empty());
}

TEST_CASE("a name that other programs use for a measure is reported with the measure") {
  const auto texts = [](const MappedFormat& format) {
    std::vector<std::string> found;
    for (const MisspeltGroup& group : misspelt_groups(format)) found.push_back(group.text);
    return found;
  };
  for (const std::string name :
       {"throughput", "images_per_sec", "tokens_per_second", "examples_per_sec", "fps"}) {
    const auto found =
        texts({.kind = "pattern", .patterns = {"(?<wall_s>\\d+) s, (?<" + name + ">\\d+)"}});
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Contains("the group \"" + name + "\" is not a measured field") &&
                             Contains("; did you mean \"samples_per_s\"?") &&
                             !Contains("give no steps"));
  }
  CHECK(measure_called("test_accuracy") == "accuracy");
  CHECK(measure_called("train_acc") == "train_accuracy");
  CHECK(measure_called("images_per_sec_per_gpu").empty());
  CHECK(measure_called("host").empty());
  CHECK_NOTHROW(check_axis_name("pattern", "val_accuracy"));
  // The measure itself is also read.
  CHECK(texts({.kind = "pattern", .patterns = {R"((?<samples_per_s>\d+) (?<rate>\d+))"}}).empty());
  const auto columns = texts(format_of("csv", {"throughput=r", "wall_s=t"}));
  REQUIRE(columns.size() == 1);
  CHECK_THAT(columns[0], Contains("the field \"throughput\"") && Contains("\"samples_per_s\"?"));
  CHECK_THAT(refusal([] { check({.kind = "pattern", .patterns = {"(?<throughput>.*)"}}); }),
             Contains("(?<loss>…); did you mean \"samples_per_s\"? (measures: "));
}

}  // namespace dlscale::analysis
