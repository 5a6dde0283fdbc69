// SPDX-License-Identifier: Apache-2.0
// Tests that every third-party log format meets the requirements of log readers, with a short
// sample log.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

LogContent read(const LogSample& sample, std::string_view text) {
  return read_log(sample.format.c_str(), text);
}

/// Returns the records except the summary in the first record. Each record is converted to a line
/// of text, so that NaN equals NaN.
std::multiset<std::string> said(const LogContent& log) {
  std::multiset<std::string> lines;
  for (std::size_t i = 1; i < log.file.records.size(); ++i) {
    lines.insert(contract::to_json_line(log.file.records[i]));
  }
  for (const CollectiveResult& r : log.collectives) {
    lines.insert(fmt::format("{} {} {} {} {} {}", r.collective, r.in_place, r.size_bytes, r.time_s,
                             r.algbw_gb_per_s, r.busbw_gb_per_s));
  }
  for (const AccountedJob& job : log.jobs) {  // without the memory, which later lines state
    lines.insert(
        fmt::format("{} {} {} {}", job.job_id, job.state, job.elapsed_s, job.gpus.value_or(-1)));
  }
  return lines;
}

template <class Change>
std::string each_line_of(const std::string& text, Change change) {
  std::string result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    result += change(text.substr(start, end - start));
    start = end + 1;
  }
  return result;
}

std::string noise(std::mt19937& random) {
  std::string bytes(200, '\0');
  for (char& byte : bytes) byte = static_cast<char>(128 + random() % 128);
  return bytes + '\0' + "\x1b[0m\r";
}

}  // namespace

TEST_CASE("each third-party log format has a sample that only this format recognises") {
  std::set<std::string> sampled{"dlscale"};
  for (const LogSample& sample : log_samples()) {
    sampled.insert(sample.format);
    for (const LogFormat* format : log_formats()) {
      INFO(sample.format << " read as " << format->name);
      CHECK(format->recognises(sample.text) == (sample.format == format->name));
    }
  }
  for (const LogFormat* format : log_formats()) CHECK(sampled.contains(format->name));
}

TEST_CASE("third-party log formats do not recognise the results of dlscale-train") {
  const std::string own = contract::to_json_line(contract::RunStart{.run_id = "r"}) + "\n";
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    CHECK_FALSE(base::find(log_formats(), "log format", sample.format).recognises(own));
  }
}

TEST_CASE("a sample is read completely, and each record has its line") {
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    const LogContent log = read(sample, sample.text);
    CHECK(log.file.skipped.empty());
    CHECK_FALSE(log.file.truncated);
    CHECK(log.file.records.size() > 1);
    REQUIRE(log.file.record_lines.size() == log.file.records.size());
    for (std::size_t i = 1; i < log.file.records.size(); ++i) {
      CHECK(log.file.record_lines[i] > 0);
    }
    const auto starts = all<contract::RunStart>(log.file);
    REQUIRE(starts.size() == 1);
    CHECK(starts[0].run_id == "r");
  }
}

TEST_CASE("the number of steps does not depend on a known batch") {
  contract::RunSpec unknown = run_of(1, 64);
  unknown.batch_per_gpu = unknown.global_batch = 0;
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    const LogContent log = read_log(sample.format.c_str(), sample.text, unknown);
    CHECK(all<contract::StepWindow>(log.file).size() ==
          all<contract::StepWindow>(read(sample, sample.text).file).size());
    CHECK(log.facts == read(sample, sample.text).facts);
  }
}

TEST_CASE("a truncated log gives only records of the complete log") {
  for (const LogSample& sample : log_samples()) {
    const auto whole = said(read(sample, sample.text));
    for (std::size_t size = 0; size < sample.text.size(); ++size) {
      const auto part = said(read(sample, std::string_view(sample.text).substr(0, size)));
      INFO(sample.format << " cut off after " << size << " bytes");
      CHECK(std::includes(whole.begin(), whole.end(), part.begin(), part.end()));
    }
  }
}

TEST_CASE("byte order marks, line ends, launcher prefixes and other lines do not change a log") {
  std::mt19937 random(7);
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    const auto plain = said(read(sample, sample.text));
    const auto same = [&](auto change) {
      return said(read(sample, each_line_of(sample.text, change))) == plain;
    };
    CHECK(said(read(sample, "\xef\xbb\xbf" + sample.text)) == plain);
    CHECK(same([](const std::string& line) { return line + "\r\n"; }));
    CHECK(same([](const std::string& line) { return "[1,0]<stdout>:" + line + "\n"; }));
    CHECK(same([](const std::string& line) { return " 0: " + line + "\n"; }));
    CHECK(same([](const std::string& line) { return "[default0]:" + line + "\n"; }));
    CHECK(same([&](const std::string& line) { return noise(random) + "\n" + line + "\n"; }));
  }
}

