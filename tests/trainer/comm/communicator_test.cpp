// SPDX-License-Identifier: Apache-2.0
// The collective suite over every communicator of the table.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "contract/vocabulary.hpp"
#include "tests/trainer/comm/collective_suite.hpp"
#include "trainer/comm/communicator_table.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

const std::vector<std::int64_t> kCounts{0, 1, 1000, std::int64_t{1} << 20};

void check_threads() {
  for (const int ranks : {1, 2, 3, 5}) {
    run_as_threads(ranks, [](Communicator& rank) { test::check_collectives(rank, kCounts); });
  }
}

}  // namespace

TEST_CASE("every communicator of this build passes the collective suite") {
  const std::map<std::string, std::function<void()>> suites{
      {"single", [] { test::check_collectives(*make_single(), kCounts); }},
      {"thread", check_threads},
      {"mpi", [] { SUCCEED("needs ranks; the case below runs under mpirun"); }}};
  for (const CommunicatorEntry* entry : communicator_table()) {
    if (entry->unavailable != nullptr) continue;
    INFO(entry->name);
    CHECK_NOTHROW(suites.at(entry->name)());
  }
}

TEST_CASE("every communicator has a known name, and a reason when this build lacks it") {
  for (const CommunicatorEntry* entry : communicator_table()) {
    INFO(entry->name);
    CHECK(contract::is_known("communicator", entry->name));
    CHECK_FALSE(std::string_view(entry->summary).empty());
    if (entry->unavailable != nullptr) {
      CHECK(std::string_view(entry->unavailable).find("this build has no") == 0);
    }
  }
}

TEST_CASE("MPI ranks pass the collective suite and know where they are", "[.mpi]") {
  const MpiSession session;
  REQUIRE(session.size() == 3);
  CHECK_NOTHROW(test::check_collectives(*make_mpi(session), kCounts));
  // Parts of 300 elements, as data longer than one call can take is cut.
  CHECK_NOTHROW(test::check_collectives(*make_mpi(session, 300), {0, 1, 300, 301, 1000}));

  const Placement placement = session.placement();
  CHECK(placement.hostnames.size() == 3);
  CHECK(placement.hostnames[0] == placement.hostnames[2]);
  CHECK_FALSE(placement.hostnames[0].empty());
  CHECK(placement.local_rank == session.rank());
  CHECK(placement.nodes == 1);
}

TEST_CASE("an MPI rank that gives up ends the others", "[.abort]") {
  const MpiSession session;
  const auto communicator = make_mpi(session);
  if (session.rank() == 1) session.abort(4);
  communicator->barrier();
}

TEST_CASE("an exception through an MPI session ends the other ranks", "[.unwind]") {
  const MpiSession session;
  const auto communicator = make_mpi(session);
  if (session.rank() == 1) throw std::runtime_error("this rank fails");
  communicator->barrier();
}

TEST_CASE("the MPI library tells its name and version") {
  CHECK(mpi_version().find("MPI ") != std::string::npos);
  CHECK(mpi_version().find('\n') == std::string::npos);
}
