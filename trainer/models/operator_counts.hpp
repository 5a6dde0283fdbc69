// SPDX-License-Identifier: Apache-2.0
// Functions that count the FLOPs and the bytes of a call of a LibTorch operator. Only files in
// models/ use these functions.
#pragma once

#include <ATen/record_function.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

/// Returns all tensors among `values`, including the tensors in lists.
std::vector<at::Tensor> tensors_of(std::span<const c10::IValue> values);

double bytes_of(const std::vector<at::Tensor>& tensors);

/// Returns true for operators whose FLOPs are counted: convolutions and matrix products, forward
/// and backward.
bool computes(std::string_view name);

/// Returns the FLOPs of a call for which computes() is true. The function uses only the inputs of
/// the call, so it can be used before the call has outputs. A multiply-add counts as 2 FLOP.
///
/// - Convolution: each output value needs as many multiply-adds as a filter has weights.
/// - Transposed convolution: each input value needs as many multiply-adds as a filter has weights.
/// - Backward pass of a convolution: the gradient of the input and the gradient of the filters each
///   need as many multiply-adds as the forward pass.
double flops_of(const at::RecordFunction& call);

/// Returns the sizes of a call, with the same keys as contract::KernelTime::size and with the
/// number of samples as "b". Supports addmm, and convolutions, pooling and batch norms of square
/// images. Returns an empty map for other calls.
std::map<std::string, double> size_of(const at::RecordFunction& call);

/// Returns true if a call only made views, which means that all its outputs lie in memory of its
/// inputs (`given`). In-place operators, whose names end in _, are not views.
bool is_view(std::string_view name, const std::set<const void*>& given,
             const std::vector<at::Tensor>& outputs);

const void* memory_of(const at::Tensor& tensor);

}  // namespace dlscale::trainer