TEST_CASE("lines of other ranks between those of a log do not change it") {
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    int rank = 1;
    const std::string mixed = each_line_of(sample.text, [&](const std::string& line) {
      rank = rank % 3 + 1;
      const std::string other = "[1," + std::to_string(rank) + "]";
      return other + "<stderr>:NCCL WARN waiting\n[1,0]<stdout>:" + line + "\n" + other +
             "<stdout>:loading data: 1 of 2\n";
    });
    CHECK(said(read(sample, mixed)) == said(read(sample, sample.text)));
  }
}

TEST_CASE("the runs of a log together give the records of the complete log") {
  for (const LogSample& sample : log_samples()) {
    const LogFormat& format = base::find(log_formats(), "log format", sample.format);
    if (format.parts == nullptr) continue;
    INFO(sample.format);
    REQUIRE(format.read_part != nullptr);
    const LogContent whole = read(sample, sample.text);
    std::size_t records = 0, results = 0, jobs = 0;
    for (const LogPart& part : format.parts(sample.text)) {
      const LogContent one = format.read_part(sample.text, part, run_of(1, 64));
      records += all<contract::StepWindow>(one.file).size();
      results += one.collectives.size();
      jobs += one.jobs.size();
      CHECK(one.file.skipped.empty());
    }
    if (format.parts(sample.text).empty()) continue;  // a log with a single run
    CHECK(records == all<contract::StepWindow>(whole.file).size());
    CHECK(results == whole.collectives.size());
    CHECK(jobs == whole.jobs.size());
  }
}

TEST_CASE("a broken line is reported with its number, and the rest of the log is read") {
  for (const LogSample& sample : log_samples()) {
    if (sample.broken.empty()) continue;
    INFO(sample.format);
    const auto lines = std::count(sample.text.begin(), sample.text.end(), '\n');
    const LogContent log = read(sample, sample.text + sample.broken + "\n");
    CHECK(log.file.skipped ==
          std::vector<std::string>{"line " + std::to_string(lines + 1) + ": " + sample.why});
    CHECK(said(log) == said(read(sample, sample.text)));
  }
}

TEST_CASE("an endless line is reported, and the lines before it are read") {
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    const std::string line(std::size_t{2} << 20, 'x');
    const LogContent log = read(sample, sample.text + sample.broken + line);
    REQUIRE(log.file.skipped.size() == 1);
    CHECK(log.file.skipped[0].ends_with(": longer than 1 MiB"));
    CHECK(said(log) == said(read(sample, sample.text)));
  }
}

TEST_CASE("many broken lines are reported individually up to a limit, then counted") {
  const LogSample& sample = log_samples().front();
  std::string text;
  for (int i = 0; i < 250; ++i) text += sample.broken + "\n";
  const LogContent log = read(sample, text);
  CHECK(log.file.skipped.size() == 100);
  CHECK(log.file.skipped_lines.total() == 250);
}

TEST_CASE("absurd numbers do not give measurements") {
  for (const LogSample& sample : log_samples()) {
    for (const char* number : {"99999999999999999999", "-7", "1e999", "0", "4000000000"}) {
      const std::string text = each_line_of(sample.text, [&](const std::string& line) {
        std::string changed;
        for (std::size_t i = 0; i < line.size(); ++i) {
          const bool begins = std::isdigit(line[i]) != 0 && (i == 0 || !std::isalnum(line[i - 1]));
          changed += begins ? number : std::string(1, line[i]);
        }
        return changed + "\n";
      });
      INFO(sample.format << " with " << number);
      const LogContent log = read(sample, text);
      for (const auto& window : all<contract::StepWindow>(log.file)) {
        CHECK(window.steps >= 1);
        CHECK(window.epoch >= 0);
        CHECK_FALSE(std::isinf(window.wall_s));
      }
      for (const auto& eval : all<contract::EvalRecord>(log.file)) {
        CHECK_FALSE(eval.accuracy > 1);
        CHECK_FALSE(eval.accuracy < 0);
      }
    }
  }
}

}  // namespace dlscale::analysis
