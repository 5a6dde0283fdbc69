// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: what a call of one of LibTorch's operators computes and moves.
#pragma once

#include <ATen/record_function.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

/// All tensors among the values, those of lists too.
std::vector<at::Tensor> tensors_of(std::span<const c10::IValue> values);

double bytes_of(const std::vector<at::Tensor>& tensors);

/// Whether it counts: convolutions and matrix products, forward or backward.
bool computes(std::string_view name);

/// Where it computes, before its outputs are known; a multiply-add is 2 FLOP. A convolution's
/// output value takes as many multiply-adds as a filter has weights (transposed: an input value),
/// backward once for the data's gradient and once for the filters'.
double flops_of(const at::RecordFunction& call);

/// What it is called with, by the keys of contract::KernelTime::size with "b", the samples: of
/// convolutions, pooling and batch norms of square images, and of addmm. Empty for others.
std::map<std::string, double> size_of(const at::RecordFunction& call);

/// True where it hands on memory that it was given, as it was: a view. Operators in place have
/// names that end in _.
bool is_view(std::string_view name, const std::set<const void*>& given,
             const std::vector<at::Tensor>& outputs);

const void* memory_of(const at::Tensor& tensor);

}  // namespace dlscale::trainer
