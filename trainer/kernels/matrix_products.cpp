// SPDX-License-Identifier: Apache-2.0
// Batched matrix products with oneDNN.
//
// at::bmm calls MKL, which is slower than oneDNN on processors that are not from Intel
// (docs/measurements/convolutions.md). LibTorch has a function that calls oneDNN, but uses this
// function only for 16-bit floats. The function also accepts fp32 and is exported, but no header of
// LibTorch declares it. This file therefore declares the function.
#include "trainer/kernels/matrix_products.hpp"

#include <torch/types.h>

namespace at::native {
TORCH_API void mkldnn_matmul(const Tensor& a, const Tensor& b, const Tensor& result, float beta,
                             float alpha);
}  // namespace at::native

namespace dlscale::trainer {
namespace {

/// Returns true when LibTorch's function that calls oneDNN works on this processor. LibTorch's
/// function checks the requirements of 16-bit floats even for fp32, and therefore throws on
/// processors without AVX-512.
bool has_onednn_products() {
  static const bool works = [] {
    if (!at::hasMKLDNN()) return false;
    const at::Tensor one = at::ones({1, 1, 1});
    try {
      at::native::mkldnn_matmul(one, one, at::empty({1, 1, 1}), /*beta=*/0, /*alpha=*/1);
    } catch (const c10::Error&) {
      return false;
    }
    return true;
  }();
  return works;
}

}  // namespace

at::Tensor matrix_products(const at::Tensor& a, const at::Tensor& b) {
  if (!has_onednn_products()) return at::bmm(a, b);
  const at::Tensor result = at::empty({a.size(0), a.size(1), b.size(2)}, a.options());
  at::native::mkldnn_matmul(a, b, result, /*beta=*/0, /*alpha=*/1);
  return result;
}

void add_matrix_products(const at::Tensor& sums, const at::Tensor& a, const at::Tensor& b) {
  if (!has_onednn_products()) {
    sums.baddbmm_(a, b);
    return;
  }
  at::native::mkldnn_matmul(a, b, sums, /*beta=*/1, /*alpha=*/1);
}

}  // namespace dlscale::trainer
