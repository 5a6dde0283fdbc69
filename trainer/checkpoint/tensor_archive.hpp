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

/// Copies an archive's tensors into `tensors`. Throws base::RunError for one that is missing or of
/// another shape or type, and for bytes that are no archive; `tensors` are then as they were.
void read_archive(std::string_view bytes, const std::vector<NamedTensor>& tensors);

}  // namespace dlscale::trainer
