// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/core_groups.hpp"

#include <catch2/catch.hpp>
#include <thread>

using namespace dlscale;
using trainer::deal_out;
using trainer::Processor;
using Groups = std::vector<std::vector<int>>;

TEST_CASE("each device gets the requested number of neighbouring cores") {
  const auto dealt = deal_out({{2, 2}, {3, 3}, {6, 6}, {7, 7}}, 2, 2);
  CHECK(dealt.processors == Groups{{2, 3}, {6, 7}});
  CHECK(dealt.words == "2 devices of 2 cores, each bound to its own cores");
}

TEST_CASE("hardware threads of a core go to one device, whether cores or threads are counted") {
  const std::vector<Processor> two_cores{{0, 0}, {8, 0}, {1, 1}, {9, 1}};
  CHECK(deal_out(two_cores, 2, 1).processors == Groups{{0, 8}, {1, 9}});
  CHECK(deal_out(two_cores, 2, 2).processors == Groups{{0, 8}, {1, 9}});
}

TEST_CASE("devices are not bound to cores if there are more or fewer cores than requested") {
  const auto more = deal_out({{0, 0}, {1, 1}, {2, 2}}, 2, 1);
  CHECK(more.processors.empty());
  CHECK(more.words == "2 devices of 1 core, not bound (usable processors: 3)");
  const auto fewer = deal_out({{0, 0}, {1, 1}, {2, 2}}, 2, 2);
  CHECK(fewer.processors.empty());
  CHECK(fewer.words == "2 devices of 2 cores share the usable processors (3)");
}

TEST_CASE("a bound thread may run only on its processor") {
  const auto usable = trainer::usable_processors();
  REQUIRE(!usable.empty());
  std::vector<Processor> after;
  std::thread([&] {
    trainer::bind_to({usable.back().number});
    after = trainer::usable_processors();
  }).join();
  REQUIRE(after.size() == 1);
  CHECK(after[0].number == usable.back().number);
  CHECK(trainer::usable_processors().size() == usable.size());
}
