// SPDX-License-Identifier: Apache-2.0
// Tests of collectives on the memory of a device that executes its work asynchronously.
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>

#include "base/error.hpp"
#include "tests/support/shared_clock.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/comm/single.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::SharedClock;

namespace {

/// Fence of a device that needs 5 seconds for its pending work.
class FakeFence : public Fence {
 public:
  explicit FakeFence(const SharedClock& clock) : clock_(clock) {}
  void wait() const override {
    clock_.now_s = clock_.now_s + 5;
    passed_s_ = clock_.now_s.load();
  }
  double age_s() const override { return passed_s_ < 0 ? 0 : clock_.now_s - passed_s_; }

 private:
  const SharedClock& clock_;
  mutable std::atomic<double> passed_s_{-1};
};

/// Communicator of two ranks with devices. An all-reduce takes one second.
class DeviceRanks : public Communicator {
 public:
  explicit DeviceRanks(const SharedClock& clock) : Communicator(0, 2), clock_(clock) {}
  bool takes(Memory) const override { return true; }
  std::shared_ptr<const Fence> fence() const override {
    ++fences;
    return std::make_shared<FakeFence>(clock_);
  }
  mutable std::atomic<int> fences{0};

 private:
  void do_all_reduce(Span, ReduceOp) override { clock_.now_s = clock_.now_s + 1; }
  void do_reduce_scatter(Span, Span, ReduceOp) override {}
  void do_all_gather(Span, Span) override {}
  void do_broadcast(Span, int) override {}
  void do_reduce(Span, ReduceOp, int) override {}
  void do_exchange(Span, int, Span, int) override {}
  void do_check_same_call(const NamedCollective&) override {}
  std::unique_ptr<Communicator> do_split(int) override { return nullptr; }

  const SharedClock& clock_;
};

double fence_numbers[4] = {};
constexpr Span kOnHost{fence_numbers, 4, ElementType::float64};
constexpr Span kOnDevice{fence_numbers, 4, ElementType::float64, Memory::device};

}  // namespace

TEST_CASE("a call on device memory starts after the pending work of the device") {
  const SharedClock clock;
  DeviceRanks ranks(clock);
  CollectiveQueue queue(ranks, clock);
  const auto work = queue.all_reduce(kOnDevice, ReduceOp::sum);
  work->wait();
  CHECK(work->submitted_s() == 0);
  CHECK(work->ready_s() == 5);
  CHECK(work->started_s() == 5);
  CHECK(work->finished_s() == 6);
}

TEST_CASE("a call on host memory does not wait for the device") {
  const SharedClock clock;
  DeviceRanks ranks(clock);
  CollectiveQueue queue(ranks, clock);
  const auto work = queue.all_reduce(kOnHost, ReduceOp::sum);
  work->wait();
  CHECK(ranks.fences == 0);
  CHECK(work->ready_s() == work->submitted_s());
  CHECK(work->finished_s() == 1);
}

TEST_CASE("waiting while the device still computes does not count as waiting time") {
  const SharedClock clock;
  DeviceRanks ranks(clock);
  CollectiveQueue queue(ranks, clock);
  CHECK(queue.wait_for(*queue.all_reduce(kOnDevice, ReduceOp::sum)) == 0);
}

TEST_CASE("a part of device memory is device memory, and host transports reject it") {
  CHECK(kOnDevice.part(1, 2).memory == Memory::device);
  const auto ranks = make_single();
  CHECK(ranks->fence() == nullptr);
  CHECK_THROWS_WITH(ranks->all_reduce(kOnDevice.part(1, 2), ReduceOp::sum),
                    "this communicator does not accept GPU memory; use \"nccl\"");
  CHECK_THROWS_WITH(ranks->all_gather(kOnHost, kOnDevice),
                    "all_gather needs all arrays in the same kind of memory");
  CHECK(ranks->stats().collectives == 0);
}
