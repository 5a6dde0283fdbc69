// SPDX-License-Identifier: Apache-2.0
// Tests that run the code of the GPU kernels on a CPU.
#include <catch2/catch.hpp>
#include <limits>

#include "tests/trainer/kernels/gpu_kernels_check.hpp"
#include "tests/trainer/kernels/host_launches.hpp"
#include "trainer/kernels/gpu_kernels.hpp"

using namespace dlscale;

namespace {

/// Guard during whose lifetime the kernels run on the CPU.
class KernelsOnHost {
 public:
  explicit KernelsOnHost(int blocks) : launches_(test::make_host_launches(blocks)) {
    trainer::use_gpu_kernels(launches_.get());
  }
  ~KernelsOnHost() { trainer::use_gpu_kernels(nullptr); }

 private:
  std::unique_ptr<trainer::kernel::Launches> launches_;
};

}  // namespace

TEST_CASE("GPU batch norms match float64 results for every number of blocks") {
  for (const int blocks : {1, 3, 500}) {
    const KernelsOnHost kernels(blocks);
    test::check_gpu_norm(at::kCPU);
  }
}

TEST_CASE("GPU max pooling matches float64 results") {
  const KernelsOnHost kernels(5);
  test::check_gpu_max_pool(at::kCPU);
}

TEST_CASE("GPU cross-entropy matches float64 results") {
  const KernelsOnHost kernels(5);
  test::check_gpu_cross_entropy(at::kCPU);
}

TEST_CASE("NaN in the input of a GPU kernel reaches its output") {
  const KernelsOnHost kernels(5);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor scores = at::zeros({2, 3});
  scores[1][2] = nan;
  const at::Tensor target = at::zeros({2}, at::kLong);
  CHECK(std::isnan(trainer::gpu_cross_entropy(scores, target, 0.1).item<float>()));
  const at::Tensor images = at::zeros({1, 4, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast);
  images[0][1][2][3] = nan;
  CHECK(std::isnan(trainer::gpu_max_pool(images, 3, 2, 1, false)[0][1][1][1].item<float>()));
}

TEST_CASE("a target outside the classes makes the loss NaN") {
  const KernelsOnHost kernels(5);
  const at::Tensor target = at::full({2}, 3, at::kLong);
  CHECK(std::isnan(trainer::gpu_cross_entropy(at::zeros({2, 3}), target, 0).item<float>()));
}

TEST_CASE("GPU kernels leave unsupported inputs to LibTorch") {
  const at::Tensor images = at::zeros({2, 8, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor weight = at::ones({8});
  CHECK_FALSE(trainer::can_norm_on_gpu(images, {}, weight));  // no kernels are selected
  const KernelsOnHost kernels(5);
  CHECK(trainer::can_norm_on_gpu(images, {}, weight));
  CHECK_FALSE(trainer::can_norm_on_gpu(images.to(at::kDouble), {}, weight));
  CHECK_FALSE(trainer::can_norm_on_gpu(images, {}, weight.to(at::kDouble)));
  CHECK_FALSE(trainer::can_norm_on_gpu(images.contiguous(), {}, weight));
  CHECK_FALSE(trainer::can_norm_on_gpu(images, images.to(at::kHalf), weight));
  const at::Tensor pixel = at::zeros({1, 8, 1, 1}).contiguous(at::MemoryFormat::ChannelsLast);
  CHECK_FALSE(trainer::can_norm_on_gpu(pixel, {}, weight));  // one value has no variance
  CHECK_FALSE(trainer::gpu_max_pool(images.contiguous(), 2, 2, 0, false).defined());
  CHECK_FALSE(trainer::gpu_cross_entropy(images, at::zeros({2}, at::kLong), 0).defined());
}
