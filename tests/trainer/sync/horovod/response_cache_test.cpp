// SPDX-License-Identifier: Apache-2.0
// Tests of the bits of cached tensors, and of how ranks agree on bits.
#include <catch2/catch.hpp>

#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/sync/horovod/response_cache.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using Lookup = ResponseCache::Lookup;
using Bits = std::vector<int>;
using trainer::Communicator;

namespace {

ResponseCache cache_of(int capacity, const std::vector<std::string>& names) {
  ResponseCache cache(capacity);
  for (const Request& request : test::requests(names)) cache.put(request);
  return cache;
}

Lookup find(const ResponseCache& cache, const std::string& name) {
  return cache.find(test::requests({name})[0]);
}

}  // namespace

TEST_CASE("a cached tensor is a hit, and invalid with another shape or type") {
  const ResponseCache cache = cache_of(8, {"a", "b"});
  CHECK(find(cache, "a") == Lookup::hit);
  CHECK(find(cache, "c") == Lookup::miss);
  CHECK(cache.find(test::requests({"a"}, {2, 2})[0]) == Lookup::invalid);
  CHECK(cache.find(test::requests({"a"}, {4}, trainer::ElementType::float64)[0]) ==
        Lookup::invalid);
  CHECK(cache.bits() == 2);
  CHECK(cache.bit_of("b") == 1);
}

TEST_CASE("a full cache evicts the least recently used tensor") {
  ResponseCache cache = cache_of(3, {"a", "b", "c"});
  const Response used = cache.use(0);
  CHECK(used.names == std::vector<std::string>{"a"});
  CHECK(used.bytes() == 16);
  cache.put(test::requests({"d"})[0]);
  CHECK(cache.bits() == 3);
  CHECK(find(cache, "b") == Lookup::miss);
  CHECK(cache.bit_of("d") == 1);
  CHECK(find(cache, "a") == Lookup::hit);
}

TEST_CASE("bits above an erased bit move down by one") {
  ResponseCache cache = cache_of(8, {"a", "b", "c"});
  cache.erase(1);
  CHECK(find(cache, "b") == Lookup::miss);
  CHECK(cache.bit_of("a") == 0);
  CHECK(cache.bit_of("c") == 1);
  CHECK(cache.bits() == 2);
  CHECK(cache.use(1).names.front() == "c");
}

TEST_CASE("a cache without capacity stays empty") {
  const ResponseCache cache = cache_of(0, {"a"});
  CHECK(cache.bits() == 0);
  CHECK(find(cache, "a") == Lookup::miss);
}

TEST_CASE("a vote finds the bits that all ranks have set, across words") {
  for (const int ranks : {1, 2, 3, 4}) {
    const auto hits = test::on_ranks<Bits>(ranks, [](Communicator& rank) {
      CacheVote vote(200);
      for (const int bit : {0, 60, 61, 124, 125, 199}) vote.hit(bit);
      vote.hit(7 + rank.rank());
      vote.agree(rank);
      if (vote.any_uncached() || vote.any_shut_down() || !vote.invalid_bits().empty())
        return Bits{};
      return vote.bytes() == 4 * 8 ? vote.hits() : Bits{-1};
    });
    Bits expected{0, 60, 61, 124, 125, 199};
    if (ranks == 1) expected.insert(expected.begin() + 1, 7);
    for (const Bits& found : hits) CHECK(found == expected);
  }
}

TEST_CASE(
    "the flags of one rank reach all ranks, and only an invalid bit needs a second exchange") {
  struct Heard {
    bool uncached, shut_down;
    Bits invalid;
    std::int64_t bytes;
  };
  const auto vote_with = [](const std::function<void(CacheVote&)>& of_last) {
    return test::on_ranks<Heard>(3, [&](Communicator& rank) {
      CacheVote vote(70);
      if (rank.rank() == 2) of_last(vote);
      if (rank.rank() == 1) vote.hit(69);
      vote.agree(rank);
      return Heard{vote.any_uncached(), vote.any_shut_down(), vote.invalid_bits(), vote.bytes()};
    });
  };
  for (const Heard& heard : vote_with([](CacheVote& vote) { vote.uncached(); })) {
    CHECK((heard.uncached && !heard.shut_down && heard.invalid.empty() && heard.bytes == 16));
  }
  for (const Heard& heard : vote_with([](CacheVote& vote) { vote.shut_down(); })) {
    CHECK((!heard.uncached && heard.shut_down && heard.bytes == 16));
  }
  for (const Heard& heard : vote_with([](CacheVote& vote) { vote.invalid(3), vote.invalid(69); })) {
    CHECK((heard.uncached && !heard.shut_down && heard.bytes == 32));
    CHECK(heard.invalid == Bits{3, 69});
  }
}

TEST_CASE("bit_and is rejected for floating-point numbers") {
  float number = 1;
  const auto alone = trainer::make_single();
  CHECK_THROWS_WITH(
      alone->all_reduce({&number, 1, trainer::ElementType::float32}, trainer::ReduceOp::bit_and),
      "bit_and reduces integers only");
}
