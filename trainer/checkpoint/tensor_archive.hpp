// SPDX-License-Identifier: Apache-2.0
// Named tensors as an archive of LibTorch.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/named_tensor.hpp"

namespace dlscale::trainer {

using ByteSink = std::function<void(std::string_view bytes)>;

/// Hands the archive's bytes to `sink`, from the first to the last; what that throws comes through.
/// A name "a.b" is the tensor b of the submodule a.
void write_archive(const std::vector<NamedTensor>& tensors, const ByteSink& sink);

/// The values that an archive has for `tensors`, in their order. Throws base::RunError for one that
/// is missing or of another shape or type, and for bytes that are no archive.
std::vector<at::Tensor> find_in_archive(std::string_view bytes,
                                        const std::vector<NamedTensor>& tensors);

/// Copies them there.
void fill(const std::vector<NamedTensor>& tensors, const std::vector<at::Tensor>& values);

}  // namespace dlscale::trainer
