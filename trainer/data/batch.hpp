// SPDX-License-Identifier: Apache-2.0
// What a loader delivers and a step consumes.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

struct Batch {
  /// Images: samples x channels x height x width, normalised; or bytes, which data/hand_over.hpp
  /// normalises on the device. Text: int64 tokens, samples x length.
  /// To be translated: int64, samples x 2 x length: a sentence with its end, and its translation
  /// with its beginning, as far as the step before has come.
  at::Tensor input;
  /// Int64 class numbers, samples; for reconstruction the input; for translation int64, samples x
  /// length: the translation with its end. What is shorter than its batch is padded.
  at::Tensor target;
  std::int64_t size() const { return target.defined() ? target.size(0) : 0; }
};

}  // namespace dlscale::trainer
