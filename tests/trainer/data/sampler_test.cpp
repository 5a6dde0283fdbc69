// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/sampler.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "base/error.hpp"

using namespace dlscale;
using trainer::DistributedSampler;
using trainer::SamplerSettings;
using Samples = std::vector<std::int64_t>;

namespace {

DistributedSampler sampler(std::int64_t samples, std::int64_t batch, int rank, int ranks,
                           const std::string& last_batch = "pad") {
  return DistributedSampler({samples, batch, rank, ranks, last_batch, /*seed=*/5});
}

/// Returns the order of samples on a single rank with this seed.
Samples order_of(std::uint64_t seed, int epoch) {
  return DistributedSampler({200, 10, 0, 1, "pad", seed}).samples_of(epoch);
}

std::map<std::int64_t, int> times_seen(std::int64_t samples, std::int64_t batch, int ranks,
                                       const std::string& last_batch) {
  std::map<std::int64_t, int> seen;
  for (int rank = 0; rank < ranks; ++rank) {
    for (auto i : sampler(samples, batch, rank, ranks, last_batch).samples_of(0)) ++seen[i];
  }
  return seen;
}

}  // namespace

TEST_CASE("with padding the ranks see every sample, and repeated samples are counted") {
  const auto [samples, ranks] =
      GENERATE(table<int, int>({{60, 1}, {60, 3}, {61, 3}, {7, 3}, {100, 4}}));
  const std::int64_t batch = 4 * ranks;
  const auto seen = times_seen(samples, batch, ranks, "pad");
  CHECK(seen.size() == static_cast<std::size_t>(samples));
  std::int64_t repeated = 0;
  for (const auto& [sample, times] : seen) repeated += times - 1;
  const auto counted = sampler(samples, batch, 0, ranks);
  CHECK(repeated == counted.padded_samples());
  CHECK(counted.dropped_samples() == 0);
  CHECK(counted.steps_per_epoch() == (samples + batch - 1) / batch);
}

TEST_CASE("ranks take consecutive parts of a global batch that they cannot divide evenly") {
  const Samples whole = sampler(23, 8, 0, 1).samples_of(0);
  Samples joined;
  const std::int64_t sizes[] = {3, 3, 2};
  for (std::int64_t step = 0; step < 3; ++step) {
    for (int rank = 0; rank < 3; ++rank) {
      const DistributedSampler part = sampler(23, 8, rank, 3);
      REQUIRE(part.batch_per_rank() == sizes[rank]);
      const Samples mine = part.samples_of(0);
      REQUIRE(mine.size() == static_cast<std::size_t>(3 * sizes[rank]));
      const auto first = mine.begin() + step * sizes[rank];
      joined.insert(joined.end(), first, first + sizes[rank]);
    }
  }
  CHECK(joined == whole);
}

TEST_CASE("in PyTorch's order ranks take turns in a global batch that they cannot divide evenly") {
  const auto of = [](int rank, int ranks) {
    return DistributedSampler({8, 8, rank, ranks, "pad", 5, /*as_pytorch=*/true}).samples_of(0);
  };
  const Samples whole = of(0, 1);
  CHECK(of(0, 3) == Samples{whole[0], whole[3], whole[6]});
  CHECK(of(2, 3) == Samples{whole[2], whole[5]});
}

TEST_CASE("the order of PyTorch equals that of its DistributedSampler") {
  // The expected values are from torch 2.11: DistributedSampler(range(11), num_replicas=2, rank=r,
  // seed=5) after set_epoch(e).
  const auto of = [](int rank, int epoch) {
    return DistributedSampler({11, 4, rank, 2, "pad", 5, /*as_pytorch=*/true}).samples_of(epoch);
  };
  CHECK(of(0, 0) == Samples{9, 0, 10, 3, 7, 4});
  CHECK(of(1, 0) == Samples{5, 8, 2, 6, 1, 9});
  CHECK(of(0, 3) == Samples{10, 2, 0, 7, 6, 5});
  CHECK(of(1, 3) == Samples{9, 4, 1, 3, 8, 10});
}

TEST_CASE("with windows every sample is seen once, and the samples of a window are consecutive") {
  const std::int64_t samples = 103, window = 10;
  DistributedSampler all({samples, 1, 0, 1, "pad", /*seed=*/5, false, window});
  const Samples order = all.samples_of(0);
  std::map<std::int64_t, int> seen, windows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ++seen[order[i]];
    if (i == 0 || order[i] / window != order[i - 1] / window) ++windows[order[i] / window];
  }
  CHECK(seen.size() == samples);
  CHECK(order.size() == samples);
  CHECK(windows.size() == 11);
  CHECK(std::ranges::all_of(windows, [](const auto& one) { return one.second == 1; }));
  CHECK_FALSE(std::ranges::is_sorted(order.begin(), order.begin() + 3));
  CHECK(all.samples_of(0) == order);
  CHECK(all.samples_of(1) != order);
}

TEST_CASE("with windows three ranks together see the batches of one rank") {
  const auto of = [](std::int64_t batch, int rank, int ranks) {
    return DistributedSampler({100, batch, rank, ranks, "drop", 5, false, 16}).samples_of(2);
  };
  const Samples alone = of(12, 0, 1);
  Samples together;
  for (std::size_t step = 0; step < alone.size() / 12; ++step) {
    for (int rank = 0; rank < 3; ++rank) {
      const Samples mine = of(12, rank, 3);
      together.insert(together.end(), mine.begin() + 4 * step, mine.begin() + 4 * step + 4);
    }
  }
  CHECK(together == alone);
}

