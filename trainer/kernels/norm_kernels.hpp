// SPDX-License-Identifier: Apache-2.0
// CPU kernels for batch normalisation with the residual addition and the ReLU that follow it.
//
// The time of these kernels is the time of their memory accesses, so each kernel does as much work
// as possible in one pass over memory. Values are stored with channels last: a row holds the
// `channels` values of one pixel. This file does not use LibTorch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "trainer/numbers/half_types.hpp"

namespace dlscale::trainer {

/// Range of rows, from `first` to `last` - 1, that a call processes.
struct Rows {
  std::int64_t first;
  std::int64_t last;
};

/// Type in which the kernels compute with values of type T (float, double, BFloat16).
template <class T>
using NormMath = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Adds the first and second moments of x over the rows to `sums`, for each channel c:
///   sums[c] += Σ (x - pivot[c])
///   sums[channels + c] += Σ (x - pivot[c])²
template <class T>
void add_moments(const T* x, const NormMath<T>* pivot, std::int64_t channels, Rows rows,
                 double* sums);

/// Arguments of normalise(), which computes y = ReLU(scale[c] x + shift[c] + added) for each
/// channel c.
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

/// Arrays from which the kernels compute g, the gradient of the input of the ReLU: g = dy where the
/// output y > 0, and g = 0 elsewhere. Without a ReLU, g = dy.
template <class T>
struct NormGradient {
  const T* x;
  const T* y;  ///< output of the ReLU, null without a ReLU
  const T* dy;
  T* g = nullptr;  ///< array to which add_gradient_sums() writes g, null if g is not needed
};
/// Adds two sums over the rows to `sums`, for each channel c:
///   sums[c] += Σ g
///   sums[channels + c] += Σ g (x - mean[c])
template <class T>
void add_gradient_sums(const NormGradient<T>& from, const NormMath<T>* mean, std::int64_t channels,
                       Rows rows, double* sums);

/// Arguments of normalise_backward(), which computes dx = scale[c] g + slope[c] x + shift[c] for
/// each channel c.
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
