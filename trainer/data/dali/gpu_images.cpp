// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/gpu_images.hpp"

#include <ATen/ops/empty_like.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace dlscale::trainer::dali {

at::Tensor GpuImages::copy_of(const at::Tensor& images) {
  constexpr std::size_t kMost = 4;  // maximum number of batches that wait for their copies
  if (copied_.size() >= kMost) copied_.front().done.synchronize();
  while (!copied_.empty() && copied_.front().done.query()) copied_.pop_front();
  at::Tensor copy = at::empty_like(images);
  copy.copy_(images, /*non_blocking=*/true);
  c10::Event done(images.device().type());
  done.record(c10::impl::VirtualGuardImpl(images.device().type()).getStream(images.device()));
  copied_.push_back({images, std::move(done)});
  return copy;
}

}  // namespace dlscale::trainer::dali
