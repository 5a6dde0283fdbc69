// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_timer.hpp"

#include <c10/core/Device.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "tests/support/fake_clock.hpp"

using namespace dlscale;
using contract::StepPart;

namespace {

/// Device that works asynchronously, while the CPU continues at once.
class SlowDevice : public trainer::Device {
 public:
  explicit SlowDevice(test::FakeClock& clock) : clock_(clock) {}
  c10::Device torch_device() const override { return c10::kCPU; }
  void synchronize() override { wait_for(free_at_s_); }
  double peak_memory_bytes() const override { return 0; }
  std::unique_ptr<trainer::Timeline> timeline(const base::Clock&) override {
    return std::make_unique<Marks>(*this);
  }
  void work(double seconds) { free_at_s_ = done_at_s() + seconds; }

 private:
  class Marks : public trainer::Timeline {
   public:
    explicit Marks(SlowDevice& device) : device_(device) {}
    void mark() override { at_s_.push_back(device_.done_at_s()); }
    std::vector<double> take_intervals() override {
      std::vector<double> between_s(at_s_.size());
      std::adjacent_difference(at_s_.begin(), at_s_.end(), between_s.begin());
      between_s.erase(between_s.begin());
      device_.wait_for(at_s_.back());
      at_s_ = {at_s_.back()};
      return between_s;
    }

   private:
    SlowDevice& device_;
    std::vector<double> at_s_;
  };
  double done_at_s() const { return std::max(clock_.now_s, free_at_s_); }
  void wait_for(double time_s) { clock_.now_s = std::max(clock_.now_s, time_s); }

  test::FakeClock& clock_;
  double free_at_s_ = 0;
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

TEST_CASE("parts sum to the wall time, and unassigned time counts as other") {
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

TEST_CASE("exposed communication is subtracted from the backward time") {
  Fixture f;
  f.spend(StepPart::backward, 2);
  f.timer.enter(StepPart::optimizer);
  f.timer.move(StepPart::backward, StepPart::exposed_comm, 0.5);
  f.timer.leave();
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::backward) == Approx(1.5));
  CHECK(part(block, StepPart::exposed_comm) == Approx(0.5));
}

TEST_CASE("no part becomes negative if more time is moved than was measured") {
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

TEST_CASE("device work counts in the part that submitted it, without waiting for the device") {
  Fixture f;
  f.timer.enter(StepPart::forward);
  f.device.work(1.25);
  f.spend(StepPart::backward, 0.5);
  f.device.work(2);
  f.timer.enter(StepPart::optimizer);
  f.device.work(0.25);
  f.timer.leave();
  CHECK(f.clock.now_s == 0.5);
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::forward) == Approx(1.25));
  CHECK(part(block, StepPart::backward) == Approx(2));
  CHECK(part(block, StepPart::optimizer) == Approx(0.25));
  CHECK(part(block, StepPart::other) == Approx(0));
  CHECK(block.wall_s == Approx(3.5));
}

TEST_CASE("waiting for data counts only while the device is idle") {
  Fixture f;
  f.timer.enter(StepPart::backward);
  f.device.work(1);
  f.spend(StepPart::load_wait, 0.75);
  f.timer.enter(StepPart::forward);
  f.device.work(1);
  f.timer.enter(StepPart::load_wait);
  f.clock.now_s += 1.75;
  f.timer.leave();
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::backward) == Approx(1));
  CHECK(part(block, StepPart::forward) == Approx(1));
  CHECK(part(block, StepPart::load_wait) == Approx(0.5));
  CHECK(block.wall_s == Approx(2.5));
}

TEST_CASE("moved time comes only from earlier work, even if the work is measured later") {
  Fixture f;
  f.timer.enter(StepPart::backward);
  f.device.work(1);
  f.timer.leave();
  f.timer.move(StepPart::backward, StepPart::exposed_comm, 3);
  f.timer.enter(StepPart::backward);
  f.device.work(2);
  f.timer.leave();
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::exposed_comm) == Approx(1));
  CHECK(part(block, StepPart::backward) == Approx(2));
}

TEST_CASE("the parts of 10,000 steps in a block are all counted") {
  Fixture f;
  for (int step = 0; step < 10'000; ++step) {
    f.timer.enter(StepPart::forward);
    f.device.work(0.25);
    f.timer.leave();
    f.timer.move(StepPart::forward, StepPart::exposed_comm, 0.125);
  }
  const auto block = f.timer.cut();
  CHECK(part(block, StepPart::forward) == Approx(1250));
  CHECK(part(block, StepPart::exposed_comm) == Approx(1250));
  CHECK(block.wall_s == Approx(2500));
}

TEST_CASE("time before the start is not part of any block") {
  Fixture f;
  f.spend(StepPart::forward, 4);
  f.timer.start();
  f.clock.now_s += 1;
  CHECK(f.timer.cut().wall_s == Approx(1));
}
