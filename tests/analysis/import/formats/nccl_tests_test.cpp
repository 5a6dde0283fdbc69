// SPDX-License-Identifier: Apache-2.0
// Tests of nccl-tests logs with results per message size, several tests in one log, and failed
// runs.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/import/reading/log_lines.hpp"
#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using contract::RunStart;
using contract::RunStop;

/// Returns two sample logs of the format, one as text and one as JSON.
std::vector<std::string> samples() {
  std::vector<std::string> texts;
  for (const LogSample& sample : log_samples()) {
    if (sample.format == "nccl_tests") texts.push_back(sample.text);
  }
  return texts;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

double mean_busbw(const LogContent& log) {
  double sum = 0;
  for (const CollectiveResult& result : log.collectives) sum += result.busbw_gb_per_s;
  return sum / static_cast<double>(log.collectives.size());
}

/// Returns the value after "# Avg bus bandwidth    :" in the log.
double told_busbw(std::string_view text) {
  TextScanner scanner(text);
  double value = std::nan("");
  scanner.find("# Avg bus bandwidth    :");
  scanner.number(value);
  return value;
}

}  // namespace

TEST_CASE("nccl_tests: a row gives an out-of-place and an in-place result") {
  const LogContent log = read_log("nccl_tests", samples()[0]);
  REQUIRE(log.collectives.size() == 4);
  const CollectiveResult& last = log.collectives[2];
  CHECK(last.collective == "all_reduce");
  CHECK(last.size_bytes == 1048576);
  CHECK(last.count == 262144);
  CHECK(last.type == "float");
  CHECK(last.redop == "sum");
  CHECK(last.root == -1);
  CHECK(last.time_s == Approx(500e-6));
  CHECK(last.algbw_gb_per_s == 2.10);
  CHECK_FALSE(last.in_place);
  CHECK(last.wrong == 0);
  CHECK(last.line == 13);
  CHECK(log.collectives[1].in_place);
  CHECK(std::isnan(log.collectives[1].wrong));
  CHECK(mean_busbw(log) == Approx(told_busbw(samples()[0])).margin(0.005));
}

TEST_CASE("nccl_tests: ranks, nodes and devices are counted, and the end is read") {
  for (const std::string& text : samples()) {
    const LogContent log = read_log("nccl_tests", text);
    CHECK(log.facts.at("gpus") == "2");
    CHECK(log.facts.at("collective") == "all_reduce");
    const RunStart start = all<RunStart>(log.file)[0];
    CHECK(start.world_size == 2);
    CHECK(start.environment.at("nccl") == "22902");
    CHECK(start.environment.contains("gpu"));
    CHECK(completed(log));
  }
  CHECK(read_log("nccl_tests", samples()[0]).facts.at("nodes") == "2");
  CHECK(read_log("nccl_tests", samples()[1]).facts.at("nodes") == "1");
}

TEST_CASE("nccl_tests: JSON output gives the same results, even if it is truncated") {
  const std::string text = samples()[1];
  const LogContent log = read_log("nccl_tests", text);
  REQUIRE(log.collectives.size() == 4);
  CHECK(log.collectives[2].size_bytes == 2048);
  CHECK(log.collectives[2].time_s == Approx(51.2e-6));
  CHECK(log.collectives[2].algbw_gb_per_s == 0.04);
  CHECK(std::isnan(log.collectives[3].wrong));
  const LogContent part = read_log("nccl_tests", text.substr(0, text.find("\"size\":2048")));
  CHECK(part.collectives.size() == 2);
  CHECK(part.file.truncated);
  CHECK(all<RunStop>(part.file).empty());
}

TEST_CASE("nccl_tests: results in JSON have the line numbers on which they begin") {
  std::string text = "a line before it\n" + samples()[1];
  for (const char* size : {"1024", "2048"}) {
    text.insert(text.find(std::string("{\"size\":") + size), "\n");
  }
  const LogContent log = read_log("nccl_tests", text);
  REQUIRE(log.collectives.size() == 4);
  CHECK(log.collectives[0].line == 3);
  CHECK(log.collectives[1].line == 3);
  CHECK(log.collectives[2].line == 4);
}

