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

namespace {

const trainer::DeviceEntry& the_cpu() {
  return base::find(trainer::device_table(), "device", "cpu");
}

}  // namespace

TEST_CASE("each of several devices keeps its own thread, and a single device uses the caller's") {
  DeviceGroup group(the_cpu(), 3, {});
  std::vector<std::thread::id> first(3), second(3);
  const auto note = [](std::vector<std::thread::id>& ids) {
    return [&ids](int i) { ids[static_cast<std::size_t>(i)] = std::this_thread::get_id(); };
  };
  group.on_each(3, note(first));
  group.on_each(2, note(second));
  CHECK(std::set(first.begin(), first.end()).size() == 3);
  CHECK(first[1] == second[1]);
  CHECK(second[2] == std::thread::id());
  DeviceGroup alone(the_cpu(), 1, {});
  alone.on_each(1, note(first));
  CHECK(first[0] == std::this_thread::get_id());
  CHECK(alone.words().empty());
}

TEST_CASE("devices work at the same time, with the caller's gradient mode") {
  DeviceGroup group(the_cpu(), 2, {});
  std::atomic<int> there = 0;
  const at::NoGradGuard no_gradients;
  group.on_each(2, [&](int) {
    ++there;
    while (there < 2) std::this_thread::yield();  // endless if devices take turns
    if (at::GradMode::is_enabled()) throw std::logic_error("gradients");
  });
  CHECK(there == 2);
}

TEST_CASE(
    "a device's exception reaches the caller after all are done, and the group stays usable") {
  DeviceGroup group(the_cpu(), 2, {});
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

TEST_CASE("every device of a group is created for the run's threads and number format") {
  static std::vector<trainer::DeviceContext> made;
  made.clear();
  const trainer::DeviceEntry noting{
      .name = "noting", .summary = "", .make = [](const trainer::DeviceContext& context) {
        made.push_back(context);
        return the_cpu().make({});
      }};
  const DeviceGroup group(noting, 3, {.cores = 2, .tf32 = true});
  REQUIRE(made.size() == 3);
  for (int i = 0; i < 3; ++i) {
    const trainer::DeviceContext& context = made[static_cast<std::size_t>(i)];
    CHECK((context.local_rank == i && context.cores == 2 && context.tf32));
  }
}
