// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/device_group.hpp"

#include <torch/types.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <thread>

using namespace dlscale;
using trainer::DeviceGroup;

TEST_CASE("each device of several has a thread, which it keeps; one alone is the caller") {
  DeviceGroup group("cpu", 3, 1);
  std::vector<std::thread::id> first(3), second(3);
  const auto note = [](std::vector<std::thread::id>& ids) {
    return [&ids](int i) { ids[static_cast<std::size_t>(i)] = std::this_thread::get_id(); };
  };
  group.on_each(3, note(first));
  group.on_each(2, note(second));
  CHECK(std::set(first.begin(), first.end()).size() == 3);
  CHECK(first[1] == second[1]);
  CHECK(second[2] == std::thread::id());
  DeviceGroup alone("cpu", 1, 1);
  alone.on_each(1, note(first));
  CHECK(first[0] == std::this_thread::get_id());
  CHECK(alone.words().empty());
}

TEST_CASE("devices work at a time, as the caller would") {
  DeviceGroup group("cpu", 2, 1);
  std::atomic<int> there = 0;
  const at::NoGradGuard no_gradients;
  group.on_each(2, [&](int) {
    ++there;
    while (there < 2) std::this_thread::yield();  // for ever, did they work in turn
    if (at::GradMode::is_enabled()) throw std::logic_error("gradients");
  });
  CHECK(there == 2);
}

TEST_CASE("what a device throws comes to the caller once all are done, and they work again") {
  DeviceGroup group("cpu", 2, 1);
  std::atomic<bool> other_done = false;
  CHECK_THROWS_WITH(group.on_each(2,
                                  [&](int i) {
                                    if (i == 0) throw std::runtime_error("broken");
                                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                    other_done = true;
                                  }),
                    "broken");
  CHECK(other_done);
  CHECK_NOTHROW(group.on_each(2, [](int) {}));
}
