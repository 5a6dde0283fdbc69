// SPDX-License-Identifier: Apache-2.0
// Tests of the backend for PyTorch's distributed package, called like the package calls it.
#include <catch2/catch.hpp>

#include "tests/trainer/sync/backend_check.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;

TEST_CASE("a process group over a collective queue reduces, broadcasts and gathers") {
  for (const int ranks : {1, 2, 3}) {
    CHECK_NOTHROW(trainer::run_as_threads(ranks, test::check_backend));
  }
}

TEST_CASE("tensors that the collectives do not support are rejected with the reason") {
  CHECK(test::refusal("none").empty());
  CHECK(test::refusal("gaps") == "cannot exchange a tensor with gaps in its memory between ranks");
  CHECK(test::refusal("complex") == "cannot exchange a tensor of type ComplexFloat between ranks");
  CHECK(test::refusal("meta") == "cannot exchange a tensor on meta between ranks");
}
