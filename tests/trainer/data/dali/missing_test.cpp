// SPDX-License-Identifier: Apache-2.0
// Tests of a trainer without DALI. No later test case in this program may require DALI.
#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/data/dali/dali_loader.hpp"

using namespace dlscale;

namespace {

/// Guard that sets DLSCALE_DALI_LIBRARY during its lifetime.
class Named {
 public:
  explicit Named(const char* path) { ::setenv("DLSCALE_DALI_LIBRARY", path, 1); }
  ~Named() { ::unsetenv("DLSCALE_DALI_LIBRARY"); }
};

contract::RunSpec spec_with(const std::string& loader) {
  contract::RunSpec spec;
  spec.loader = loader;
  spec.dataset.kind = "image_folder";
  spec.dataset.image_size = 32;
  return spec;
}

}  // namespace

TEST_CASE("capabilities omit loaders with a missing library and record the reason") {
  const Named nowhere("/nowhere/libdali.so");
  const auto here = trainer::capabilities();
  CHECK_FALSE(here.has("loader", "dali_cpu"));
  CHECK(here.has("loader", "native"));
  CHECK_THAT(here.built_with.at("dali"),
             Catch::StartsWith("no: ") && Catch::Contains("/nowhere/libdali.so"));
}

TEST_CASE("a run with dali_cpu is rejected with the remedy if DALI is missing") {
  const Named nowhere("/nowhere/libdali.so");
  try {
    trainer::require_available(spec_with("dali_cpu"), "run.json");
    FAIL("nothing was thrown");
  } catch (const base::SpecError& error) {
    CHECK(error.exit_code() == 2);
    CHECK_THAT(error.what(), Catch::StartsWith("run.json: loader: ") &&
                                 Catch::Contains("/nowhere/libdali.so") &&
                                 Catch::Contains("tools/setup --dali"));
  }
}

TEST_CASE("a build without GPUs rejects dali_gpu and names the build command") {
  CHECK_THROWS_WITH(trainer::require_available(spec_with("dali_gpu"), "run.json"),
                    Catch::Contains("this dlscale-train has no loader \"dali_gpu\"") &&
                        Catch::EndsWith("build with: cmake --preset cuda (docs/gpu.md)"));
}

TEST_CASE("runs with other loaders do not require DALI") {
  const Named nowhere("/nowhere/libdali.so");
  CHECK_NOTHROW(trainer::require_available(spec_with("native"), "run.json"));
}
