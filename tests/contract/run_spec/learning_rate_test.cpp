// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/learning_rate.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "contract/run_spec/vocabulary.hpp"

using namespace dlscale;
using contract::LearningRateCurve;

namespace {

/// Returns the ResNet recipe of Aach et al. (2023): 0.025 per GPU, 5 warm-up epochs, 90 epochs.
contract::RunSpec juelich(int gpus, const std::string& schedule) {
  contract::RunSpec spec;
  spec.gpus = gpus;
  spec.epochs = 90;
  spec.warmup_epochs = 5;
  spec.lr = {.base = 0.025, .peak = 0.025 * gpus, .scale = "linear"};
  spec.lr_schedule.kind = schedule;
  spec.lr_schedule.milestones = {30, 60, 80};
  spec.lr_schedule.factor = 0.1;
  spec.lr_schedule.gamma = 0.95;
  return spec;
}

constexpr int kSteps = 100;  // steps per epoch

double rate_at(const contract::RunSpec& spec, double epoch) {
  return LearningRateCurve(spec, kSteps).at_step(std::lround(epoch * kSteps));
}

}  // namespace

TEST_CASE("every schedule is finite, not negative and reproducible") {
  for (const auto* entry : contract::lr_schedule_table()) {
    INFO(entry->name);
    for (const char* origin : {"start", "after_warmup"}) {
      auto spec = juelich(4, entry->name);
      spec.lr_schedule.origin = origin;
      const LearningRateCurve curve(spec, kSteps);
      for (int step = 0; step <= 100 * kSteps; step += 7) {
        const double rate = curve.at_step(step);
        REQUIRE(std::isfinite(rate));
        REQUIRE(rate >= 0);
        REQUIRE(curve.at_step(step) == rate);
      }
    }
  }
}

TEST_CASE("warm-up rises linearly from base to peak under every schedule") {
  for (const auto* entry : contract::lr_schedule_table()) {
    INFO(entry->name);
    const auto spec = juelich(64, entry->name);
    for (int step = 0; step < 5 * kSteps; ++step) {
      const double expected = 0.025 + (1.6 - 0.025) * step / (5.0 * kSteps);
      REQUIRE(LearningRateCurve(spec, kSteps).at_step(step) == Approx(expected).epsilon(1e-12));
    }
  }
}

TEST_CASE("the step schedule divides the rate by ten at epochs 30, 60 and 80") {
  const auto spec = juelich(1024, "step");
  CHECK(rate_at(spec, 5) == Approx(25.6));
  CHECK(rate_at(spec, 29.99) == Approx(25.6));
  CHECK(rate_at(spec, 30) == Approx(2.56));
  CHECK(rate_at(spec, 60) == Approx(0.256));
  CHECK(rate_at(spec, 79.99) == Approx(0.256));
  CHECK(rate_at(spec, 80) == Approx(0.0256));
}

TEST_CASE("the step schedule without milestones applies its factor every every_epochs") {
  auto spec = juelich(4, "step");
  spec.warmup_epochs = 0;
  spec.lr_schedule.milestones = {};
  spec.lr_schedule.every_epochs = 0.1;  // 0.3 / 0.1 is below 3 in floating point
  CHECK(rate_at(spec, 0.29) == Approx(0.1 * 1e-2));
  CHECK(rate_at(spec, 0.3) == Approx(0.1 * 1e-3));
}

TEST_CASE("the cosine schedule passes its midpoint and ends at lr_min") {
  auto spec = juelich(4, "cosine");
  spec.lr_schedule.lr_min = 0.001;
  CHECK(rate_at(spec, 45) == Approx(0.001 + 0.099 / 2));
  CHECK(rate_at(spec, 30) == Approx(0.001 + 0.099 * 0.75));
  CHECK(rate_at(spec, 90) == Approx(0.001));
  CHECK(rate_at(spec, 95) == Approx(0.001));
}

TEST_CASE("the cosine schedule has the length t_max_epochs") {
  auto spec = juelich(4, "cosine");
  spec.lr_schedule.t_max_epochs = 60;
  CHECK(rate_at(spec, 30) == Approx(0.05));
  CHECK(rate_at(spec, 60) == Approx(0).margin(1e-15));
}

