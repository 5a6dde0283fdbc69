// SPDX-License-Identifier: Apache-2.0
// Tests of the learning-rate schedule in examples/extension.
#include <catch2/catch.hpp>
#include <cmath>

#include "contract/run_spec/learning_rate.hpp"

using namespace dlscale;
using contract::LearningRateCurve;

namespace {

constexpr int kSteps = 40;  // steps per epoch
constexpr double kPeak = 1.6;

/// Returns a run of 90 epochs with 5 warm-up epochs from a learning rate of 0.025.
contract::RunSpec recipe() {
  contract::RunSpec spec;
  spec.epochs = 90;
  spec.warmup_epochs = 5;
  spec.lr = {.base = 0.025, .peak = kPeak};
  spec.lr_schedule.kind = "cooldown";
  return spec;
}

/// Compares the curve with the closed form at every step from the end of the warm-up to 10 epochs
/// after the end of the run.
template <class ClosedForm>
void check(const contract::RunSpec& spec, ClosedForm closed_form) {
  const LearningRateCurve curve(spec, kSteps);
  for (int step = 5 * kSteps; step < 100 * kSteps; ++step) {
    const double expected = closed_form(static_cast<double>(step) / kSteps);
    if (std::abs(curve.at_step(step) - expected) <= 1e-12) continue;
    FAIL("step " << step << ": " << curve.at_step(step) << " instead of " << expected);
  }
}

}  // namespace

TEST_CASE("cooldown stays at the peak and falls to 0 over the last fifth of the run") {
  check(recipe(), [](double e) { return e < 72 ? kPeak : e < 90 ? kPeak * (90 - e) / 18 : 0; });
}

TEST_CASE("cooldown begins at its milestone and ends at lr_min after t_max_epochs") {
  auto spec = recipe();
  spec.lr_schedule.milestones = {30};
  spec.lr_schedule.lr_min = 0.1;
  spec.lr_schedule.t_max_epochs = 80;
  check(spec, [](double e) {
    return e < 30 ? kPeak : e < 80 ? 0.1 + (kPeak - 0.1) * (80 - e) / 50 : 0.1;
  });
}

TEST_CASE("cooldown counts its fifth after the warm-up if the origin is after_warmup") {
  auto spec = recipe();
  spec.lr_schedule.origin = "after_warmup";
  check(spec, [](double e) { return e < 73 ? kPeak : e < 90 ? kPeak * (90 - e) / 17 : 0; });
}

TEST_CASE("cooldown by epochs changes between epochs only") {
  auto spec = recipe();
  spec.lr_schedule.update = "epoch";
  check(spec, [](double e) {
    const double epoch = std::floor(e + 1e-9);
    return epoch < 72 ? kPeak : epoch < 90 ? kPeak * (90 - epoch) / 18 : 0;
  });
}

TEST_CASE("a cooldown that begins at or after its end drops to 0 without a slope") {
  auto spec = recipe();
  for (const double begin : {90.0, 95.0}) {
    spec.lr_schedule.milestones = {begin};
    check(spec, [](double e) { return e < 90 ? kPeak : 0; });
  }
}

TEST_CASE("the warm-up of cooldown rises linearly") {
  const LearningRateCurve curve(recipe(), kSteps);
  for (int step = 0; step <= 5 * kSteps; ++step) {
    const double expected = 0.025 + (kPeak - 0.025) * step / (5 * kSteps);
    REQUIRE(curve.at_step(step) == Approx(expected).epsilon(1e-12));
  }
}
