// SPDX-License-Identifier: Apache-2.0
// Checks of collectives on GPU tensors, separate from the test cases because LibTorch and Catch2
// define macros with the same names.
#include "tests/trainer/gpu_queue_check.hpp"

#include <torch/cuda.h>
#include <torch/types.h>

#include <stdexcept>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/device/device.hpp"
#include "trainer/record/step_timer.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::test {
namespace {

using trainer::CollectiveQueue;
using trainer::ReduceOp;
using trainer::span_of;

void expect(const at::Tensor& found, double wanted, const char* what) {
  if (!found.eq(wanted).all().item<bool>()) throw std::runtime_error(what);
}

/// Returns a tensor of ones that takes the GPU some milliseconds to compute.
at::Tensor slow_ones(at::Device gpu) {
  at::Tensor ones = at::ones({2048, 2048}, at::TensorOptions(at::kFloat).device(gpu));
  for (int i = 0; i < 50; ++i) ones = ones.mm(ones).div_(2048);
  return ones;
}

}  // namespace

void check_gpu_queue(trainer::Communicator& ranks, int number) {
  const at::Device gpu(at::kCUDA, static_cast<at::DeviceIndex>(number));
  const base::SystemClock clock;
  CollectiveQueue queue(ranks, clock);
  const at::Tensor ones = slow_ones(gpu);
  const auto work = queue.all_reduce(span_of(ones), ReduceOp::sum);
  work->wait();
  expect(ones, queue.size(), "an all-reduce went ahead of what the GPU computed");
  if (work->ready_s() < work->submitted_s() || work->finished_s() < work->ready_s()) {
    throw std::runtime_error("times of an all-reduce run backwards");
  }
  expect(ones.mul(2), 2.0 * queue.size(), "computation went ahead of an all-reduce");
}

void check_gpu_fusion(int number) {
  const at::Device gpu(at::kCUDA, static_cast<at::DeviceIndex>(number));
  const auto options = at::TensorOptions(at::kHalf).device(gpu);
  const at::Tensor a = at::full({5}, 3, options), b = at::full({2, 3}, 6, options);
  torch::cuda::synchronize(number);
  const auto fusion = trainer::make_device_fusion(gpu);
  const std::vector<trainer::Span> tensors{span_of(a), span_of(b)};
  const auto fused = fusion->take_in(tensors, 11, trainer::ElementType::float16);
  fusion->scale(fused, 2);
  fusion->hand_out(fused, tensors, 0.25);
  expect(a, 1.5, "the first tensor of a fusion");
  expect(b, 3, "the second tensor of a fusion");
}

void check_gpu_times(int number) {
  const at::Device gpu(at::kCUDA, static_cast<at::DeviceIndex>(number));
  const auto device = base::find(trainer::device_table(), "device", "cuda").make({number});
  const base::SystemClock clock;
  trainer::StepTimer timer(clock, *device);
  slow_ones(gpu);  // the first matrix products of each size take longer
  timer.start();
  const double begin_s = clock.steady_s();
  timer.enter(contract::StepPart::forward);
  const at::Tensor ones = slow_ones(gpu);
  timer.enter(contract::StepPart::optimizer);
  const at::Tensor twice = ones.mul(2);
  timer.leave();
  const double given_s = clock.steady_s() - begin_s;
  const trainer::BlockTimes block = timer.cut();
  const double forward_s = block.parts[static_cast<std::size_t>(contract::StepPart::forward)];
  const double optimizer_s = block.parts[static_cast<std::size_t>(contract::StepPart::optimizer)];
  if (forward_s < given_s) throw std::runtime_error("the GPU was waited for within a step");
  if (optimizer_s <= 0 || optimizer_s > forward_s || forward_s + optimizer_s > block.wall_s) {
    throw std::runtime_error("work of the GPU counts in the wrong part of a step");
  }
}

}  // namespace dlscale::test