TEST_CASE("a schedule that begins after the warm-up ends with the run") {
  for (const char* kind : {"cosine", "polynomial"}) {
    auto spec = juelich(4, kind);
    spec.lr_schedule.origin = "after_warmup";
    CHECK(rate_at(spec, 5) == Approx(0.1));
    CHECK(rate_at(spec, 90) == Approx(0).margin(1e-15));
  }
  auto cosine = juelich(4, "cosine");
  cosine.lr_schedule.origin = "after_warmup";
  CHECK(rate_at(cosine, 47.5) == Approx(0.05));
}

TEST_CASE("the exponential schedule counts from the start or from the end of the warm-up") {
  auto spec = juelich(4, "exponential");
  CHECK(rate_at(spec, 10) == Approx(0.1 * std::pow(0.95, 10)));
  spec.lr_schedule.origin = "after_warmup";
  CHECK(rate_at(spec, 5) == Approx(0.1));
  CHECK(rate_at(spec, 90) == Approx(0.1 * 0.0128).epsilon(0.002));  // 0.0128 is gamma^85
}

TEST_CASE("a warm-up in steps does not depend on the number of steps per epoch") {
  auto spec = juelich(4, "cosine");
  spec.lr_schedule.origin = "after_warmup";
  spec.warmup_epochs = 0.3;  // 30 steps, because the plan assumed 100 steps per epoch
  spec.lr.warmup_steps = 30;
  for (const int steps_per_epoch : {100, 30, 7, 1}) {
    INFO(steps_per_epoch);
    const LearningRateCurve curve(spec, steps_per_epoch);
    CHECK(curve.warmup_steps() == 30);
    CHECK(curve.at_step(15) == Approx((0.025 + 0.1) / 2));
    CHECK(curve.at_step(29) < 0.1);
    CHECK(curve.at_step(30) == Approx(0.1));
    CHECK(curve.at_step(90 * steps_per_epoch) == Approx(0).margin(1e-15));
  }
}

TEST_CASE("the warm-up steps are the steps of the run before the peak") {
  auto spec = juelich(4, "constant");
  for (const int steps_per_epoch : {1, 3, 10, 49, 938}) {
    for (const double epochs : {0.0, 0.1, 0.3, 0.7, 1.0, 2.5, 4.9, 89.99, 90.0, 1e300}) {
      spec.warmup_epochs = epochs;
      const LearningRateCurve curve(spec, steps_per_epoch);
      std::int64_t below = 0;
      while (below < 90 * steps_per_epoch && curve.at_step(below) < spec.lr.peak) ++below;
      INFO(epochs << " epochs of " << steps_per_epoch << " steps");
      CHECK(curve.warmup_steps() == below);
    }
  }
}

TEST_CASE("with update \"epoch\" the rate after the warm-up changes only between epochs") {
  auto spec = juelich(4, "exponential");
  spec.lr_schedule.update = "epoch";
  CHECK(rate_at(spec, 12.99) == rate_at(spec, 12));
  CHECK(rate_at(spec, 13) < rate_at(spec, 12));
  CHECK(rate_at(spec, 0.99) == Approx(0.025 + (0.1 - 0.025) * 0.99 / 5));
  spec.lr.warmup_update = "epoch";
  CHECK(rate_at(spec, 0.99) == Approx(0.025));
}

TEST_CASE("a warm-up can end within an epoch if the schedule changes per epoch") {
  auto spec = juelich(4, "exponential");
  spec.warmup_epochs = 2.5;
  spec.lr_schedule.update = "epoch";
  CHECK(rate_at(spec, 2.49) == Approx(0.025 + (0.1 - 0.025) * 2.49 / 2.5));
  CHECK(rate_at(spec, 2.5) == Approx(0.1 * std::pow(0.95, 2)));
  spec.lr_schedule.origin = "after_warmup";
  CHECK(rate_at(spec, 2.5) == Approx(0.1));
  CHECK(rate_at(spec, 3) == Approx(0.1 * std::pow(0.95, 0.5)));
}

TEST_CASE("an unknown schedule is reported with the known schedules") {
  CHECK_THROWS_WITH(LearningRateCurve(juelich(4, "spiral"), kSteps),
                    Catch::Contains("unknown lr_schedule \"spiral\"") && Catch::Contains("cosine"));
}

TEST_CASE("warm-up from zero starts at 0, and warm-up by epochs rises once per epoch") {
  auto spec = juelich(64, "constant");
  spec.lr.warmup_from = "zero";
  for (int step = 0; step < 5 * kSteps; ++step) {
    REQUIRE(rate_at(spec, step / 100.0) == Approx(1.6 * step / (5.0 * kSteps)).margin(1e-15));
  }
  spec.lr.warmup_from = "";
  spec.lr.warmup_update = "epoch";
  for (int step = 0; step < 5 * kSteps; ++step) {
    const int epoch = step / kSteps;
    REQUIRE(rate_at(spec, step / 100.0) == Approx(0.025 + (1.6 - 0.025) * epoch / 5));
  }
  CHECK(rate_at(spec, 5) == Approx(1.6));
}

