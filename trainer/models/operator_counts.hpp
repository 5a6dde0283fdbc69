// SPDX-License-Identifier: Apache-2.0
// Internal to models/*.cpp: functions that count the FLOPs and the bytes of a call of a LibTorch
// operator.
#pragma once

#include <ATen/record_function.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

/// Returns all tensors among the values, including those in lists.
std::vector<at::Tensor> tensors_of(std::span<const c10::IValue> values);

double bytes_of(const std::vector<at::Tensor>& tensors);

/// Returns true for operators whose FLOPs are counted: convolutions and matrix products, forward
/// and backward.
bool computes(std::string_view name);

/// Returns the FLOPs of a call for which computes() is true. The outputs of the call need not be
/// known. A multiply-add is 2 FLOP. An output value of a convolution takes as many multiply-adds as
/// a filter has weights. In a transposed convolution, an input value takes as many. The backward
/// pass takes this number once for the gradient of the data and once for the gradient of the
/// filters.
double flops_of(const at::RecordFunction& call);

/// Returns the sizes of a call by the keys of contract::KernelTime::size, with the samples as "b".
/// Supports convolutions, pooling and batch norms of square images, and addmm. Returns an empty map
/// for other calls.
std::map<std::string, double> size_of(const at::RecordFunction& call);

/// Returns true for a view, which is an operator whose outputs all lie in memory that it was given.
/// Operators that work in place have names that end in _ and are not views.
bool is_view(std::string_view name, const std::set<const void*>& given,
             const std::vector<at::Tensor>& outputs);

const void* memory_of(const at::Tensor& tensor);

}  // namespace dlscale::trainer
