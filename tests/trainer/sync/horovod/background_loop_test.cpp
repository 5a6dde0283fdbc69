// SPDX-License-Identifier: Apache-2.0
// Tests of ranks that submit tensors to their background loops and wait for the means.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/background_loop.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using std::chrono::milliseconds;
using trainer::Communicator;
using trainer::ElementType;
using trainer::Span;
using Numbers = std::vector<double>;

namespace {

const base::SystemClock kClock;

void no_warning(const std::string& text) {
  throw std::logic_error(text);
}

/// Tensors of one rank. Element j of tensor t is 100 r + 10 t + j on rank r.
struct Tensors {
  Tensors(int tensors, int elements, int rank) : data(static_cast<std::size_t>(tensors)) {
    for (int t = 0; t < tensors; ++t) {
      for (int j = 0; j < elements; ++j) at(t).push_back(100.0 * rank + 10.0 * t + j);
    }
  }
  Numbers& at(int t) { return data[static_cast<std::size_t>(t)]; }
  std::future<void> submit(BackgroundLoop& loop, int t) {
    const auto count = static_cast<std::int64_t>(at(t).size());
    return loop.submit(
        {"t" + std::to_string(t), {at(t).data(), count, ElementType::float64}, {count}});
  }
  std::vector<Numbers> data;
};

/// Returns the error of `future`, or an empty string if it has no error.
std::string error_of(std::future<void>& future) {
  try {
    future.get();
  } catch (const base::RunError& error) {
    return error.exit_code() == contract::kExitCommunication ? error.what() : "wrong exit code";
  }
  return "";
}

Options with_threshold(double mb, double cycle_time_ms = 1) {
  Options options;
  options.tuned = {mb, cycle_time_ms};
  return options;
}

/// Returns the counters of each rank after `steps` steps with 6 tensors.
std::vector<Counters> counters_of(const Options& options, int ranks, int steps,
                                  const trainer::horovod::Warn& warn = no_warning) {
  return test::on_ranks<Counters>(ranks, [&](Communicator& rank) {
    BackgroundLoop loop(rank, kClock, options, warn);
    Tensors tensors(6, 5, rank.rank());
    for (int step = 0; step < steps; ++step) {
      std::vector<std::future<void>> done;
      for (int t = 0; t < 6; ++t) done.push_back(tensors.submit(loop, t));
      for (auto& future : done) future.get();
    }
    return loop.counters();
  });
}

/// Communicator that fails in its fourth all-reduce. Communicators split from it do the same.
class Cut : public trainer::Overlay {
 public:
  using Overlay::Overlay;
  explicit Cut(std::unique_ptr<Communicator> part) : Overlay(*part), part_(std::move(part)) {}

 private:
  void do_all_reduce(Span data, trainer::ReduceOp op) override {
    if (++all_reduces_ == 4) {
      throw base::RunError("the cable is cut", contract::kExitCommunication);
    }
    Overlay::do_all_reduce(data, op);
  }
  std::unique_ptr<Communicator> do_split(int color) override {
    return std::make_unique<Cut>(inner().split(color));
  }
  std::unique_ptr<Communicator> part_;
  int all_reduces_ = 0;
};

}  // namespace

TEST_CASE("every tensor becomes the mean over the ranks, fused or alone, within or across nodes") {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const int variant : {0, 1, 2}) {
      Options options = with_threshold(variant == 1 ? 0 : 128);
      options.hierarchical_all_reduce = variant == 2;
      if (variant == 2) options.node_of_rank = {0, 1, 0, 1};
      options.node_of_rank.resize(options.node_of_rank.empty() ? 0 : ranks);
      const auto found = test::on_ranks<std::vector<Numbers>>(ranks, [&](Communicator& rank) {
        BackgroundLoop loop(rank, kClock, options, no_warning);
        Tensors tensors(4, 5, rank.rank());
        std::vector<std::future<void>> done;
        for (int t = 0; t < 4; ++t) done.push_back(tensors.submit(loop, t));
        for (auto& future : done) future.get();
        return tensors.data;
      });
      const double mean_rank = (ranks - 1) / 2.0;
      for (int t = 0; t < 4; ++t) {
        for (int j = 0; j < 5; ++j) {
          const double expected = 100 * mean_rank + 10 * t + j;
          const auto row = static_cast<std::size_t>(t);
          const auto column = static_cast<std::size_t>(j);
          CHECK(std::abs(found[0][row][column] - expected) < 1e-6);
          for (const auto& other : found) CHECK(other[row][column] == found[0][row][column]);
        }
      }
    }
  }
}

