// SPDX-License-Identifier: Apache-2.0
// Tests of dlscale's kernels on a GPU.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "tests/support/skip.hpp"
#include "tests/trainer/kernels/gpu_kernels_check.hpp"
#include "trainer/device/gpu.hpp"
#include "trainer/kernels/cuda/launches.hpp"
#include "trainer/kernels/gpu_kernels.hpp"

using namespace dlscale;

namespace {

/// Selects the kernels and returns true. Without a GPU, it marks the test as skipped and returns
/// false, or fails the test if DLSCALE_REQUIRE_GPU=1.
bool use_kernels() {
  try {
    trainer::use_gpu(trainer::gpu_of(0));
  } catch (const base::RunError& error) {
    const char* const required = std::getenv("DLSCALE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL(error.what());
    test::skip(error.what());
    return false;
  }
  trainer::use_gpu_kernels(trainer::kernel::gpu_launches());
  return true;
}

}  // namespace

TEST_CASE("batch norms on a GPU match float64 results", "[gpu]") {
  if (use_kernels()) test::check_gpu_norm(at::kCUDA);
}

TEST_CASE("max pooling on a GPU matches float64 results", "[gpu]") {
  if (use_kernels()) test::check_gpu_max_pool(at::kCUDA);
}

TEST_CASE("cross-entropy on a GPU matches float64 results", "[gpu]") {
  if (use_kernels()) test::check_gpu_cross_entropy(at::kCUDA);
}

TEST_CASE("every kernel runs once for tools that check memory", "[.gpu_small]") {
  if (!use_kernels()) return;
  test::check_gpu_norm(at::kCUDA, true);
  test::check_gpu_max_pool(at::kCUDA, true);
  test::check_gpu_cross_entropy(at::kCUDA, true);
}
