// SPDX-License-Identifier: Apache-2.0
// Batched matrix products in fp32 on CPUs, computed by oneDNN where possible.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// Returns the n matrix products of `a` (n x m x k) and `b` (n x k x l) as a tensor of the shape n
/// x m x l. `a` and `b` must be dense. Their matrices may be stored transposed.
at::Tensor matrix_products(const at::Tensor& a, const at::Tensor& b);

/// Adds the n matrix products of `a` and `b` to `sums`, a contiguous tensor of the shape n x m x l.
void add_matrix_products(const at::Tensor& sums, const at::Tensor& a, const at::Tensor& b);

}  // namespace dlscale::trainer