TEST_CASE("with dropping no sample is seen twice, and dropped samples are counted") {
  const auto seen = times_seen(61, 12, 3, "drop");
  CHECK(seen.size() == 60);
  CHECK(std::ranges::all_of(seen, [](const auto& entry) { return entry.second == 1; }));
  const auto counted = sampler(61, 12, 0, 3, "drop");
  CHECK(counted.dropped_samples() == 1);
  CHECK(counted.padded_samples() == 0);
}

TEST_CASE("three ranks together see the batches of one rank with a three times larger batch") {
  const Samples whole = sampler(50, 12, 0, 1).samples_of(3);
  Samples joined(whole.size());
  for (int rank = 0; rank < 3; ++rank) {
    const Samples share = sampler(50, 12, rank, 3).samples_of(3);
    for (std::size_t i = 0; i < share.size(); ++i) joined[i / 4 * 12 + rank * 4 + i % 4] = share[i];
  }
  CHECK(joined == whole);
}

TEST_CASE("a set smaller than one batch is repeated until the batch is full") {
  const Samples order = sampler(3, 8, 0, 1).samples_of(0);
  REQUIRE(order.size() == 8);
  for (std::size_t i = 3; i < 8; ++i) CHECK(order[i] == order[i - 3]);
  CHECK(sampler(3, 8, 0, 1).padded_samples() == 5);
}

TEST_CASE("the order depends only on seed and epoch") {
  CHECK(order_of(5, 0) == order_of(5, 0));
  CHECK(order_of(5, 0) != order_of(5, 1));
  CHECK(order_of(5, 0) != order_of(6, 0));
}

TEST_CASE("the first epoch of a seed differs from the second epoch of the previous seed") {
  CHECK(order_of(6, 0) != order_of(5, 1));
}

TEST_CASE("every sample is equally likely to come first") {
  std::vector<int> first(5);
  for (int epoch = 0; epoch < 5000; ++epoch) ++first[sampler(5, 5, 0, 1).samples_of(epoch)[0]];
  // The margin is five standard deviations.
  for (int count : first) CHECK(count == Approx(1000).margin(150));
}

TEST_CASE("dropping the only batch is an error with the remedy") {
  CHECK_THROWS_WITH(sampler(100, 256, 0, 1, "drop"),
                    Catch::Contains("100 training samples are fewer than a global batch of 256") &&
                        Catch::Contains("use last_batch \"pad\""));
}

TEST_CASE("evaluation assigns every sample to one rank, and shares differ by at most one sample") {
  const auto [samples, ranks] = GENERATE(table<int, int>({{10, 3}, {1000, 7}, {2, 4}, {5, 1}}));
  Samples all;
  for (int rank = 0; rank < ranks; ++rank) {
    const Samples share = trainer::evaluation_share(samples, rank, ranks);
    CHECK(share.size() - static_cast<std::size_t>(samples / ranks) <= 1);
    all.insert(all.end(), share.begin(), share.end());
  }
  Samples expected(static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
  CHECK(all == expected);
}

namespace {

constexpr std::int64_t kTexts = 1000;

/// Returns a sampler for global batches of 8 texts with 1 to 97 tokens.
DistributedSampler of_texts(int rank, int ranks, const std::string& last_batch = "pad") {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < kTexts; ++i) lengths.push_back(1 + i * 31 % 97);
  return DistributedSampler({kTexts, 8, rank, ranks, last_batch, 5, false, 0, lengths});
}

}  // namespace

TEST_CASE("the texts of a batch have similar lengths, and short and long batches are mixed") {
  const Samples order = of_texts(0, 1).samples_of(0);
  REQUIRE(order.size() == kTexts);
  std::int64_t padding = 0, rising = 0, before = 0;
  for (std::size_t first = 0; first < order.size(); first += 8) {
    const auto length = [&](std::size_t i) { return 1 + order[first + i] * 31 % 97; };
    for (std::size_t i = 0; i < 8; ++i) padding += length(7) - length(i);
    rising += length(7) > before ? 1 : 0;
    before = length(7);
  }
  CHECK(padding < kTexts);  // random batches need about 40 padding tokens per text
  CHECK(rising > 40);
  CHECK(rising < 85);
}

TEST_CASE("sorting by length uses every text once, in another order in each epoch") {
  Samples first = of_texts(0, 1).samples_of(0), second = of_texts(0, 1).samples_of(1);
  CHECK(first != second);
  CHECK(first == of_texts(0, 1).samples_of(0));
  std::ranges::sort(first);
  for (std::int64_t i = 0; i < kTexts; ++i) CHECK(first[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("several ranks with texts together see the batches of one rank") {
  const Samples whole = of_texts(0, 1).samples_of(2);
  for (int rank = 0; rank < 4; ++rank) {
    const Samples share = of_texts(rank, 4).samples_of(2);
    REQUIRE(share.size() * 4 == whole.size());
    for (std::size_t i = 0; i < share.size(); ++i) {
      REQUIRE(share[i] == whole[i / 2 * 8 + static_cast<std::size_t>(rank) * 2 + i % 2]);
    }
  }
}