TEST_CASE("nccl_tests: wrong values, NCCL errors and launcher errors fail the run") {
  const std::string text = samples()[0];
  const auto outcome = [](const LogContent& log) { return all<RunStop>(log.file).at(0).outcome; };
  CHECK(outcome(read_log("nccl_tests", replaced(text, ": 0 OK", ": 3 FAILED"))) ==
        RunOutcome::Failed);
  const std::string cut = text.substr(0, text.find("# Out of bounds"));
  const LogContent broken =
      read_log("nccl_tests", cut + "node1: Test NCCL failure common.cu:1005 'internal error'\n");
  CHECK(outcome(broken) == RunOutcome::Failed);
  CHECK_THAT(all<RunStop>(broken.file)[0].reason, Catch::Contains("common.cu:1005"));
  const LogContent none = read_log("nccl_tests", "launch failed on n1: no port for PMI\n");
  CHECK(none.file.skipped ==
        std::vector<std::string>{"line 1: contains no output of nccl-tests; the file begins with "
                                 "\"launch failed on n1: no port for PMI\""});
}

TEST_CASE("nccl_tests: lines of other programs that begin with digits are ignored") {
  const std::string text = samples()[0];
  const std::string dated = replaced(text, "\n", "\n2024-03-01 12:00:00,123 - INFO - a worker\n");
  const LogContent log = read_log("nccl_tests", dated);
  CHECK(log.collectives.size() == 4);
  CHECK(log.file.skipped.empty());
  CHECK(completed(log));
  const std::string failed = "10.0.0.7: Test NCCL failure common.cu:1005\n# Out of bounds";
  const LogContent broken = read_log("nccl_tests", replaced(text, "# Out of bounds", failed));
  CHECK(all<RunStop>(broken.file).at(0).outcome == RunOutcome::Failed);
}

TEST_CASE("nccl_tests: a time in units other than µs is detected by algbw") {
  const std::string text = replaced(samples()[0], "  500.0  ", "  0.5000 ");
  const LogContent log = read_log("nccl_tests", text);
  CHECK(log.collectives.size() == 2);
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("line 13: algbw is 2.1 GB/s, but size / time "
                                                  "is 2097 GB/s: check that the time is in µs"));
}

TEST_CASE("nccl_tests: consecutive tests in one log are separate runs") {
  const std::string one = samples()[0];
  const std::string text = one + "\n" + replaced(one, "all_reduce", "all_gather") + one;
  const LogFormat& format = base::find(log_formats(), "log format", "nccl_tests");
  const auto parts = format.parts(text);
  REQUIRE(parts.size() == 3);
  using Axes = std::map<std::string, std::string>;
  CHECK(parts[0].which == Axes{{"collective", "all_reduce"}});
  CHECK(parts[1].which == Axes{{"collective", "all_gather"}});
  CHECK(parts[2].which == Axes{{"collective", "all_reduce"}, {"test", "2"}});
  const LogContent second = format.read_part(text, parts[1], run_of(1, 1));
  CHECK(second.collectives.size() == 4);
  CHECK(second.collectives[0].collective == "all_gather");
  CHECK(second.collectives[0].line == 12 + 19);
  CHECK(format.parts(one).empty());
}

TEST_CASE("nccl_tests: in published runs the mean of busbw equals the printed average") {
  const std::string folder = "scaling/nccl-tests-h100/multi-node/runs/20260129-180219/";
  const auto text = real_log(folder + "without-debug/logs/nccl_N10_G8.log");
  if (!text) return;
  const LogFormat& format = base::find(log_formats(), "log format", "nccl_tests");
  const auto parts = format.parts(*text);
  CHECK(parts.size() == 5);
  for (const LogPart& part : parts) {
    INFO(part.which.at("collective"));
    const LogContent log = format.read_part(*text, part, run_of(1, 1));
    CHECK(log.facts.at("gpus") == "80");
    CHECK(log.facts.at("nodes") == "10");
    CHECK(log.file.skipped.empty());
    CHECK(completed(log));
    CHECK(mean_busbw(log) ==
          Approx(told_busbw(text->substr(part.offset, part.size))).margin(0.006));
  }
}

}  // namespace dlscale::analysis
