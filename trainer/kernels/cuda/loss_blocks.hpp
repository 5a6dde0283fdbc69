// SPDX-License-Identifier: Apache-2.0
// Softmax and cross-entropy with label smoothing, computed by one kernel. Each thread block
// computes one sample.
//
// With smoothing s and K classes, the loss of a sample is
//   log Σ exp(x) - (1 - s) x_target - s / K Σ x.
// The gradient of this loss is
//   softmax(x) - (1 - s) [target] - s / K,
// where [target] is 1 for the target class and 0 for the other classes.
#pragma once

#include <cmath>
#include <cstddef>

#include "trainer/kernels/cuda/blocks.hpp"

namespace dlscale::trainer::kernel {

constexpr int kLossThreads = 128;
/// Bytes of shared memory per block.
constexpr std::size_t kLossBytes = 3 * sizeof(float) * kLossThreads;

template <class T>
struct LossCall {
  std::int64_t samples;
  int classes;
  const T* scores;  ///< samples x classes
  const std::int64_t* target;
  float smoothing;
  float* losses;       ///< loss of each sample, NaN if the target is not a class
  float* normalisers;  ///< log Σ exp(x) of each sample
};

template <class T, class Block>
constexpr void cross_entropy(Block& block, const LossCall<T>& call) {
  float* const largest = block.template shared<float>();
  float* const exponentials = largest + kLossThreads;
  float* const totals = exponentials + kLossThreads;
  const std::int64_t sample = block.tile();
  const T* const scores = call.scores + sample * call.classes;
  const auto score = [&](int c) {
    float value[1] = {};
    block.widen(block.template load<1>(scores + c), value);
    return value[0];
  };
  block.each_thread([&](int thread) {
    float most = score(0);
    for (int c = thread; c < call.classes; c += kLossThreads) {
      const float x = score(c);
      if (!(x <= most)) most = x;  // the negated comparison also holds for NaN, so that NaN is kept
    }
    largest[thread] = most;
  });
  block.each_thread([&](int thread) {
    float most = largest[0];
    for (int i = 1; i < kLossThreads; ++i) {
      if (!(largest[i] <= most)) most = largest[i];
    }
    float sum = 0, total = 0;
    for (int c = thread; c < call.classes; c += kLossThreads) {
      const float x = score(c);
      sum += std::exp(x - most);
      total += x;
    }
    exponentials[thread] = sum;
    totals[thread] = total;
  });
  block.each_thread([&](int thread) {
    if (thread != 0) return;
    float most = largest[0], sum = 0, total = 0;
    for (int i = 0; i < kLossThreads; ++i) {
      if (!(largest[i] <= most)) most = largest[i];
      sum += exponentials[i];
      total += totals[i];
    }
    const std::int64_t target = call.target[sample];
    const float normaliser = most + std::log(sum);
    call.normalisers[sample] = normaliser;
    if (target < 0 || target >= call.classes) {
      call.losses[sample] = NAN;
      return;
    }
    call.losses[sample] = normaliser - (1 - call.smoothing) * score(static_cast<int>(target)) -
                          call.smoothing / static_cast<float>(call.classes) * total;
  });
}

/// Arguments of cross_entropy_gradient(), which computes the gradient of the mean loss over the
/// samples and multiplies it by `gradient`.
template <class T>
struct LossGradientCall {
  std::int64_t samples;
  int classes;
  const T* scores;
  const std::int64_t* target;
  float smoothing;
  const float* normalisers;
  const float* gradient;  ///< gradient of the mean loss, one number
  T* dscores;
};

template <class T, class Block>
constexpr void cross_entropy_gradient(Block& block, const LossGradientCall<T>& call) {
  block.each_thread([&](int thread) {
    const std::int64_t sample = block.tile();
    const std::int64_t target = call.target[sample];
    const float factor = *call.gradient / static_cast<float>(call.samples);
    for (int c = thread; c < call.classes; c += kLossThreads) {
      const std::int64_t at = sample * call.classes + c;
      float value[1] = {};
      Pack<T, 1> pack = block.template load<1>(call.scores + at);
      block.widen(pack, value);
      value[0] = std::exp(value[0] - call.normalisers[sample]) -
                 call.smoothing / static_cast<float>(call.classes) -
                 (c == target ? 1 - call.smoothing : 0);
      value[0] *= factor;
      block.store(value, pack, call.dscores + at);
    }
  });
}

}  // namespace dlscale::trainer::kernel
