// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/inference.hpp"

#include <catch2/catch.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;

namespace {

contract::RunSpec description(const std::string& framework, int ranks) {
  contract::RunSpec spec;
  spec.mode = "inference";
  spec.framework = framework;
  spec.dataset = {"synthetic_digits", "", 64, 50};
  spec.gpus = ranks;
  spec.batch_per_gpu = 4;
  spec.global_batch = 4 * ranks;
  return spec;
}

}  // namespace

TEST_CASE("inference measures at least 100 batches of each replica, in every style") {
  for (const char* framework : {"ddp", "deepspeed", "data_parallel", "vanilla_data_parallel"}) {
    INFO(framework);
    const test::ThreadLaunch seen = test::run(description(framework, 2));
    CHECK(seen.outcome == contract::RunOutcome::Completed);
    const auto records = all<contract::InferenceRecord>(seen.records);
    REQUIRE(records.size() == 1);
    const contract::InferenceRecord& record = records[0];
    CHECK(record.batch == 4);
    CHECK(record.batches == 100);
    CHECK(record.latency_s.p50 > 0);
    CHECK(record.latency_s.p50 <= record.latency_s.p90);
    CHECK(record.latency_s.p90 <= record.latency_s.max);
    CHECK(record.samples_per_s == Approx(100 * 8 / record.wall_s));
    CHECK(record.wall_s >= record.latency_s.mean * 90);
    CHECK(record.peak_memory_bytes > 0);
  }
}

TEST_CASE("the latency of styles that distribute inputs is split into its parts") {
  for (const char* framework : {"data_parallel", "vanilla_data_parallel"}) {
    INFO(framework);
    const auto record =
        all<contract::InferenceRecord>(test::run(description(framework, 2)).records)[0];
    CHECK(record.compute_s.p50 > 0);
    CHECK(record.communication_s.p50 > 0);
    CHECK(record.compute_s.mean + record.communication_s.mean == Approx(record.latency_s.mean));
  }
  for (const char* framework : {"ddp", "deepspeed"}) {
    INFO(framework);
    const auto record =
        all<contract::InferenceRecord>(test::run(description(framework, 2)).records)[0];
    CHECK(record.compute_s == contract::Spread{});
    CHECK(record.communication_s == contract::Spread{});
  }
}

TEST_CASE("inference with an uneven batch counts the samples of all replicas") {
  for (const char* framework : {"ddp", "data_parallel", "vanilla_data_parallel"}) {
    INFO(framework);
    auto spec = description(framework, 3);
    spec.global_batch = 10;
    spec.uneven_batch = contract::kSpreadBatch;
    const auto record = all<contract::InferenceRecord>(test::run(spec).records)[0];
    CHECK(record.batch == 4);
    CHECK(record.samples_per_s == Approx(100 * 10 / record.wall_s));
  }
}

TEST_CASE("a test set with more than 100 batches is processed once") {
  auto spec = description("ddp", 1);
  spec.dataset.test_samples = 615;
  CHECK(all<contract::InferenceRecord>(test::run(spec).records)[0].batches == 153);
}

TEST_CASE("inference ends on all ranks if one rank gets a stop request") {
  const test::TempDir folder;
  const test::ThreadLaunch seen = test::launch(description("ddp", 2), folder.path(), {.rank = 1});
  CHECK(seen.outcome == contract::RunOutcome::TimedOut);
  CHECK(all<contract::InferenceRecord>(seen.records).empty());
}
