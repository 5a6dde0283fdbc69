// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/libraries.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/error.hpp"

using namespace dlscale;
using Catch::Contains;

TEST_CASE("a LibTorch of the same minor version matches") {
  CHECK(trainer::torch_mismatch("2.11.0", "2.11.0") == "");
  CHECK(trainer::torch_mismatch("2.11.0", "2.11.3") == "");
}

TEST_CASE("a LibTorch of another minor version is rejected with both versions and the command") {
  for (const char* loaded : {"2.12.0", "2.1.1", "3.11.0"}) {
    const std::string message = trainer::torch_mismatch("2.11.0", loaded);
    CHECK_THAT(message, Contains("built with LibTorch 2.11.0") &&
                            Contains("loaded LibTorch " + std::string(loaded)) &&
                            Contains("pip install 'torch==2.11.*'"));
  }
}

TEST_CASE("a LibTorch that does not report its version is rejected") {
  CHECK_THAT(trainer::torch_mismatch("2.11.0", ""), Contains("an earlier LibTorch"));
}

TEST_CASE("a process without LibTorch is rejected") {
  CHECK_THROWS_AS(trainer::require_built_torch(), base::RunError);
}

TEST_CASE("the MPI library of this process is an existing file") {
  CHECK(std::filesystem::is_regular_file(trainer::mpi_library()));
}
