// SPDX-License-Identifier: Apache-2.0
// Takes images over from DALI's memory on a GPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <deque>

namespace dlscale::trainer::dali {

/// DALI uses the memory of a batch again as soon as that is given back, and knows nothing of what
/// LibTorch still has to do on the GPU. So batches are copied within the GPU, and given back when
/// the copy is done.
class GpuImages {
 public:
  /// Does not wait for the copy; `images` are let go of by a later call.
  at::Tensor copy_of(const at::Tensor& images);

 private:
  struct Copied {
    at::Tensor images;
    c10::Event done;
  };
  std::deque<Copied> copied_;
};

}  // namespace dlscale::trainer::dali
