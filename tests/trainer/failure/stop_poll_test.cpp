// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/stop_poll.hpp"

#include <atomic>
#include <catch2/catch.hpp>

#include "tests/support/fake_clock.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;

TEST_CASE("a stop request on one rank reaches all ranks at their next poll") {
  for (const int told : {-1, 0, 2}) {
    std::atomic<int> heard = 0;
    trainer::run_as_threads(3, [&](trainer::Communicator& communicator) {
      base::SystemClock clock;
      trainer::CollectiveQueue queue(communicator, clock);
      trainer::StopPoll poll(queue, clock, [&] { return queue.rank() == told; });
      if (poll.ask()) ++heard;
    });
    CHECK(heard == (told < 0 ? 0 : 3));
  }
}

TEST_CASE("ranks poll after the first step, then after every two seconds of steps") {
  test::FakeClock clock;
  const auto single = trainer::make_single();
  trainer::CollectiveQueue queue(*single, clock);
  trainer::StopPoll poll(queue, clock, [] { return false; });
  CHECK(poll.due_after_step());
  poll.record_meeting(10, 5);  // 0.5 s per step
  for (int step = 1; step < 4; ++step) CHECK_FALSE(poll.due_after_step());
  CHECK(poll.due_after_step());
  CHECK(poll.due_after_step());
  poll.record_meeting(10, 100);  // 10 s per step
  CHECK(poll.due_after_step());
  poll.record_meeting(1, 0);
  for (int step = 1; step < 1000; ++step) CHECK_FALSE(poll.due_after_step());
}
