// SPDX-License-Identifier: Apache-2.0
// Copies of images from DALI's memory on a GPU to LibTorch's memory.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <deque>

namespace dlscale::trainer::dali {

/// Copier of batches from DALI's GPU memory to LibTorch's GPU memory. DALI reuses the memory of a
/// batch as soon as the batch is released, even if LibTorch has not yet run its queued work on that
/// memory. The copier therefore keeps each batch until its copy is done.
class GpuImages {
 public:
  /// Starts a copy of `images` and returns the copy without waiting for it. A later call of
  /// copy_of() releases `images`.
  at::Tensor copy_of(const at::Tensor& images);

 private:
  struct Copied {
    at::Tensor images;
    c10::Event done;
  };
  std::deque<Copied> copied_;
};

}  // namespace dlscale::trainer::dali
