// SPDX-License-Identifier: Apache-2.0
// Kernels for batch normalisation and the operations that follow it.
//
// Each kernel does as much work as possible per pass over memory. Values are stored with channels
// last: a row is a pixel with `channels` values. This file does not use LibTorch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "trainer/numbers/half_types.hpp"

namespace dlscale::trainer {

/// Range of rows that a call processes.
struct Rows {
  std::int64_t first;
  std::int64_t last;
};

/// Type of the arithmetic for values of type T (float, double, BFloat16).
template <class T>
using NormMath = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Adds the moments of x: sums[c] += Σ (x - pivot[c]), sums[channels + c] += Σ (x - pivot[c])².
template <class T>
void add_moments(const T* x, const NormMath<T>* pivot, std::int64_t channels, Rows rows,
                 double* sums);

/// Arguments of normalise(), which computes y = scale[c] x + shift[c], adds `added` and applies
/// ReLU.
template <class T>
struct NormForward {
  const T* x;
  const NormMath<T>* scale;
  const NormMath<T>* shift;
  const T* added;  ///< null if nothing is added
  bool relu;
  T* y;
};
template <class T>
void normalise(const NormForward<T>& call, std::int64_t channels, Rows rows);

/// Inputs that determine g, the gradient of the ReLU's input: g = dy where y > 0, and g = 0
/// elsewhere. Without a ReLU, g = dy.
template <class T>
struct NormGradient {
  const T* x;
  const T* y;  ///< null without a ReLU
  const T* dy;
  T* g = nullptr;  ///< output of add_gradient_sums() with a ReLU, null if not needed
};
/// Adds the sums of g: sums[c] += Σ g, sums[channels + c] += Σ g (x - mean[c]).
template <class T>
void add_gradient_sums(const NormGradient<T>& from, const NormMath<T>* mean, std::int64_t channels,
                       Rows rows, double* sums);

/// Arguments of normalise_backward(), which computes dx = scale[c] g + slope[c] x + shift[c].
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
