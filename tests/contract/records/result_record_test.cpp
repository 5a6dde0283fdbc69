// SPDX-License-Identifier: Apache-2.0
#include "contract/records/result_record.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/any_value.hpp"

using namespace dlscale;
using namespace dlscale::contract;
using namespace dlscale::base;

namespace {

Spread any_spread(test::AnyValue& any) {
  return {any.number(), any.number(), any.number(), any.number()};
}

std::map<std::string, double> any_metrics(test::AnyValue& any) {
  std::map<std::string, double> metrics;
  for (const std::string& name : any.list([&] { return any.text(); })) metrics[name] = any.number();
  return metrics;
}

StepWindow any_window(test::AnyValue& any) {
  StepWindow w;
  w.epoch = static_cast<int>(any.whole(0, 90));
  w.first_step = any.whole(0, 1 << 30);
  w.steps = static_cast<int>(any.whole(1, 100));
  w.warmup = any.flag();
  w.samples = any.whole(0, 1LL << 40);
  w.wall_s = any.positive();
  for (Spread& part : w.parts) part = any_spread(any);
  w.comm_busy_s = any_spread(any);
  w.comm_wait_s = any_spread(any);
  w.bytes_sent = any.positive();
  w.measured = any_metrics(any);
  return w;
}

RunStart any_start(test::AnyValue& any) {
  RunStart r;
  r.run_id = any.text();
  r.launch = static_cast<int>(any.whole(1, 9));
  r.resumed_step = any.whole(0, 1 << 30);
  r.hosts = any.list([&] { return any.text(); });
  r.environment = any.table();
  r.parameters = any.whole(0, 1LL << 40);
  r.warmup_steps = any.whole(0, 1 << 30);
  r.measured_units = any.table();
  return r;
}

TargetRecord any_target(test::AnyValue& any) {
  return {.metric = "accuracy",
          .threshold = 0.9,
          .value = any.positive(),
          .epoch = 3,
          .step = any.whole(0, 1 << 30),
          .train_s = any.positive(),
          .samples = any.whole(0, 1LL << 40)};
}

InferenceRecord any_inference(test::AnyValue& any) {
  return {.batch = any.whole(1, 1 << 20),
          .batches = 7,
          .wall_s = any.positive(),
          .latency_s = {any.positive(), 1, 2, any.positive()},
          .compute_s = {any.positive(), 1, 2, any.positive()},
          .communication_s = {any.positive(), 1, 2, any.positive()},
          .samples_per_s = any.positive()};
}

RankTimes any_rank_times(test::AnyValue& any) {
  return {.epoch = 2,
          .time = any.positive(),
          .steps = any.whole(1, 1 << 30),
          .work_s = any.list([&] { return any.positive(); }),
          .train_loss = any.list([&] { return any.positive(); }),
          .train_accuracy = any.list([&] { return any.positive(); }),
          .stages = static_cast<int>(any.whole(0, 4))};
}

ResultRecord any_record(unsigned seed) {
  test::AnyValue any(seed);
  switch (seed % 10) {
    case 0:
      return any_start(any);
    case 1:
      return any_window(any);
    case 2:
      return EpochRecord{
          .epoch = static_cast<int>(any.whole(0, 90)),
          .time = any.number(),
          .wall_s = any.number(),
          .steps = 3,
          .samples = 4,
          .train_loss = any.number(),
          .correct = any.whole(0, 1) == 0 ? std::optional<std::int64_t>() : any.whole(0, 4),
          .lr = any.number()};
    case 3:
      return EvalRecord{.epoch = 1,
                        .time = any.number(),
                        .wall_s = any.number(),
                        .samples = 10,
                        .correct = 7,
                        .accuracy = 0.7,
                        .loss = any.number(),
                        .metrics = any_metrics(any),
                        .rank_loss = any.list([&] { return any.positive(); }),
                        .rank_accuracy = any.list([&] { return any.positive(); }),
                        .rank_wall_s = any.list([&] { return any.positive(); })};
    case 4:
      return CheckpointRecord{
          1, any.whole(0, 1 << 30), any.number(), any.number(), any.text(), any.whole(0, 1LL << 40),
          ""};
    case 5:
      return ProfileRecord{
          .epoch = 1,
          .first_step = any.whole(0, 1 << 30),
          .steps = 50,
          .kernel_s = any.positive(),
          .communication = any.number(),
          .io = any.number(),
          .cpu_occupancy = any.positive(),
          .kernels = any.list([&] {
            return ProfiledKernel{any.text(), "io", any.whole(0, 99), any.positive()};
          })};
    case 6:
      return any_target(any);
    case 7:
      return any_inference(any);
    case 8:
      return any_rank_times(any);
    default:
      return RunStop{all_outcomes()[seed % all_outcomes().size()],
                     5,
                     any.text(),
                     any.number(),
                     any.number(),
                     9,
                     ""};
  }
}

}  // namespace

TEST_CASE("every record survives being written and read") {
  for (unsigned seed = 0; seed < 600; ++seed) {
    const ResultRecord record = any_record(seed);
    const std::string line = to_json_line(record);
    REQUIRE(line.find('\n') == std::string::npos);
    const ResultsFile file = parse_results(line + "\n");
    REQUIRE(file.skipped.empty());
    REQUIRE(file.records.size() == 1);
    REQUIRE(file.records[0] == record);
    REQUIRE(to_json_line(file.records[0]) == line);
  }
}

TEST_CASE("the first key of a line is the kind of the record") {
  CHECK(to_json_line(EvalRecord{}).rfind("{\"record\":\"eval\",", 0) == 0);
}