TEST_CASE("the polynomial schedule decays with its power and stays at lr_min") {
  auto spec = juelich(4, "polynomial");
  spec.lr_schedule.lr_min = 0.001;
  CHECK(rate_at(spec, 45) == Approx(0.001 + 0.099 * 0.25));  // default power of 2
  spec.lr_schedule.power = 1;
  CHECK(rate_at(spec, 45) == Approx(0.001 + 0.099 * 0.5));
  CHECK(rate_at(spec, 90) == Approx(0.001));
  CHECK(rate_at(spec, 95) == Approx(0.001));
}

TEST_CASE("the multistep schedule applies its factor at each milestone") {
  auto spec = juelich(4, "multistep");
  spec.lr_schedule.milestones = {7.5, 40};
  spec.lr_schedule.factor = 0.5;
  CHECK(rate_at(spec, 7.49) == Approx(0.1));
  CHECK(rate_at(spec, 7.5) == Approx(0.05));
  CHECK(rate_at(spec, 89) == Approx(0.025));
}

TEST_CASE("every step of 90 ImageNet epochs on 4 to 1,024 GPUs matches the closed form") {
  const int gpus = GENERATE(4, 64, 128, 256, 512, 1024);
  const std::int64_t batch = 64L * gpus;
  const std::int64_t steps = (1'281'167 + batch - 1) / batch;
  const double peak = 0.025 * gpus;  // peaks: 0.1, 1.6, 3.2, 6.4, 12.8, 25.6
  const auto closed_form = [peak](const std::string& kind, double e) {
    if (kind == "constant") return peak;
    if (kind == "cosine") return peak * (1 + std::cos(std::acos(-1.0) * e / 90)) / 2;
    if (kind == "exponential") return peak * std::exp(std::log(0.95) * e);
    if (kind == "polynomial") return peak * (1 - e / 90) * (1 - e / 90);
    return e < 30 ? peak : e < 60 ? peak / 10 : e < 80 ? peak / 100 : peak / 1000;
  };
  for (const auto* entry : contract::lr_schedule_table()) {
    // Extensions have their own tests.
    if (contract::is_from_extension("lr_schedule", entry->name)) continue;
    INFO(entry->name << " on " << gpus);
    const LearningRateCurve curve(juelich(gpus, entry->name), steps);
    for (std::int64_t step = 0; step < 90 * steps; ++step) {
      const double e = static_cast<double>(step) / static_cast<double>(steps);
      const double expected =
          step < 5 * steps ? 0.025 + (peak - 0.025) * e / 5 : closed_form(entry->name, e);
      const double found = curve.at_step(step);
      if (std::abs(found - expected) > 1e-12 * peak) FAIL("step " << step << ": " << found);
    }
  }
  CHECK(steps == (gpus == 1024 ? 20 : gpus == 4 ? 5005 : steps));
}

TEST_CASE("the peak rates match the figure of the large-batch study") {
  for (const auto& [gpus, peak] : {std::pair{4, 0.1}, {64, 1.6}, {1024, 25.6}}) {
    const LearningRateCurve curve(juelich(gpus, "step"), 20);
    CHECK(curve.at_step(5 * 20) == Approx(peak).epsilon(1e-14));
    CHECK(curve.at_step(0) == Approx(0.025));
  }
}

TEST_CASE("a schedule of a run of N steps ends at step N") {
  auto spec = juelich(4, "cosine");
  spec.warmup_epochs = 0;
  spec.epochs = 0;
  spec.steps = 250;
  CHECK(contract::run_epochs(spec, kSteps) == 3);
  CHECK(contract::run_steps(spec, kSteps) == 250);
  CHECK(contract::length_in_epochs(spec, kSteps) == 2.5);
  const LearningRateCurve curve(spec, kSteps);
  CHECK(curve.at_step(0) == Approx(0.1));
  CHECK(curve.at_step(125) == Approx(0.05));
  CHECK(curve.at_step(250) == Approx(0).margin(1e-12));
  spec.warmup_epochs = 5;
  CHECK(LearningRateCurve(spec, kSteps).warmup_steps() == 250);
}
