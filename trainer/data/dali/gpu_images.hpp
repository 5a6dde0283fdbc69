// SPDX-License-Identifier: Apache-2.0
// Copies of images from DALI's memory on a GPU to LibTorch's memory.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <deque>

namespace dlscale::trainer::dali {

/// Copies batches from DALI's memory within the GPU. DALI reuses the memory of a batch as soon as
/// the batch is released and does not know which work LibTorch still has queued on the GPU. A batch
/// is therefore released only after its copy is done.
class GpuImages {
 public:
  /// Returns a copy of `images` without waiting for the copy to finish. A later call releases
  /// `images`.
  at::Tensor copy_of(const at::Tensor& images);

 private:
  struct Copied {
    at::Tensor images;
    c10::Event done;
  };
  std::deque<Copied> copied_;
};

}  // namespace dlscale::trainer::dali
