// SPDX-License-Identifier: Apache-2.0
// Tests that every style over every communicator learns the same as one rank with the whole batch.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contract/run_spec/vocabulary.hpp"
#include "tests/trainer/parallel/learns_alike.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/mpi.hpp"
#include "trainer/comm/single.hpp"

using namespace dlscale;
using test::exact_styles;

namespace {

contract::RunSpec in_single_precision(contract::RunSpec spec) {
  spec.precision = "fp32";
  return spec;
}

}  // namespace

TEST_CASE("every style over every communicator trains like one rank with the whole batch") {
  const auto alone = test::run(test::ten_steps("synchronous", 1));
  const auto of_one = [&] {
    const auto single = trainer::make_single();
    for (const auto& spec : exact_styles(1)) {
      test::check_alike(spec, test::run_as_rank(spec, *single), alone);
    }
  };
  const auto of_threads = [&] {
    for (const int ranks : {1, 2, 3, 4}) {
      for (const auto& spec : exact_styles(ranks)) test::check_learns_alike(spec, alone);
    }
  };
  const std::map<std::string, std::function<void()>> suites{
      {"single", of_one},
      {"thread", of_threads},
      {"mpi", [] { SUCCEED("needs ranks: [.mpi] below runs under mpirun"); }},
      {"nccl", [] { SUCCEED("needs GPUs: [.nccl_styles] of cuda_test runs under mpirun"); }}};
  for (const std::string& framework : test::frameworks()) {
    CHECK(contract::is_known("framework", framework));
  }
  for (const trainer::CommunicatorEntry* entry : trainer::communicator_table()) {
    if (entry->unavailable != nullptr) continue;
    INFO(entry->name);
    suites.at(entry->name)();
  }
}

TEST_CASE("in single precision every style trains like one rank, within 1e-5") {
  const auto alone = test::run(in_single_precision(test::ten_steps("synchronous", 1)));
  const auto exact = test::run(test::ten_steps("synchronous", 1));
  CHECK(test::largest_difference(alone.parameters, exact.parameters) > 1e-9);
  for (const int ranks : {2, 3, 4}) {
    for (const auto& style : exact_styles(ranks)) {
      INFO(test::title_of(style));
      const auto found = test::run(in_single_precision(style));
      CHECK(test::largest_difference(found.parameters, alone.parameters) < 1e-5);
    }
  }
}

TEST_CASE("every style between MPI ranks trains like one rank, within 1e-5 in single precision",
          "[.mpi]") {
  const trainer::MpiSession session;
  const bool judges = session.rank() == 0;
  test::ThreadLaunch alone;
  if (judges) alone = test::run(test::ten_steps("synchronous", 1));
  // The loop covers MPI's own collectives, and the ones that `auto` selects for ranks that share
  // memory.
  for (const char* all_reduce : {"tuned", "auto"}) {
    const auto ranks = trainer::with_all_reduce(trainer::make_mpi(session), all_reduce);
    INFO("all_reduce " << all_reduce);
    for (const auto& spec : test::styles_of_processes(session.size())) {
      const auto found = test::run_as_rank(spec, *ranks);
      const auto single = test::run_as_rank(in_single_precision(spec), *ranks);
      if (!judges) continue;
      test::check_alike(spec, found, alone);
      INFO(test::title_of(spec));
      CHECK(test::largest_difference(single.parameters, alone.parameters) < 1e-5);
    }
  }
}
