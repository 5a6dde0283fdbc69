// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/run_times.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;
using Catch::Contains;

namespace {

/// Run with 40 steps per epoch on one rank. A step takes 4 s on one rank. On two ranks, a step
/// takes 6 s, including 1 s for the all-reduce.
struct StepTimesBench {
  StepTimesBench() {
    contract::ModelCard card = test::made_card();
    card.model = "mlp";
    card.input = {3, 32, 32};
    card.classes = 10;
    base::write_file_atomically(dir / "mlp-3x32x32-10.json", to_json(card));
    calibration.compute.push_back({"mlp", {3, 32, 32}, "fp32", 25, 1, 3, 0, 0, 10, 1});
    calibration.compute.push_back({"mlp", {3, 32, 32}, "fp32", 25, 1.25, 3.75, 0, 0, 10, 2});
    for (const std::int64_t bytes : {4, 1'000'000'000}) {
      calibration.all_reduce.push_back({"", 1, 2, bytes, 1.0});
    }
    run.model = "mlp";
    run.framework = "deepspeed";
    run.framework_options.zero_stage = 0;  // one all-reduce after the backward pass
    run.dataset = {.kind = "cifar10", .train_samples = 1000};
    run.batch_per_gpu = 25;
    run.global_batch = 25;
    run.epochs = 3;
  }
  predict::Band band(int gpus) {
    run.gpus = gpus;
    run.global_batch = run.batch_per_gpu * gpus;
    return times.run_s(run, nullptr, predict::Measurements(calibration));
  }
  double run_s(int gpus) { return band(gpus).value; }
  test::TempDir dir;
  contract::Calibration calibration{.device = "a CPU"};
  contract::RunSpec run;
  StepTimes times{dir.path(), std::nullopt};
};

}  // namespace

TEST_CASE("the time of a run is the measured time of the steps of its epochs") {
  StepTimesBench bench;
  CHECK(bench.run_s(1) == Approx(3 * 40 * 4));
  CHECK(bench.run_s(2) == Approx(3 * 20 * 6));
  CHECK(bench.times.notes().empty());
}

TEST_CASE("the band of a run on more ranks than measured includes the missing terms") {
  StepTimesBench bench;
  bench.run.loader = "native";
  const predict::Band one = bench.band(1), two = bench.band(2);
  CHECK(one.high / one.value < 1.2);
  CHECK(bench.times.beyond_measured() == 1);  // the wait for data is not measured
  CHECK(two.high / two.value > 1.3);
  bench.calibration.loading.push_back({"native", "cifar10", 0.001});
  bench.times.forget();
  CHECK(bench.band(2).high / bench.band(2).value < 1.2);
  CHECK(bench.times.beyond_measured() == 0);
}

TEST_CASE("a run without a measured step or all-reduce has no time, and a note explains why") {
  StepTimesBench bench;
  CHECK(bench.run_s(4) == 0);
  REQUIRE(bench.times.notes().size() == 1);
  CHECK_THAT(bench.times.notes()[0], Contains("no all-reduce time that applies to 4 GPUs"));
  bench.run.batch_per_gpu = 10;
  CHECK(bench.run_s(4) == 0);
  CHECK(bench.times.notes().size() == 1);  // the same note is not repeated
  bench.calibration.compute.clear();
  CHECK(bench.run_s(1) == 0);
  CHECK_THAT(bench.times.notes()[1], Contains("no step time of mlp for 3x32x32"));
  bench.run.model = "cnn";
  CHECK(bench.run_s(1) == 0);
  CHECK_THAT(bench.times.notes()[2], Contains("no model card of cnn"));
}

TEST_CASE("a framework that is not modelled has no time") {
  StepTimesBench bench;
  bench.run.framework = "pipeline";
  CHECK(bench.run_s(1) == 0);
  CHECK_THAT(bench.times.notes()[0], Contains("pipeline"));
}

TEST_CASE("a run on a data set of unknown size has no time") {
  StepTimesBench bench;
  bench.run.dataset = {.kind = "image_folder", .classes = 10, .image_size = 32};
  CHECK(bench.run_s(1) == 0);
  REQUIRE(bench.times.notes().size() == 1);
  CHECK_THAT(bench.times.notes()[0], Contains("training.dataset.train_samples"));
}

TEST_CASE("a calibration of a device that the partition does not have gives no time") {
  StepTimesBench bench;
  StepTimes times{bench.dir.path(), DLSCALE_SOURCE_DIR "/share/devices"};
  Partition partition;
  partition.gpu = "t4";
  partition.gpus_per_node = 1;
  const auto run_s = [&] {
    return times.run_s(bench.run, &partition, predict::Measurements(bench.calibration)).value;
  };
  CHECK(run_s() == 0);
  REQUIRE(times.notes().size() == 1);
  CHECK_THAT(times.notes()[0], Contains("measured on a CPU") && Contains("NVIDIA T4"));
  bench.calibration.device = "Tesla T4";
  CHECK(run_s() == Approx(3 * 40 * 4));
}

TEST_CASE("steps of another precision give no time") {
  StepTimesBench bench;
  bench.run.precision = "tf32";
  CHECK(bench.run_s(1) == 0);
  REQUIRE(bench.times.notes().size() == 1);
  CHECK_THAT(bench.times.notes()[0], Contains("no step time of mlp for 3x32x32 inputs in tf32"));
}

TEST_CASE("GPUs overlap communication with the backward pass, CPUs do not") {
  StepTimesBench bench;
  bench.run.framework = "ddp";  // two gradient buckets; the all-reduce of each takes 1 s
  CHECK(bench.run_s(2) == Approx(3 * 20 * (5 + 2)));
  bench.run.resources.device = "cuda";
  CHECK(bench.run_s(2) == Approx(3 * 20 * (5 + 1)));
}
