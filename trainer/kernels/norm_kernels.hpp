// SPDX-License-Identifier: Apache-2.0
// Batch normalisation with what follows it, each pass over memory doing all it can. Values lie with
// their channels last: a row is a pixel, of `channels` values. Nothing of LibTorch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "trainer/numbers/half_types.hpp"

namespace dlscale::trainer {

/// The rows that a call works on.
struct Rows {
  std::int64_t first;
  std::int64_t last;
};

/// What values of type T (float, double, BFloat16) are computed in.
template <class T>
using NormMath = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// sums[c] += Σ (x - pivot[c]), sums[channels + c] += Σ (x - pivot[c])².
template <class T>
void add_moments(const T* x, const NormMath<T>* pivot, std::int64_t channels, Rows rows,
                 double* sums);

/// y = scale[c] x + shift[c], plus `added`, then ReLU.
template <class T>
struct NormForward {
  const T* x;
  const NormMath<T>* scale;
  const NormMath<T>* shift;
  const T* added;  ///< null: nothing
  bool relu;
  T* y;
};
template <class T>
void normalise(const NormForward<T>& call, std::int64_t channels, Rows rows);

/// g, the gradient of what a ReLU got: dy where y > 0; dy itself where none follows.
template <class T>
struct NormGradient {
  const T* x;
  const T* y;  ///< null: no ReLU
  const T* dy;
  T* g = nullptr;  ///< where add_gradient_sums writes it after a ReLU; null: nowhere
};
/// sums[c] += Σ g, sums[channels + c] += Σ g (x - mean[c]).
template <class T>
void add_gradient_sums(const NormGradient<T>& from, const NormMath<T>* mean, std::int64_t channels,
                       Rows rows, double* sums);

/// dx = scale[c] g + slope[c] x + shift[c].
template <class T>
struct NormBackward {
  NormGradient<T> from;
  const NormMath<T>* scale;
  const NormMath<T>* slope;
  const NormMath<T>* shift;
  T* dx;
};
template <class T>
void normalise_backward(const NormBackward<T>& call, std::int64_t channels, Rows rows);

}  // namespace dlscale::trainer