TEST_CASE("the times of 1,024 ranks fit on a line of 8 KiB") {
  const RankTimes times{.epoch = 1, .steps = 40, .work_s = std::vector<double>(1024, 12.345)};
  const std::string line = to_json_line(times);
  CHECK(line.rfind(R"({"record":"rank_times","epoch":1,)", 0) == 0);
  CHECK(line.size() < 8192);
}

TEST_CASE("rank times without a number of steps are skipped") {
  const ResultsFile file =
      parse_results("{\"record\":\"rank_times\",\"epoch\":1,\"work_s\":[1,\"2\"]}\n");
  CHECK(file.records.empty());
  REQUIRE(file.skipped.size() == 1);
  CHECK_THAT(file.skipped[0], Catch::StartsWith("line 1: "));
}

TEST_CASE("an evaluation without extra metrics has no metrics key") {
  CHECK(to_json_line(EvalRecord{}).find("metrics") == std::string::npos);
  CHECK(to_json_line(EvalRecord{}).find("rank_") == std::string::npos);
  CHECK(to_json_line(EpochRecord{}).find("correct") == std::string::npos);
  const EvalRecord eval{.metrics = {{"top5_accuracy", 0.99}}};
  CHECK_THAT(to_json_line(eval), Catch::Contains(R"("metrics":{"top5_accuracy":0.99})"));
}

TEST_CASE("unknown keys are kept and written again") {
  const std::string line =
      R"({"record":"eval","epoch":1,"samples":10,"correct":7,"accuracy":0.7,"top5":9,"note":{"a":1}})";
  const ResultsFile file = parse_results(line + "\n");
  REQUIRE(file.records.size() == 1);
  CHECK(std::get<EvalRecord>(file.records[0]).extra == R"({"top5":9,"note":{"a":1}})");
  CHECK(to_json_line(file.records[0]).find(R"("top5":9)") != std::string::npos);
}

TEST_CASE("a results file cut at any byte loses at most its last line") {
  const std::string first = to_json_line(any_record(0)) + "\n";
  const std::string second = to_json_line(any_record(1)) + "\n";
  const std::string whole = first + second;
  for (std::size_t size = first.size(); size + 1 < whole.size(); ++size) {
    const ResultsFile file = parse_results(whole.substr(0, size));
    REQUIRE(file.skipped.empty());
    REQUIRE(file.records.size() == 1);
    REQUIRE(file.truncated == (size > first.size()));
  }
  CHECK(parse_results(whole.substr(0, whole.size() - 1)).records.size() == 2);
}

TEST_CASE("lines that are not known records are listed with their number") {
  const ResultsFile file = parse_results("not json\n\n{\"record\":\"lunch\"}\n{\"a\":1}\n[]\n" +
                                         to_json_line(EvalRecord{}) + "\n{\"record\":\"eval\"}\n");
  CHECK(file.records.size() == 1);
  CHECK(file.record_lines == std::vector<int>{6});
  REQUIRE(file.skipped.size() == 5);
  CHECK(file.skipped[0] == "line 1: not valid JSON");
  CHECK(file.skipped[1] == "line 3: unknown record kind \"lunch\"");
  CHECK(file.skipped[2] == "line 4: the key \"record\" is missing");
  CHECK(file.skipped[4] == "line 7: epoch: missing");
}

TEST_CASE("an infinite value is read back as NaN") {
  EpochRecord record;
  record.train_loss = INFINITY;
  const ResultsFile file = parse_results(to_json_line(record) + "\n");
  REQUIRE(file.records.size() == 1);
  CHECK(std::isnan(std::get<EpochRecord>(file.records[0]).train_loss));
}

TEST_CASE("a loss that a record does not have is unknown and not 0") {
  const ResultsFile file = parse_results(
      "{\"record\":\"eval\",\"epoch\":0,\"samples\":10,\"correct\":7,\"accuracy\":0.7}\n"
      "{\"record\":\"epoch\",\"epoch\":0,\"wall_s\":1,\"steps\":1,\"samples\":1}\n"
      "{\"record\":\"step_window\",\"epoch\":0,\"first_step\":0,\"steps\":1,\"samples\":1,"
      "\"wall_s\":1,\"parts\":{}}\n");
  REQUIRE(file.records.size() == 3);
  CHECK(std::isnan(std::get<EvalRecord>(file.records[0]).loss));
  CHECK(std::isnan(std::get<EpochRecord>(file.records[1]).train_loss));
  CHECK(std::isnan(std::get<StepWindow>(file.records[2]).train_loss));
}

TEST_CASE("a record with invalid UTF-8 is written as a readable line") {
  RunStop stop;
  stop.reason = "bad \xff byte";
  CHECK(parse_results(to_json_line(stop) + "\n").records.size() == 1);
}

TEST_CASE("records without measured quantities have none of their keys, and old files are read") {
  for (const ResultRecord& record :
       {ResultRecord(StepWindow{}), ResultRecord(EpochRecord{}), ResultRecord(RunStart{})}) {
    const std::string line = to_json_line(record);
    CHECK(line.find("measured") == std::string::npos);
    CHECK(parse_results(line + "\n").records.at(0) == record);
  }
}

TEST_CASE("measured quantities have their names as keys") {
  StepWindow window;
  window.measured = {{"mfu", 41.5}};
  CHECK(to_json_line(window).find("\"measured\":{\"mfu\":41.5}") != std::string::npos);
  const ResultsFile broken = parse_results(
      "{\"record\":\"epoch\",\"epoch\":0,\"wall_s\":1,\"steps\":1,\"samples\":1,"
      "\"measured\":{\"mfu\":\"high\"}}\n");
  CHECK(broken.records.empty());
  REQUIRE(broken.skipped.size() == 1);
  CHECK(broken.skipped[0].find("measured.mfu") != std::string::npos);
}
