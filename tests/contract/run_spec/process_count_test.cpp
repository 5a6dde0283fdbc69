// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/process_count.hpp"

#include <catch2/catch.hpp>

#include "contract/run_spec/vocabulary.hpp"

using namespace dlscale;

TEST_CASE("every rank is a process, except that data_parallel runs in one process") {
  contract::RunSpec spec;
  spec.gpus = 4;
  for (const std::string& framework : contract::vocabulary("framework")) {
    spec.framework = framework;
    CHECK(contract::process_count(spec) == (framework == "data_parallel" ? 1 : 4));
  }
}
