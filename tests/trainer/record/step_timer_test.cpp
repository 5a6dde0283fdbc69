// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_timer.hpp"

#include <c10/core/Device.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <utility>

#include "tests/support/fake_clock.hpp"

using namespace dlscale;
using contract::StepPart;

namespace {

/// A device whose work takes as long as the test says, until it is waited for.
class SlowDevice : public trainer::Device {
 public:
  explicit SlowDevice(test::FakeClock& clock) : clock_(clock) {}
  c10::Device torch_device() const override { return c10::kCPU; }
  void synchronize() override { clock_.now_s += std::exchange(pending_s, 0); }
  double peak_memory_bytes() const override { return 0; }
  double pending_s = 0;

 private:
  test::FakeClock& clock_;
};

struct Fixture {
  test::FakeClock clock;
  SlowDevice device{clock};
  trainer::StepTimer timer{clock, device};

  Fixture() { timer.start(); }
  void spend(StepPart part, double seconds) {
    timer.enter(part);
    clock.now_s += seconds;
  }
};

double part(const trainer::BlockTimes& block, StepPart which) {
  return block.parts[static_cast<int>(which)];
}

}  // namespace

TEST_CASE("parts sum to the wall time, unclaimed time being other") {
  Fixture f;
  f.spend(StepPart::load_wait, 0.25);
  f.spend(StepPart::forward, 1);
  f.spend(StepPart::backward, 2);
  f.timer.leave();
  f.clock.now_s += 0.5;
  const auto block = f.timer.cut();
  CHECK(block.wall_s == Approx(3.75));
  CHECK(part(block, StepPart::backward) == Approx(2));
  CHECK(part(block, StepPart::other) == Approx(0.5));
  CHECK(std::accumulate(block.parts.begin(), block.parts.end(), 0.0) == Approx(block.wall_s));
}

TEST_CASE("parts add up over the steps of a block and start at zero in the next") {
  Fixture f;
  for (int step = 0; step < 3; ++step) f.spend(StepPart::optimizer, 0.5);
  f.timer.leave();
  CHECK(part(f.timer.cut(), StepPart::optimizer) == Approx(1.5));
  f.clock.now_s += 2;
  const auto next = f.timer.cut();
  CHECK(part(next, StepPart::optimizer) == 0);
  CHECK(next.wall_s == Approx(2));
}

TEST_CASE("exposed communication is taken out of the backward time") {
  Fixture f;
  f.spend(StepPart::backward, 2);
  f.timer.enter(StepPart::optimizer);
  f.timer.move(StepPart::backward, StepPart::exposed_comm, 0.5);
  f.timer.leave();
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::backward) == Approx(1.5));
  CHECK(part(block, StepPart::exposed_comm) == Approx(0.5));
}

TEST_CASE("no part becomes negative when more is moved than was measured") {
  Fixture f;
  f.spend(StepPart::backward, 2);
  f.timer.leave();
  f.timer.move(StepPart::backward, StepPart::exposed_comm, 5);
  f.timer.move(StepPart::forward, StepPart::exposed_comm, -1);
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::backward) == 0);
  CHECK(part(block, StepPart::exposed_comm) == Approx(2));
  CHECK(part(block, StepPart::other) == Approx(0));
}

TEST_CASE("work that a device still does counts in the part that gave it") {
  Fixture f;
  f.spend(StepPart::forward, 0.25);
  f.device.pending_s = 1;
  f.spend(StepPart::backward, 0.5);
  f.timer.leave();
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::forward) == Approx(1.25));
  CHECK(part(block, StepPart::backward) == Approx(0.5));
}

TEST_CASE("time before the start belongs to no block") {
  Fixture f;
  f.spend(StepPart::forward, 4);
  f.timer.start();
  f.clock.now_s += 1;
  CHECK(f.timer.cut().wall_s == Approx(1));
}
