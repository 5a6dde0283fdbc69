// SPDX-License-Identifier: Apache-2.0
#include "predict/training_model.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;
using Catch::Contains;

namespace {

contract::RunSpec run_of(const contract::ModelCard& card, const std::string& framework = "ddp") {
  contract::RunSpec run;
  run.model = card.model;
  run.framework = framework;
  run.loader = "native";
  run.dataset.kind = "cifar10";
  run.batch_per_gpu = 32;
  run.resources.device = "cuda";
  return run;
}

/// Returns a calibration with steps of 3 s on one rank and 3.9 s on two ranks, an all-reduce of one
/// second, and 10 ms of loading per sample.
contract::Calibration calibration_of(const contract::ModelCard& card) {
  contract::Calibration c{.device = "a CPU"};
  c.compute.push_back({card.model, card.input, "fp32", 32, 1, 2, 0, 0, 10, 1});
  c.compute.push_back({card.model, card.input, "fp32", 32, 1.3, 2.6, 0, 0, 10, 2});
  for (const std::int64_t bytes : {4, 1'000'000'000}) {
    c.all_reduce.push_back({"shared memory", 1, 2, bytes, 1.0});
  }
  c.loading.push_back({"native", "cifar10", 0.01});
  return c;
}

StepTime step_on(int gpus, const contract::Calibration& calibration,
                 const std::string& framework = "ddp") {
  const contract::ModelCard card = test::made_card();
  const Measurements measured(calibration);
  const Hardware hardware{measured_device(calibration, "fp32"), {}, 8};
  const contract::RunSpec run = run_of(card, framework);
  return step_at(training_model(run, card, hardware, &measured), {1, gpus}, 32);
}

}  // namespace

TEST_CASE("ranks that share a node have the measured compute times") {
  const auto calibration = calibration_of(test::made_card());
  CHECK(step_on(1, calibration).forward.value == Approx(1));
  CHECK(step_on(2, calibration).forward.value == Approx(1.3));
  CHECK(step_on(2, calibration).backward.value == Approx(2.6));
}

TEST_CASE("more ranks than measured are extrapolated, at most in proportion") {
  CHECK(Sharing({{1, 1}, {2, 1.3}}).at(4) == Approx(1.69));
  CHECK(Sharing({{1, 1}, {2, 3}}).at(4) == Approx(6));
  CHECK(Sharing({{1, 1}, {2, 0.9}}).at(8) == Approx(0.9));
  CHECK(Sharing({{1, 1}, {4, 2}}).at(2) == Approx(std::sqrt(2)));
  CHECK(Sharing(std::map<int, double>{{2, 1}}).at(16) == 1);
  CHECK(Sharing({}).at(3) == 1);
}

TEST_CASE("measured runs include unmodelled terms up to their largest GPU count") {
  const contract::ModelCard card = test::made_card();
  contract::Calibration calibration = calibration_of(card);
  CHECK(measured_gpus(run_of(card), card, calibration) == 2);
  calibration.exchange.push_back({"ddp", 4, 16, 0.5});
  CHECK(measured_gpus(run_of(card), card, calibration) == 16);
  CHECK(measured_gpus(run_of(card, "horovod"), card, calibration) == 2);
  contract::RunSpec run = run_of(card);
  run.loader = "dali_cpu";  // loader without a measured wait
  CHECK(measured_gpus(run, card, calibration) == 1);
  run.loader = "synthetic";  // loader without a wait
  CHECK(measured_gpus(run, card, calibration) == 16);
}

TEST_CASE("measured all-reduces and kernels do not include unmodelled terms") {
  const contract::ModelCard card = test::made_card();
  contract::Calibration calibration = calibration_of(card);
  calibration.compute.clear();
  calibration.all_reduce.push_back({"ib", 256, 1024, 1'000'000, 1e-3});
  CHECK(measured_gpus(run_of(card), card, calibration) == 1);
}

TEST_CASE("the measured wait for data applies only to the same loader and data") {
  auto calibration = calibration_of(test::made_card());
  CHECK(step_on(1, calibration).load_wait.value == Approx(0.32));
  calibration.loading[0].loader = "packed";
  CHECK(step_on(1, calibration).load_wait.value == 0);
}

TEST_CASE("the hidden communication is at most that of measured runs") {
  auto calibration = calibration_of(test::made_card());
  const StepTime free = step_on(2, calibration);
  calibration.exchange.push_back({"ddp", 1, 2, 0.25});
  const StepTime held = step_on(2, calibration);
  CHECK(held.exposed_comm.value >= 0.75 * held.communication.value - 1e-9);
  CHECK(held.exposed_comm.value >= free.exposed_comm.value);
  calibration.exchange[0].framework = "horovod";
  CHECK(step_on(2, calibration).exposed_comm.value == Approx(free.exposed_comm.value));
}

TEST_CASE("CPUs hide communication only if measured runs did") {
  const contract::ModelCard card = test::made_card();
  auto calibration = calibration_of(card);
  contract::RunSpec run = run_of(card);
  run.resources.device = "cpu";
  const auto exposed_share = [&] {
    const Measurements measured(calibration);
    const Hardware hardware{measured_device(calibration, "fp32"), {}, 8};
    const StepTime step = step_at(training_model(run, card, hardware, &measured), {1, 2}, 32);
    return step.exposed_comm / step.communication;
  };
  CHECK(exposed_share() == Approx(1));
  calibration.exchange.push_back({"ddp", 1, 2, 0.25});
  CHECK(exposed_share() < 1);
  CHECK(exposed_share() >= 0.75 - 1e-9);
}

TEST_CASE("a placement without measurements has no all-reduce estimate") {
  auto calibration = calibration_of(test::made_card());
  const Measurements measured(calibration);
  CHECK(measured.all_reduce({1, 2}, kMebibyte));
  CHECK(measured.all_reduce({1, 4}, kMebibyte));  // the topology has measurements
  CHECK_FALSE(measured.all_reduce({2, 4}, kMebibyte));
  calibration.all_reduce.clear();
  CHECK_FALSE(Measurements(calibration).all_reduce({1, 2}, kMebibyte));
}

TEST_CASE("a device known only from measured steps is distinguished from a data sheet") {
  CHECK(is_measured_alone(measured_device({.device = "a CPU"}, "fp32")));
  CHECK_FALSE(is_measured_alone({.name = "a100-sxm4-40gb"}));
}

TEST_CASE("each placement hides as much as the nearest measured placement") {
  const contract::ModelCard card = test::made_card();
  auto calibration = calibration_of(card);
  calibration.exchange = {{"ddp", 1, 2, 0.9}, {"ddp", 1, 8, 0.1}, {"ddp", 2, 8, 0.2}};
  const Measurements measured(calibration);
  const auto hidden = [&](Placement ranks) { return measured.hidden_most("ddp", ranks).value(); };
  CHECK(hidden({1, 3}) == 0.9);
  CHECK(hidden({1, 8}) == 0.1);
  CHECK(hidden({2, 8}) == 0.2);
  CHECK(hidden({64, 256}) == 0.2);
  CHECK_FALSE(measured.hidden_most("horovod", {1, 2}));
  contract::RunSpec first = run_of(card);  // first run of a curve, without communication
  first.gpus = 1;
  const Hardware hardware{measured_device(calibration, "fp32"), {}, 8};
  const TrainingModel model = training_model(first, card, hardware, &measured);
  const auto exposed_share = [&](int gpus) {
    const StepTime step = step_at(model, {1, gpus}, 32);
    return step.exposed_comm / step.communication;
  };
  CHECK(exposed_share(2) < 0.8);
  CHECK(exposed_share(8) >= 0.9 - 1e-9);
}

TEST_CASE("a link other than the measured one counts only between nodes") {
  const contract::ModelCard card = test::made_card();
  auto calibration = calibration_of(card);
  for (const std::int64_t bytes : {4, 1'000'000'000}) {
    calibration.all_reduce.push_back({"network", 2, 2, bytes, 1.0});
  }
  const Measurements measured(calibration);
  const Network network{{}, {microseconds(1), gigabytes_per_s(1)}};
  Hardware hardware{measured_device(calibration, "fp32"), network, 8};
  const auto seconds = [&](Placement ranks) {
    const TrainingModel model = training_model(run_of(card), card, hardware, &measured);
    return model.all_reduce(ranks, {1e6}).time.value;
  };
  CHECK(seconds({2, 2}) == Approx(1));
  hardware.other_link = true;
  CHECK(seconds({2, 2}) == Approx(2e-6 + 1e-3));
  CHECK(seconds({1, 2}) == Approx(1));
}

TEST_CASE("measurements of another device are not used, and both devices are named") {
  const Device a100{
      .name = "a100-sxm4-40gb", .title = "NVIDIA A100 SXM4 40 GB", .match = {"A100-SXM4-40GB"}};
  CHECK(not_measured_on({.device = "NVIDIA A100-SXM4-40GB"}, a100).empty());
  CHECK(not_measured_on({}, a100).empty());  // unknown device
  const contract::Calibration cpu{.device = "a CPU"};
  CHECK(not_measured_on(cpu, measured_device(cpu, "fp32")).empty());
  CHECK_THAT(not_measured_on(cpu, a100),
             Contains("on a CPU, but these runs use NVIDIA A100 SXM4 40 GB (a100-sxm4-40gb"));
  CHECK_FALSE(not_measured_on({.device = "NVIDIA A100-SXM4-80GB"}, a100).empty());
  CHECK_FALSE(not_measured_on(cpu, {.name = "own", .match = {""}}).empty());
}

TEST_CASE("measured steps and kernels count only in their own precision") {
  const contract::ModelCard card = test::made_card();  // cost model in fp32, used for tf32 too
  auto calibration = calibration_of(card);
  calibration.kernel_models.push_back({.kernel = "relu_forward"});
  const Measurements measured(calibration);
  const auto computing_in = [&](const std::string& precision) {
    contract::RunSpec run = run_of(card);
    run.precision = precision;
    const Hardware hardware{measured_device(calibration, precision), {}, 8};
    return training_model(run, card, hardware, &measured).computing;
  };
  CHECK(computing_in("fp32").measured.size() == 2);
  CHECK(computing_in("fp32").kernels.size() == 1);
  CHECK(computing_in("tf32").measured.empty());
  CHECK(computing_in("tf32").kernels.empty());
}

TEST_CASE("measured compute times do not follow another peak") {
  const contract::ModelCard card = test::made_card();
  auto calibration = calibration_of(card);
  const auto why = [&] {
    const Measurements measured(calibration);
    const Hardware hardware{measured_device(calibration, "fp32"), {}, 8};
    return fixed_rates(training_model(run_of(card), card, hardware, &measured));
  };
  CHECK_THAT(why(), Contains("the calibration contains steps of made"));
  calibration.compute.clear();
  CHECK(why().empty());  // only all-reduces measured
  calibration.kernel_models.push_back({.kernel = "relu_forward"});
  CHECK_THAT(why(), Contains("kernels for made"));
}
