// SPDX-License-Identifier: Apache-2.0
// Products of matrices in fp32 on CPUs by oneDNN.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// a: n x m x k, b: n x k x l, dense, either of them perhaps transposed. Returns n x m x l.
at::Tensor matrix_products(const at::Tensor& a, const at::Tensor& b);

/// Adds the products to `sums`, n x m x l and contiguous.
void add_matrix_products(const at::Tensor& sums, const at::Tensor& a, const at::Tensor& b);

}  // namespace dlscale::trainer
