// SPDX-License-Identifier: Apache-2.0
// Matrix products in fp32 on CPUs, computed by oneDNN.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// Returns the products of `a` (n x m x k) and `b` (n x k x l), with the shape n x m x l. Both
/// tensors are dense and may be transposed.
at::Tensor matrix_products(const at::Tensor& a, const at::Tensor& b);

/// Adds the products of `a` and `b` to `sums`, which has the shape n x m x l and is contiguous.
void add_matrix_products(const at::Tensor& sums, const at::Tensor& a, const at::Tensor& b);

}  // namespace dlscale::trainer
