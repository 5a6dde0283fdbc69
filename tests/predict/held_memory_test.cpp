// SPDX-License-Identifier: Apache-2.0
#include "predict/memory.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;
using contract::MemoryPeak;

namespace {

/// Returns the memory peak of a rank whose cost model predicts 600 MB plus 60 MB per sample. The
/// peak exceeds this prediction by `beyond` bytes.
MemoryPeak peak_of(std::int64_t batch, double beyond, const std::string& model = "made") {
  const double activations = 60e6 * static_cast<double>(batch);
  return {.model = model,
          .input = {3, 4, 4},
          .framework = "ddp",
          .loader = "memory",
          .dataset = "synthetic",
          .batch = batch,
          .peak_memory_bytes = 600e6 + activations + beyond,
          .card_bytes = 600e6 + activations,
          .activations_bytes = activations,
          .runs = 2};
}

contract::RunSpec cpu_run() {
  contract::RunSpec run;
  run.framework = "ddp";
  run.model = "made";
  run.dataset.kind = "synthetic";
  return run;
}

HeldMemory held_by(const std::vector<MemoryPeak>& measured,
                   const contract::RunSpec& run = cpu_run()) {
  return held_memory(measured, run, test::made_card());
}

}  // namespace

TEST_CASE("memory beyond the cost model is linear in the activations") {
  const HeldMemory held = held_by({peak_of(8, 100e6 + 0.5 * 480e6), peak_of(32, 100e6 + 960e6)});
  CHECK(held.beyond.start.value == Approx(100e6));
  CHECK(held.beyond.of_activations == Approx(0.5));
  CHECK(held.relative_error < 1e-9);
  CHECK(held.runs == 4);
  CHECK(held.other_models == 0);
  CHECK(held.least.value == Approx(480e6));
  CHECK(held.most.value == Approx(1920e6));
}

TEST_CASE("runs of one batch determine only the start") {
  MemoryPeak adam = peak_of(8, 130e6);
  adam.card_bytes += 600e6;
  adam.peak_memory_bytes += 600e6;
  adam.gpus = 2;
  const HeldMemory held = held_by({peak_of(8, 130e6), adam});
  CHECK(held.beyond.start.value == Approx(130e6));
  CHECK(held.beyond.of_activations == 0);
}

TEST_CASE("a slope within the scatter of equal runs is set to 0") {
  // The peaks are 1.2 GB and 2.7 GB, but their differences from the cost model, 100 MB and 120 MB,
  // are nearly equal.
  const HeldMemory flat = held_by({peak_of(8, 100e6), peak_of(32, 120e6)});
  CHECK(flat.beyond.of_activations == 0);
  CHECK(flat.beyond.start.value > 100e6);
  CHECK(flat.beyond.start.value < 120e6);
  CHECK(held_by({peak_of(8, 100e6), peak_of(32, 400e6)}).beyond.of_activations > 0.1);
}

TEST_CASE("start and slope are not negative if the cost model exceeds the measured memory") {
  const HeldMemory less = held_by({peak_of(8, -50e6), peak_of(32, -80e6)});
  CHECK(less.beyond.start.value == 0);
  CHECK(less.beyond.of_activations == 0);
  CHECK(less.relative_error > 0.02);
  CHECK(held_by({peak_of(8, 500e6), peak_of(32, 100e6)}).beyond.of_activations == 0);
}

TEST_CASE("two other models determine the line, and one other model only the start") {
  const MemoryPeak small = peak_of(8, 100e6 + 240e6, "a"), large = peak_of(32, 100e6 + 960e6, "b");
  const HeldMemory pooled = held_by({small, large});
  CHECK(pooled.other_models == 2);
  CHECK(pooled.beyond.start.value == Approx(100e6));
  CHECK(pooled.beyond.of_activations == Approx(0.5));
  const HeldMemory one = held_by({small, peak_of(32, 100e6 + 960e6, "a")});
  CHECK(one.other_models == 1);
  CHECK(one.beyond.start.value == Approx(100e6));
  CHECK(one.beyond.of_activations == 0);
  // A run of the model itself takes precedence over runs of other models.
  CHECK(held_by({small, large, peak_of(8, 200e6)}).beyond.start.value == Approx(200e6));
}

TEST_CASE("a run with another precision or input counts as another model") {
  MemoryPeak half = peak_of(8, 300e6), wide = peak_of(8, 300e6);
  half.precision = "bf16";
  wide.input = {3, 8, 8};
  for (const MemoryPeak& other : {half, wide}) {
    const HeldMemory held = held_by({other});
    CHECK(held.other_models == 1);
    CHECK(held.beyond.start.value == Approx(300e6));
  }
}

TEST_CASE("CPU memory follows from runs with the same loader and data, GPU memory from all") {
  MemoryPeak streamed = peak_of(8, 900e6), pictures = peak_of(8, 900e6);
  streamed.loader = "native";
  pictures.dataset = "image_folder";
  CHECK(held_by({streamed, pictures}).runs == 0);
  for (MemoryPeak* peak : {&streamed, &pictures}) peak->device = "cuda";
  CHECK(held_by({streamed, pictures}).runs == 0);  // no peaks of CPU processes
  contract::RunSpec run = cpu_run();
  run.resources.device = "cuda";
  CHECK(held_by({streamed, pictures}, run).runs == 4);
  CHECK(held_by({peak_of(8, 100e6)}, run).runs == 0);
}

TEST_CASE("runs of the same framework take precedence over those of others") {
  MemoryPeak horovod = peak_of(8, 300e6);
  horovod.framework = "horovod";
  CHECK(held_by({peak_of(8, 100e6), horovod}).beyond.start.value == Approx(100e6));
  CHECK(held_by({horovod}).beyond.start.value == Approx(300e6));
}

TEST_CASE("the uncertainty outside the measured range is that of the cost model") {
  const HeldMemory none = held_by({});
  CHECK(none.runs == 0);
  CHECK(none.beyond.at(Bytes{1e9}).value == 0);
  CHECK(none.uncertainty(Bytes{1e9}) == kMemoryMargin);
  const HeldMemory held = held_by({peak_of(8, 100e6 + 240e6), peak_of(32, 100e6 + 960e6)});
  CHECK(held.uncertainty(Bytes{480e6}) == Approx(0.03));
  CHECK(held.uncertainty(Bytes{1000e6}) == Approx(0.03));
  CHECK(held.uncertainty(Bytes{4000e6}) == kMemoryMargin);
  CHECK(held.uncertainty(Bytes{100e6}) == kMemoryMargin);
  const HeldMemory wide = held_by({peak_of(8, 100e6), peak_of(8, 400e6)});
  CHECK(wide.uncertainty(Bytes{480e6}) == Approx(2 * wide.relative_error));
  CHECK(wide.relative_error > 0.05);
}