TEST_CASE("without fusion each tensor is reduced alone, and one long cycle reduces all together") {
  for (const Counters& counters : counters_of(with_threshold(0), 3, 4)) {
    CHECK(counters.tensors == 24);
    CHECK(counters.reductions == 24);
    CHECK(counters.fused_tensors == 0);
    CHECK(counters.bytes == 24 * 5 * 8);
  }
  // Tensors that are submitted before the first cycle may be reduced separately.
  for (const Counters& counters : counters_of(with_threshold(1024, 100), 3, 4)) {
    CHECK(counters.tensors == 24);
    CHECK(counters.reductions <= 5);
    CHECK(counters.fused_tensors >= 18);
  }
}

TEST_CASE("an idle loop exchanges one word per cycle and keeps to its cycle time") {
  const auto idle = [](double cycle_time_ms) {
    return test::on_ranks<Counters>(2, [&](Communicator& rank) {
      BackgroundLoop loop(rank, kClock, with_threshold(128, cycle_time_ms), no_warning);
      const double begin_s = kClock.steady_s();
      std::this_thread::sleep_for(milliseconds(200));
      Counters counters = loop.counters();
      counters.bytes = static_cast<std::int64_t>((kClock.steady_s() - begin_s) * 1e3);
      return counters;
    });
  };
  for (const double cycle_time_ms : {1.0, 20.0}) {
    for (const Counters& counters : idle(cycle_time_ms)) {
      CHECK(counters.cycles > 0);
      CHECK(counters.control_bytes == 8 * counters.cycles);
      CHECK(counters.slow_cycles == 0);
      CHECK(static_cast<double>(counters.cycles - 2) * cycle_time_ms <=
            static_cast<double>(counters.bytes));
    }
  }
}

TEST_CASE("a name that is in flight is rejected, and the tensor in flight is reduced") {
  const auto errors = test::on_ranks<std::string>(2, [](Communicator& rank) {
    BackgroundLoop loop(rank, kClock, with_threshold(128), no_warning);
    Tensors tensors(1, 3, rank.rank());
    if (rank.rank() == 1) {  // submits late, so that the tensor of rank 0 is in flight
      rank.barrier();
      tensors.submit(loop, 0).get();
      return std::string();
    }
    auto first = tensors.submit(loop, 0);
    auto second = tensors.submit(loop, 0);
    const std::string refusal = error_of(second);
    rank.barrier();
    first.get();
    return tensors.at(0)[0] == 50 ? refusal : "wrong mean";
  });
  CHECK(errors[0] == "horovod: \"t0\" was submitted again before it was reduced");
}

TEST_CASE("tensors without a mean or with a wrong number of elements are rejected") {
  const auto alone = test::on_ranks<std::string>(1, [](Communicator& rank) {
    BackgroundLoop loop(rank, kClock, {}, no_warning);
    std::int64_t numbers[2] = {1, 2};
    auto whole = loop.submit({"n", {numbers, 2, ElementType::int64}, {2}});
    auto long_one = loop.submit({"x", {numbers, 2, ElementType::float64}, {3}});
    return error_of(whole) + "; " + error_of(long_one);
  });
  CHECK(alone[0] ==
        "horovod: \"n\" does not have a floating-point type, so it cannot be averaged; horovod: "
        "\"x\" has 2 elements, but its type and shape are float64 [3]");
}

TEST_CASE("ranks that disagree on a shape all get an error and continue with other tensors") {
  const auto errors = test::on_ranks<std::string>(3, [](Communicator& rank) {
    BackgroundLoop loop(rank, kClock, with_threshold(128), no_warning);
    Tensors tensors(2, 6, rank.rank());
    Tensor odd{"odd", {tensors.at(0).data(), 6, ElementType::float64}, {2, 3}};
    if (rank.rank() == 2) odd.shape = {3, 2};
    auto refused = loop.submit(odd);
    tensors.submit(loop, 1).get();
    return error_of(refused);
  });
  for (const std::string& error : errors) {
    CHECK(error ==
          "horovod: ranks disagree on \"odd\": rank 0 has float64 [2, 3], rank 2 has "
          "float64 [3, 2]");
  }
}

TEST_CASE("after a rank has ended, pending and later tensors fail with an error") {
  const auto errors = test::on_ranks<std::string>(3, [](Communicator& rank) {
    auto loop = std::make_unique<BackgroundLoop>(rank, kClock, with_threshold(128), no_warning);
    Tensors tensors(2, 3, rank.rank());
    if (rank.rank() == 0) {  // the tensor of rank 0 waits for the other ranks
      auto pending = tensors.submit(*loop, 1);
      loop.reset();
      return error_of(pending);
    }
    auto pending = tensors.submit(*loop, 0);
    const std::string error = error_of(pending);
    auto later = tensors.submit(*loop, 1);
    return error == error_of(later) ? error : "not the same later";
  });
  for (const std::string& error : errors) {
    CHECK(error == "horovod: a rank has ended, so no more tensors are reduced");
  }
}

