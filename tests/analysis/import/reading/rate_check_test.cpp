// SPDX-License-Identifier: Apache-2.0
// Tests, for every log format, that a log whose figures contradict each other has no rate.
#include "analysis/import/reading/rate_check.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/reading/collected_log.hpp"
#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepWindow;

/// Change that makes the sample log of a format contradict itself, and the expected warning. If
/// logs of the format cannot contradict themselves, `why_none` states the reason instead.
struct FormatRow {
  std::string format;
  std::string from, to;           ///< text of the sample and its replacement
  std::string printed, by_steps;  ///< the two numbers in the warning, with units
  std::string warned_line =
      {};  ///< part of the line that the warning names; empty: the changed line
  std::string why_none = {};
};

FormatRow none(const char* format, const char* why) {
  return {.format = format, .from = "", .to = "", .printed = "", .by_steps = "", .why_none = why};
}

std::vector<FormatRow> format_rows() {
  const char* no_times = "prints neither times nor rates";
  return {
      {"timm", "(0.160s, 400.00/s)", "(0.320s, 400.00/s)", "3.52 s", "1.76 s"},
      {"mlperf", "\"throughput\": 251.0", "\"throughput\": 502.0", "502 samples/s",
       "250 samples/s"},
      {"dllogger", "train.total_ips : 128.0", "train.total_ips : 12.8", "12.8 samples/s",
       "123.529 samples/s"},
      {"torchvision", "Training time 0:00:45", "Training time 0:00:15", "15 s", "30 s"},
      {"horovod", "GPU(s): 300.0", "GPU(s): 200.0", "200 samples/s", "300 samples/s"},
      {"tf_cnn_benchmarks", "total images/sec: 512", "total images/sec: 1024", "512 samples/s",
       "1024 samples/s", "100\timages/sec: 128.0"},
      {"pytorch_ddp", "time: 0.110 s", "time: 0.220 s", "1568 samples", "3200 samples"},
      {"deepspeed", "21:03:27,269", "21:03:19,269", "2 s", "8 s"},
      {"mxnet", "Time cost=72.598", "Time cost=12.598", "12.598 s", "30 s"},
      {"gnmt", "Total training time 78 s", "Total training time 5 s", "5 s", "13.9 s"},
      {"ssd", "images/sec: 192.000", "images/sec: 92.000", "292 samples/s", "384 samples/s",
       "Training performance"},
      {"timm_benchmark", "resnet50,1000.0,256.0", "resnet50,1000.0,512.0", "0.512 s", "0.256 s"},
      none("dlscale", "dlscale-train prints no total next to its records"),
      {"huggingface", "\"train_samples_per_second\": 256.0", "\"train_samples_per_second\": 25.6",
       "12800 samples", "1280 samples"},
      {"megatron", "        5120 |", "        7000 |", "4440 samples", "2560 samples"},
      none("torchtitan", "prints rates and neither times nor totals"),
      none("nanogpt", "prints times and neither rates nor totals"),
      none("torch7", "prints one time for an epoch and no rate"),
      none("mmdet", "prints step times and neither a rate nor a total"),
      none("dawnbench", "prints hours and no samples, so that there is no rate"),
      none("nvlog", "its rate is not read"),
      none("lightning_csv", no_times),
      none("pytorch_csv", no_times),
      none("timm_summary", no_times),
      none("llmc", no_times),
      none("deit", no_times),
      none("nccl_tests", "trains nothing"),
      none("sacct", "describes jobs"),
      none("oarstat", "describes jobs"),
  };
}

std::string sample_of(const std::string& format) {
  for (const LogSample& sample : log_samples()) {
    if (sample.format == format) return sample.text;
  }
  throw base::UsageError("no sample of " + format);
}

int line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

bool has_any_rate(const LogContent& log) {
  const auto windows = all<StepWindow>(log.file);
  return std::any_of(windows.begin(), windows.end(),
                     [](const StepWindow& window) { return window.wall_s > 0; });
}

/// Returns a log of windows with 100 samples each. The first window takes 2 s and is warm-up. Each
/// of the other windows takes 1 s.
LogContent windows_compared_with(const PrintedFigure& figure, int windows = 4) {
  const contract::RunSpec run = run_of(1, 10);
  CollectedLog log(run, "test");
  for (int i = 0; i < windows; ++i) {
    log.at(i + 1);
    log.add_steps({.steps = 10, .samples = 100, .wall_s = i == 0 ? 2.0 : 1.0, .warmup = i == 0});
  }
  log.at(windows + 1);
  log.compare(figure);
  return log.finish();
}

bool keeps_rate(const PrintedFigure& figure) {
  return has_any_rate(windows_compared_with(figure));
}

}  // namespace

TEST_CASE("every log format is checked against its own figures or has a reason why not") {
  std::set<std::string> rows;
  for (const FormatRow& row : format_rows()) {
    INFO(row.format);
    CHECK(rows.insert(row.format).second);
    const LogFormat& format = base::find(log_formats(), "log format", row.format);
    CHECK(std::string(format.cross_check).starts_with("nothing") == !row.why_none.empty());
  }
  for (const LogFormat* format : log_formats()) {
    INFO(format->name);
    CHECK(rows.contains(format->name));
    CHECK(*format->cross_check != 0);
  }
}

