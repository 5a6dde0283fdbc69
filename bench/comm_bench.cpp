// SPDX-License-Identifier: Apache-2.0
// Benchmark that measures the time of collectives by size and algorithm, with the definitions of
// nccl-tests.
// usage: mpirun -np 2 comm_bench [repetitions [collective [algorithm ...]]]
// collective: all_reduce, reduce_scatter, all_gather or broadcast. The column of bytes states the
// size of the whole data. If each rank has a part of the data, the size is the sum over the parts
// of all ranks.
// The program prints a table of medians. For each size the algorithms take turns, with one sample
// each, so that a change of the machine's load affects all algorithms. A sample is the mean over
// several calls on the slowest rank. The number of calls is 1 MiB / bytes, at least 1 and at most
// 50. algbw = bytes / time in GB/s. busbw = algbw x share of each byte that a link carries:
// 2 (N-1)/N in an all-reduce, (N-1)/N in a reduce-scatter or all-gather, 1 in a broadcast.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/mpi.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// Memory of a collective: `whole` holds the data of all ranks, `part` the part of this rank.
struct Memory {
  Span whole, part;
};

struct Collective {
  const char* name;
  double (*share)(double ranks);  ///< ratio busbw / algbw
  void (*run)(Communicator& ranks, const Memory& memory);
};

const Collective kCollectives[] = {
    {"all_reduce", [](double n) { return 2 * (n - 1) / n; },
     [](Communicator& ranks, const Memory& m) { ranks.all_reduce(m.whole, ReduceOp::max); }},
    {"reduce_scatter", [](double n) { return (n - 1) / n; },
     [](Communicator& ranks, const Memory& m) {
       ranks.reduce_scatter(m.whole, m.part, ReduceOp::max);
     }},
    {"all_gather", [](double n) { return (n - 1) / n; },
     [](Communicator& ranks, const Memory& m) { ranks.all_gather(m.part, m.whole); }},
    {"broadcast", [](double) { return 1.0; },
     [](Communicator& ranks, const Memory& m) { ranks.broadcast(m.whole, 0); }}};

struct Contender {
  std::string name;
  std::unique_ptr<Communicator> ranks;
  std::vector<double> samples;  ///< samples of the current size, in seconds
};

class Bench {
 public:
  Bench(Communicator& whole, const Collective& collective, std::vector<Contender> contenders)
      : whole_(whole), collective_(collective), contenders_(std::move(contenders)) {}

  void print_head() const {
    std::string names = "| bytes |", rule = "|--:|";
    for (const Contender& contender : contenders_) {
      names += fmt::format(" {} µs | algbw | busbw |", contender.name);
      rule += "--:|--:|--:|";
    }
    say(names + "\n" + rule);
  }

  void run(std::int64_t bytes, int repetitions) {
    whole_memory_.resize(static_cast<std::size_t>(bytes / 4), 1.0F);
    part_memory_.resize(whole_memory_.size() / static_cast<std::size_t>(whole_.size()), 1.0F);
    for (Contender& contender : contenders_) {
      contender.samples.clear();
      sample(contender, bytes);  // untimed: allocates working memory
    }
    for (int i = 0; i < repetitions; ++i) {
      for (Contender& contender : contenders_) {
        contender.samples.push_back(sample(contender, bytes));
      }
    }
    print_row(bytes);
  }

 private:
  /// **Collective.** Returns the mean time of a call on the slowest rank, in seconds.
  double sample(Contender& contender, std::int64_t bytes) {
    const auto calls = static_cast<int>(std::clamp<std::int64_t>((1 << 20) / bytes, 1, 50));
    const auto part = static_cast<std::int64_t>(part_memory_.size());
    const Memory memory{{whole_memory_.data(), part * whole_.size(), ElementType::float32},
                        {part_memory_.data(), part, ElementType::float32}};
    whole_.barrier();
    const double begin_s = clock_.steady_s();
    for (int call = 0; call < calls; ++call) {
      collective_.run(*contender.ranks, memory);
    }
    double taken_s = (clock_.steady_s() - begin_s) / calls;
    whole_.all_reduce({&taken_s, 1, ElementType::float64}, ReduceOp::max);
    return taken_s;
  }

  void print_row(std::int64_t bytes) {
    std::string row = fmt::format("| {} |", bytes);
    for (Contender& contender : contenders_) {
      auto& samples = contender.samples;
      std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
      const double median_s = samples[samples.size() / 2];
      const double gigabytes_a_second = static_cast<double>(bytes) / median_s / 1e9;
      row += fmt::format(" {:.1f} | {:.2f} | {:.2f} |", median_s * 1e6, gigabytes_a_second,
                         gigabytes_a_second * collective_.share(whole_.size()));
    }
    say(row);
  }

  void say(const std::string& line) const {
    if (whole_.rank() == 0) fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  base::SystemClock clock_;
  Communicator& whole_;
  const Collective& collective_;
  std::vector<Contender> contenders_;
  std::vector<float> whole_memory_, part_memory_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const int repetitions = words.empty() ? 21 : std::atoi(words[0].c_str());
  const std::string collective = words.size() < 2 ? "all_reduce" : words[1];
  const auto* chosen = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                    [&](const Collective& c) { return c.name == collective; });
  if (repetitions < 1 || chosen == std::end(kCollectives)) {
    fmt::print(stderr, "usage: comm_bench [repetitions [collective [algorithm ...]]]\n");
    return 2;
  }
  std::vector<std::string> names{"tuned", "ring", "recursive_doubling", "shared_memory"};
  if (words.size() > 2) names.assign(words.begin() + 2, words.end());
  MpiSession session;
  const auto whole = make_mpi(session);
  std::vector<Contender> contenders;
  for (const std::string& name : names) {
    session.choose_all_reduce(name);
    contenders.push_back({name, with_all_reduce(make_mpi(session), name), {}});
  }
  Bench bench(*whole, *chosen, std::move(contenders));
  bench.print_head();
  for (std::int64_t bytes = 1024; bytes <= 64 << 20; bytes *= 4) bench.run(bytes, repetitions);
  return 0;
}