TEST_CASE("a broken transport fails pending tensors with its error, and then the other ranks") {
  const auto errors = test::on_ranks<std::string>(2, [](Communicator& rank) {
    Cut cut(rank);
    Communicator& transport = rank.rank() == 1 ? cut : rank;
    BackgroundLoop loop(transport, kClock, with_threshold(128), no_warning);
    Tensors tensors(2, 3, rank.rank());
    auto pending = tensors.submit(loop, rank.rank());
    return error_of(pending);
  });
  CHECK(errors[0] == "rank 1 has left while others wait for it");
  CHECK(errors[1] == "the cable is cut");
}

TEST_CASE("200 random orders of submission give equal means without a deadlock") {
  constexpr int kTensors = 12;
  const auto found = test::on_ranks<std::string>(4, [](Communicator& rank) {
    BackgroundLoop loop(rank, kClock, with_threshold(256.0 / (1 << 20), 0.05), no_warning);
    std::mt19937 random(static_cast<unsigned>(rank.rank()));
    for (int round = 0; round < 200; ++round) {
      Tensors tensors(kTensors, 8, rank.rank() + round);
      std::vector<int> order;
      for (int t = 0; t < kTensors; ++t) order.push_back(t);
      std::shuffle(order.begin(), order.end(), random);
      std::vector<std::future<void>> done;
      for (const int t : order) done.push_back(tensors.submit(loop, t));
      for (auto& future : done) {
        if (future.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
          return std::string("deadlock in round ") + std::to_string(round);
        }
        future.get();
      }
      for (int t = 0; t < kTensors; ++t) {
        if (tensors.at(t)[7] != 100 * (round + 1.5) + 10 * t + 7) return std::string("wrong mean");
      }
    }
    return std::string();
  });
  for (const std::string& trouble : found) CHECK(trouble.empty());
}

TEST_CASE("ranks reduce the same tensors together while settings are tuned") {
  Options options = with_threshold(128, 0.25);
  options.autotune = true;
  const std::vector<Counters> counters = counters_of(options, 2, 250);
  for (const Counters& of_rank : counters) CHECK(of_rank.tensors == 250 * 6);
  CHECK(counters[0].reductions == counters[1].reductions);
}

TEST_CASE("rank 0 reports the settings at the end of tuning") {
  Options options = with_threshold(128, 0.25);
  options.autotune = true;
  std::vector<std::string> told;  // messages, written by one thread
  counters_of(options, 2, 1500, [&](const std::string& line) { told.push_back(line); });
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], Catch::StartsWith("horovod: autotune selects fusion_threshold_mb = ") &&
                          Catch::Contains(", cycle_time_ms = "));
}

TEST_CASE("the timeline shows fused tensors in the fusion buffer") {
  const test::TempDir folder;
  Options options = with_threshold(128, 20);
  options.timeline = folder.path() / "timeline.json";
  counters_of(options, 2, 2);
  const std::string text = base::read_file(options.timeline);
  for (const char* name :
       {"CYCLE_START", "NEGOTIATE_ALLREDUCE", "ALLREDUCE", "QUEUE", "MEMCPY_IN_FUSION_BUFFER",
        "MPI_ALLREDUCE", "MEMCPY_OUT_FUSION_BUFFER"}) {
    INFO(name);
    CHECK(text.find("\"name\": \"" + std::string(name) + "\"") != std::string::npos);
  }
  CHECK(text.find("WAIT_FOR_DATA") == std::string::npos);
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(count("\"ph\": \"B\"") == count("\"ph\": \"E\""));
  CHECK(count("NEGOTIATE_ALLREDUCE") == 2 * 6);
}

namespace {

/// Fence of a tensor whose value becomes available some time after its submission, like a value on
/// a GPU.
class Late : public trainer::Fence {
 public:
  explicit Late(double& number) : number_(number) {}
  void wait() const override {
    std::this_thread::sleep_for(milliseconds(20));
    number_ = 3;
  }
  double age_s() const override { return 0; }

 private:
  double& number_;
};

}  // namespace

TEST_CASE("a tensor is reduced after its data is available, and the timeline shows the wait") {
  const test::TempDir folder;
  const auto sums = test::on_ranks<double>(2, [&](Communicator& rank) {
    Options options = with_threshold(128);
    options.timeline = folder.path() / "timeline.json";
    BackgroundLoop loop(rank, kClock, options, no_warning);
    double number = 0;
    loop.submit({"late", {&number, 1, ElementType::float64}, {1}, std::make_shared<Late>(number)})
        .get();
    return number;
  });
  CHECK(sums == std::vector<double>{3, 3});
  const std::string text = base::read_file(folder.path() / "timeline.json");
  CHECK(text.find("\"name\": \"WAIT_FOR_DATA\"") != std::string::npos);
}
