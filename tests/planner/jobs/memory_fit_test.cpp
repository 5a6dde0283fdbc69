// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/memory_fit.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using planner::MemoryFit;
using planner::Partition;

namespace {

MemoryFit shipped() {
  return {DLSCALE_SOURCE_DIR "/share/cards", DLSCALE_SOURCE_DIR "/share/devices"};
}

contract::RunSpec densenet(std::int64_t batch) {
  contract::RunSpec run{.framework = "ddp", .model = "densenet121", .batch_per_gpu = batch};
  run.dataset = {.kind = "image_folder", .first_classes = 10};
  return run;
}

/// Returns measured memory peaks of DenseNet-121 on a device. The peaks exceed the cost model by
/// `beyond_bytes`.
predict::Measurements held_on(const std::string& device, double beyond_bytes) {
  contract::Calibration calibration{.device = device};
  for (const int batch : {16, 32}) {
    const double activations = batch * 80e6, card = 100e6 + activations;
    calibration.memory.push_back({.model = "densenet121",
                                  .input = {3, 224, 224},
                                  .framework = "ddp",
                                  .device = "cuda",
                                  .batch = batch,
                                  .peak_memory_bytes = card + beyond_bytes,
                                  .card_bytes = card,
                                  .activations_bytes = activations,
                                  .runs = 1});
  }
  return predict::Measurements(std::move(calibration));
}

Partition of(const std::string& gpu) {
  Partition partition;
  partition.gpu = gpu;
  return partition;
}

}  // namespace

TEST_CASE("128 images of DenseNet-121 do not fit 11 and 16 GB, and the reason is given") {
  MemoryFit memory = shipped();
  for (const char* gpu : {"gtx-1080-ti", "t4"}) {
    const Partition partition = of(gpu);
    const auto why = memory.conflict(densenet(128), &partition);
    REQUIRE(why);
    CHECK_THAT(*why, StartsWith("out of memory on ") && Contains("does not fit") &&
                         Contains("GiB are activations") && Contains("features.") &&
                         Contains("the largest batch per GPU that fits is "));
    CHECK_FALSE(memory.conflict(densenet(64), &partition));
  }
  CHECK(memory.notes().empty());
}

TEST_CASE("a batch within the prediction error of the limit is planned with a note") {
  MemoryFit memory = shipped();
  const Partition partition = of("gtx-1080-ti");
  std::int64_t batch = 64;
  while (!memory.conflict(densenet(batch), &partition)) ++batch;
  REQUIRE(memory.notes().size() == 1);
  CHECK_THAT(memory.notes().front(), Contains("within 8 % of the GPU memory"));
}

TEST_CASE("measured memory beyond the cost model counts only on the same GPU") {
  MemoryFit memory = shipped();
  const Partition t4 = of("t4");
  contract::RunSpec run = densenet(64);
  run.resources.device = "cuda";
  CHECK_FALSE(memory.conflict(run, &t4));
  const predict::Measurements much = held_on("Tesla T4", 12e9), little = held_on("Tesla T4", 1e6);
  const auto why = memory.conflict(run, &t4, &much);
  REQUIRE(why);
  CHECK_THAT(
      *why,
      StartsWith("out of memory on NVIDIA T4 (with the memory that measured runs used): does not"));
  CHECK_FALSE(memory.conflict(run, &t4, &little));
  const predict::Measurements elsewhere = held_on("NVIDIA A100-SXM4-40GB", 12e9);
  CHECK_FALSE(memory.conflict(run, &t4, &elsewhere));
  run.resources.device = "cpu";
  CHECK_FALSE(memory.conflict(run, &t4, &much));
}

TEST_CASE("runs with unknown memory are accepted") {
  const Partition t4 = of("t4"), unnamed = of("");
  MemoryFit memory = shipped();
  CHECK_FALSE(memory.conflict(densenet(100'000), nullptr));
  CHECK_FALSE(memory.conflict(densenet(100'000), &unnamed));
  contract::RunSpec other = densenet(100'000);
  other.model = "no_such_card";
  CHECK_FALSE(memory.conflict(other, &t4));
  CHECK(memory.notes().size() == 1);
  other = densenet(100'000);
  other.framework = "pipeline";
  CHECK_FALSE(memory.conflict(other, &t4));
  MemoryFit without({}, {});
  CHECK_FALSE(without.conflict(densenet(100'000), &t4));
  const Partition wrong = of("t5");
  CHECK_THROWS_AS(memory.conflict(densenet(1), &wrong), base::UsageError);
}

TEST_CASE("points without a cost model are counted in a note with model and precision") {
  const Partition t4 = of("t4");
  MemoryFit memory = shipped();
  contract::RunSpec run = densenet(100'000);
  run.precision = "fp64";
  CHECK_FALSE(memory.conflict(run, &t4));
  CHECK_FALSE(memory.conflict(run, &t4));
  REQUIRE(memory.notes().size() == 1);
  CHECK_THAT(memory.notes()[0],
             StartsWith("2 points are not checked for memory: there is no model card of "
                        "densenet121 in fp64 for the data of the study"));
}
