// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/batch_feed.hpp"

#include <torch/types.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "trainer/data/dataset.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// Loader of batches that contain the numbers of their samples.
class NumberLoader : public Loader {
 public:
  explicit NumberLoader(bool repeats = false) : repeats_(repeats) {}
  void start(Delivery delivery) override {
    delivery_ = std::move(delivery);
    position_ = 0;
  }
  Batch next() override {
    const std::size_t left = delivery_.samples.size() - position_;
    const auto count = std::min(static_cast<std::size_t>(delivery_.batch_size), left);
    const auto first = delivery_.samples.begin() + static_cast<std::ptrdiff_t>(position_);
    const std::vector<std::int64_t> numbers(first, first + static_cast<std::ptrdiff_t>(count));
    position_ += count;
    ++delivered;
    const at::Tensor target = torch::tensor(numbers);
    return {target.to(at::kFloat).reshape({-1, 1}), target};
  }
  bool repeats() const override { return repeats_; }

  int delivered = 0;

 private:
  Delivery delivery_;
  std::size_t position_ = 0;
  bool repeats_;
};

/// Stream that does its work as late as it may: when the computation is about to use the slot.
/// Fails if a slot is filled while the computation may still read it.
class LateStream : public SideStream {
 public:
  void fill(int slot, const std::function<void()>& work) override {
    if (in_use_.at(slot)) throw std::logic_error("the slot is still in use");
    work_.at(slot) = work;
  }
  void use(int slot) override {
    in_use_.at(slot) = true;
    if (const auto work = std::exchange(work_.at(slot), nullptr)) work();
  }
  void release(int slot) override { in_use_.at(slot) = false; }

 private:
  std::array<bool, kSlots> in_use_{};
  std::array<std::function<void()>, kSlots> work_;
};

class DeviceWithStream : public Device {
 public:
  c10::Device torch_device() const override { return cpu_->torch_device(); }
  void synchronize() override {}
  std::unique_ptr<Timeline> timeline(const base::Clock& clock) override {
    return cpu_->timeline(clock);
  }
  double peak_memory_bytes() const override { return 0; }
  std::unique_ptr<SideStream> side_stream() override { return std::make_unique<LateStream>(); }

 private:
  std::unique_ptr<Device> cpu_ = base::find(device_table(), "device", "cpu").make({});
};

struct Feeding {
  explicit Feeding(bool repeats = false) : loader(repeats) {}

  /// Executes one step: takes the next batch, fetches the following batch ahead, and returns the
  /// numbers in the batch that it took.
  std::vector<std::int64_t> step() {
    const Batch batch = feed.next(timer);
    feed.fetch_ahead(timer);
    const at::Tensor numbers = batch.target.clone();
    CHECK(at::equal(batch.input.flatten().to(at::kLong), numbers));
    return {numbers.data_ptr<std::int64_t>(), numbers.data_ptr<std::int64_t>() + numbers.numel()};
  }

  using Numbers = std::vector<std::int64_t>;
  base::SystemClock clock;
  DeviceWithStream device;
  NumberLoader loader;
  Dataset dataset;
  BatchFeed feed{loader, device, dataset, Precision::fp32};
  StepTimer timer{clock, device};
};

}  // namespace

TEST_CASE("batches that are fetched ahead arrive in order and unchanged") {
  Feeding feeding;
  feeding.timer.start();
  feeding.feed.start({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2});
  for (std::int64_t i = 0; i < 10; i += 2) CHECK(feeding.step() == Feeding::Numbers{i, i + 1});
  CHECK(feeding.loader.delivered == 5);  // the feed fetches no batch after the last batch
}

TEST_CASE("a smaller batch between batches of one size arrives in its place") {
  Feeding feeding;
  feeding.timer.start();
  for (int epoch = 0; epoch < 3; ++epoch) {
    feeding.feed.start({{0, 1, 2, 3, 4, 5, 6}, 3, epoch});
    CHECK(feeding.step() == Feeding::Numbers{0, 1, 2});
    CHECK(feeding.step() == Feeding::Numbers{3, 4, 5});
    CHECK(feeding.step() == Feeding::Numbers{6});
  }
}

TEST_CASE("a new delivery discards the batch that was fetched ahead") {
  Feeding feeding;
  feeding.timer.start();
  feeding.feed.start({{0, 1, 2, 3, 4, 5}, 2});
  for (int i = 0; i < 2; ++i) feeding.step();
  feeding.feed.start({{7, 8, 9, 10}, 2});
  CHECK(feeding.step() == Feeding::Numbers{7, 8});
  CHECK(feeding.step() == Feeding::Numbers{9, 10});
}

TEST_CASE("the batch of a loader that repeats it is copied once") {
  Feeding feeding(/*repeats=*/true);
  feeding.timer.start();
  feeding.feed.start({{0, 1, 2, 3}, 2});
  const Batch first = feeding.feed.next(feeding.timer);
  feeding.feed.fetch_ahead(feeding.timer);
  CHECK(feeding.feed.next(feeding.timer).input.is_same(first.input));
  CHECK(feeding.loader.delivered == 2);
}