TEST_CASE("a contradicting log of any format has no rate, and both numbers are reported") {
  for (const FormatRow& row : format_rows()) {
    if (!row.why_none.empty()) continue;
    INFO(row.format);
    const std::string good = sample_of(row.format);
    const LogContent agreeing = read_log(row.format.c_str(), good);
    CHECK(agreeing.file.skipped.empty());
    CHECK(has_any_rate(agreeing));

    std::string bad = good;
    REQUIRE(bad.find(row.from) != std::string::npos);
    bad.replace(bad.find(row.from), row.from.size(), row.to);
    const LogContent log = read_log(row.format.c_str(), bad);
    CHECK_FALSE(has_any_rate(log));
    CHECK(all<StepWindow>(log.file).size() == all<StepWindow>(agreeing.file).size());
    const int line = line_with(bad, row.warned_line.empty() ? row.to : row.warned_line);
    REQUIRE(log.file.skipped.size() == 1);
    const std::string& warning = log.file.skipped[0];
    CHECK_THAT(warning, Catch::StartsWith("line " + std::to_string(line) + ": "));
    CHECK_THAT(warning, Catch::Contains(" " + row.printed));
    CHECK_THAT(warning, Catch::Contains(" " + row.by_steps));
    CHECK_THAT(warning, Catch::Contains("the run has no rate"));
  }
}

TEST_CASE("figures of the same steps may differ by 5 % in both directions") {
  CHECK(keeps_rate({.name = "rate", .value = 100}));
  CHECK(keeps_rate({.name = "rate", .value = 96}));
  CHECK(keeps_rate({.name = "rate", .value = 104}));
  CHECK_FALSE(keeps_rate({.name = "rate", .value = 94}));
  CHECK_FALSE(keeps_rate({.name = "rate", .value = 106}));
  CHECK_FALSE(keeps_rate({.name = "rate", .value = 0}));
}

TEST_CASE("a figure of a longer or shorter time is a bound in one direction") {
  using enum PrintedQuantity;
  using enum PrintedSpan;
  CHECK(keeps_rate({.name = "wall", .value = 50, .quantity = seconds, .span = longer}));
  CHECK_FALSE(keeps_rate({.name = "wall", .value = 2, .quantity = seconds, .span = longer}));
  CHECK(keeps_rate({.name = "rate", .value = 50, .span = longer}));
  CHECK_FALSE(keeps_rate({.name = "rate", .value = 120, .span = longer}));
  CHECK(keeps_rate({.name = "rate", .value = 500, .span = shorter}));
  CHECK_FALSE(keeps_rate({.name = "rate", .value = 50, .span = shorter}));
}

TEST_CASE("warm-up is compared if the figure includes it") {
  using enum PrintedQuantity;
  CHECK(keeps_rate({.name = "all", .value = 80, .has_warmup = true}));  // 400 samples in 5 s
  CHECK_FALSE(keeps_rate({.name = "all", .value = 80}));
  CHECK(keeps_rate({.name = "mean",
                    .value = 87.5,  // mean of 50, 100, 100 and 100
                    .quantity = mean_samples_per_s,
                    .has_warmup = true}));
}

TEST_CASE("a figure is compared only with the windows in its range of steps") {
  using enum PrintedQuantity;
  const PrintedFigure middle{
      .name = "two", .value = 200, .quantity = samples, .first_step = 10, .end_step = 30};
  CHECK(keeps_rate(middle));
  PrintedFigure all = middle;
  all.end_step = 40;
  CHECK_FALSE(keeps_rate(all));
  PrintedFigure behind = middle;
  behind.first_step = 40;
  behind.end_step = 60;
  CHECK(keeps_rate(behind));  // there is no window to compare
}

TEST_CASE("printed digits limit the precision of a comparison") {
  using enum PrintedQuantity;
  CHECK_FALSE(keeps_rate({.name = "time", .value = 4, .quantity = seconds}));
  CHECK(keeps_rate({.name = "time", .value = 4, .quantity = seconds, .resolution = 1}));
}

TEST_CASE("a contradiction keeps steps, losses and evaluations, and is reported once per name") {
  const contract::RunSpec run = run_of(1, 10);
  CollectedLog log(run, "test");
  log.add_steps({.steps = 10, .samples = 100, .wall_s = 1, .loss = 2.5});
  log.add_epoch({.epoch = 0, .wall_s = 1, .samples = 100, .train_loss = 2.5});
  log.add_eval(0, 0.75, 1.5);
  for (int line = 5; line < 8; ++line) {
    log.at(line);
    log.compare({.name = "rate", .value = 500});
  }
  const LogContent content = log.finish();
  const auto windows = all<StepWindow>(content.file);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].steps == 10);
  CHECK(windows[0].samples == 0);
  CHECK(std::isnan(windows[0].wall_s));
  CHECK(windows[0].train_loss == 2.5);
  CHECK(std::isnan(all<contract::EpochRecord>(content.file)[0].wall_s));
  CHECK(all<contract::EvalRecord>(content.file)[0].accuracy == 0.75);
  REQUIRE(content.file.skipped.size() == 1);
  CHECK_THAT(content.file.skipped[0], Catch::StartsWith("line 5: \"rate\" reports 500 samples/s") &&
                                          Catch::Contains("100 samples/s") &&
                                          Catch::Contains("of 2 more such lines"));
}

}  // namespace dlscale::analysis
