// SPDX-License-Identifier: Apache-2.0
// Tests of logs that contain lines repeatedly, because several ranks wrote the lines or because one
// log was appended to another log.
#include <catch2/catch.hpp>
#include <set>

#include "analysis/import/reading/ranks_of_log.hpp"
#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the records except the summary in the first record. Each record is converted to a line
/// of text, so that NaN equals NaN.
std::multiset<std::string> told_by(const LogSample& sample, const std::string& text) {
  const LogContent log = read_log(sample.format.c_str(), text);
  std::multiset<std::string> lines;
  for (std::size_t i = 1; i < log.file.records.size(); ++i) {
    lines.insert(contract::to_json_line(log.file.records[i]));
  }
  for (const CollectiveResult& r : log.collectives) {
    lines.insert(std::to_string(r.size_bytes) + " " + std::to_string(r.time_s));
  }
  for (const AccountedJob& job : log.jobs) lines.insert(job.job_id);
  return lines;
}

/// Returns the log as ranks with these prefixes write the log. The last rank writes first. Each
/// rank writes every line of the log. A line that a rank writes only about itself occurs once for
/// each rank.
std::string as_ranks_write(const LogSample& sample, const std::vector<std::string>& prefixes) {
  std::string all;
  std::size_t own = 0;
  for (LogLines lines(sample.text); lines.next();) {
    const std::string line(lines.line().with_end);
    if (!sample.of_each_rank.empty() && line.starts_with(sample.of_each_rank)) {
      all += prefixes[own++ % prefixes.size()] + line;
      continue;
    }
    for (std::size_t i = prefixes.size(); i-- > 0;) all += prefixes[i] + line;
  }
  return all;
}

/// Returns true if the lines of the format are independent of each other. The lines of documents
/// and of tables of runs are not.
bool is_told_by_lines(const LogSample& sample) {
  const bool is_document = sample.text.starts_with('{') && sample.format != "deit";
  return !is_document && base::find(log_formats(), "log format", sample.format).parts == nullptr;
}

/// Returns a line of timm with 64 samples per step.
std::string timm_line(int epoch, int step, double rate) {
  return "Train: " + std::to_string(epoch) + " [ " + std::to_string(step) +
         "/11 (  0%)]  Loss:  6.5 (6.75)  Time: 0.3s, 200.0/s  (" + std::to_string(64 / rate) +
         "s, " + std::to_string(rate) + "/s)  LR: 1.0e-02  Data: 0.001 (0.002)\n";
}

/// Checks that the timm lines in `text` give three windows, the overall rate `rate` and no warning
/// except `named`. Returns the last window.
contract::StepWindow last_of_three(const std::string& text, double rate, const std::string& named) {
  const LogContent log = read_log("timm", text);
  const auto windows = all<contract::StepWindow>(log.file);
  REQUIRE(windows.size() == 3);
  CHECK(*rate_of(log) == Approx(rate));
  CHECK(log.file.skipped == std::vector<std::string>{named});
  return windows.back();
}

}  // namespace

TEST_CASE("lines of several ranks with launcher prefixes count once, in every format") {
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    const auto once = told_by(sample, sample.text);
    CHECK_FALSE(once.empty());
    CHECK(told_by(sample, as_ranks_write(sample, {"[1,0]<stdout>:", "[1,1]<stdout>:"})) == once);
    CHECK(told_by(sample, as_ranks_write(sample, {" 0: ", " 1: ", " 2: "})) == once);
    CHECK(told_by(sample, as_ranks_write(sample, {"[default0]:", "[default1]:"})) == once);
  }
}

TEST_CASE("lines of several ranks without prefixes count once") {
  for (const LogSample& sample : log_samples()) {
    if (!is_told_by_lines(sample)) continue;
    INFO(sample.format);
    CHECK(told_by(sample, as_ranks_write(sample, {"", ""})) == told_by(sample, sample.text));
  }
}

TEST_CASE("a log that is repeated in a file counts once, which is reported") {
  for (const LogSample& sample : log_samples()) {
    if (!is_told_by_lines(sample) && sample.format != "huggingface") continue;
    INFO(sample.format);
    const std::string twice = sample.text + sample.text;
    CHECK(told_by(sample, twice) == told_by(sample, sample.text));
    CHECK_FALSE(read_log(sample.format.c_str(), twice).file.skipped.empty());
  }
}

TEST_CASE("the lowest rank with times is used if the times of ranks differ, which is reported") {
  std::string text = "[1,0]<stderr>:NCCL WARN waiting\n";
  for (const int step : {0, 5, 10}) {
    text += "[1,2]<stdout>:" + timm_line(0, step, 100);
    text += "[1,1]<stdout>:" + timm_line(0, step, 400);
  }
  last_of_three(text, 400,
                "line 2: several processes write lines of this format: rank 1 is used, 3 lines "
                "of other processes are ignored");
}

TEST_CASE("repeated steps of a restarted job are reported, and new steps count") {
  // The restarted job takes 3.84 s for its first six steps and 1.6 s for the next five.
  const std::string text = timm_line(0, 10, 200) + timm_line(1, 5, 200) + timm_line(1, 0, 50) +
                           timm_line(1, 5, 100) + timm_line(1, 10, 64 * 11 / 5.44);
  const auto last = last_of_three(text, 200,
                                  "line 3: repeated entries in 2 lines are ignored, because "
                                  "another rank or an earlier log in the same file has already "
                                  "reported them");
  CHECK(last.steps == 5);
}

TEST_CASE("an evaluation of a repeated epoch does not count for the latest epoch") {
  const std::string test =
      "Test: [  48/48]  Time: 2.3 (0.16)  Loss:  6.7 (6.5)  Acc@1:  80.5 ( 76.25)  Acc@5: 8 (9)\n";
  const LogContent log = read_log(
      "timm", timm_line(0, 10, 200) + test + timm_line(1, 5, 200) + timm_line(0, 10, 200) + test);
  CHECK(all<contract::EvalRecord>(log.file).size() == 1);
}

}  // namespace dlscale::analysis
