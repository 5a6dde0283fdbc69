// SPDX-License-Identifier: Apache-2.0
// Tests of the communication thread: call order, errors and statistics.
#include "trainer/comm/collective_queue.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/support/shared_clock.hpp"
#include "trainer/comm/call_number.hpp"
#include "trainer/comm/single.hpp"

using namespace dlscale;
using namespace dlscale::trainer;
using test::SharedClock;

namespace {

/// Communicator that records its calls. Each call takes one second, and every call from the
/// `fails_at`-th on fails.
class ScriptedCommunicator : public Communicator {
 public:
  explicit ScriptedCommunicator(SharedClock& clock, std::size_t fails_at = 1000)
      : Communicator(1, 2), clock_(clock), fails_at_(fails_at) {}
  std::vector<std::string> calls;

 private:
  void do_all_reduce(Span data, ReduceOp) override { note("all_reduce", data.count); }
  void do_reduce_scatter(Span in, Span, ReduceOp) override { note("reduce_scatter", in.count); }
  void do_all_gather(Span in, Span) override { note("all_gather", in.count); }
  void do_broadcast(Span data, int) override { note("broadcast", data.count); }
  void do_reduce(Span data, ReduceOp, int) override { note("reduce", data.count); }
  void do_exchange(Span out, int, Span, int) override { note("exchange", out.count); }
  void do_check_same_call(const NamedCollective& call) override { note(call.name, 0); }
  std::unique_ptr<Communicator> do_split(int) override { return nullptr; }

  void note(const char* call, std::int64_t count) {
    calls.push_back(call + std::to_string(count));
    clock_.now_s = clock_.now_s + 1;
    if (calls.size() >= fails_at_) throw base::RunError("link down", 4);
  }
  SharedClock& clock_;
  std::size_t fails_at_;
};

double numbers[8] = {};

Span span(std::int64_t count) {
  return {numbers, count, ElementType::float64};
}

}  // namespace

TEST_CASE("collectives run one at a time in the order of their submission") {
  SharedClock clock;
  ScriptedCommunicator communicator(clock);
  CollectiveQueue queue(communicator, clock);
  CHECK(queue.rank() == 1);
  CHECK(queue.size() == 2);
  queue.all_reduce(span(3), ReduceOp::sum);
  queue.broadcast(span(4), 0);
  queue.all_gather(span(2), span(4));
  queue.all_reduce(span(1), ReduceOp::max);
  queue.reduce_scatter(span(4), span(2), ReduceOp::sum);
  queue.reduce(span(5), ReduceOp::sum, 1);
  queue.exchange(span(6), 0, span(7), 0);
  queue.run([](Communicator& inner) { inner.broadcast(span(8), 0); });
  queue.barrier()->wait();
  CHECK(communicator.calls == std::vector<std::string>{"all_reduce3", "broadcast4", "all_gather2",
                                                       "all_reduce1", "reduce_scatter4", "reduce5",
                                                       "exchange6", "broadcast8", "barrier0"});
}

TEST_CASE("a handle records when its call started and finished") {
  SharedClock clock;
  ScriptedCommunicator communicator(clock);
  CollectiveQueue queue(communicator, clock);
  queue.all_reduce(span(3), ReduceOp::sum);
  queue.all_gather(span(2), span(4));
  const auto last = queue.barrier();
  last->wait();
  CHECK(last->done());
  CHECK(last->started_s() == 2);
  CHECK(last->finished_s() == 3);
  CHECK(queue.stats().collectives == 3);
  CHECK(queue.stats().bytes == 40);
}

TEST_CASE("after an error every later collective fails with the same error and does not run") {
  SharedClock clock;
  ScriptedCommunicator communicator(clock, 2);
  CollectiveQueue queue(communicator, clock);
  const auto good = queue.barrier();
  const auto bad = queue.all_reduce(span(1), ReduceOp::sum);
  const auto later = queue.all_reduce(span(2), ReduceOp::sum);
  CHECK_NOTHROW(good->wait());
  CHECK_THROWS_AS(bad->wait(), base::RunError);
  CHECK_THROWS_WITH(later->wait(), "link down");
  CHECK_THROWS_WITH(later->wait(), "link down");
  CHECK(communicator.calls.size() == 2);
  CHECK(queue.stats().collectives == 1);
}

TEST_CASE("the callback receives the error or null before the wait returns") {
  SharedClock clock;
  ScriptedCommunicator communicator(clock, 2);
  CollectiveQueue queue(communicator, clock);
  std::vector<bool> failed;
  const auto note = [&](const std::exception_ptr& error) { failed.push_back(error != nullptr); };
  queue.barrier(note)->wait();
  CHECK(failed == std::vector<bool>{false});
  CHECK_THROWS(queue.barrier(note)->wait());
  CHECK(failed == std::vector<bool>{false, true});
}

TEST_CASE("the destructor of a queue completes all submitted calls") {
  SharedClock clock;
  ScriptedCommunicator communicator(clock);
  std::shared_ptr<Work> last;
  {
    CollectiveQueue queue(communicator, clock);
    for (int i = 0; i < 50; ++i) last = queue.barrier();
  }
  CHECK(communicator.calls.size() == 50);
  CHECK(last->done());
}
