// SPDX-License-Identifier: Apache-2.0
// Named tensors, and an archive of them in LibTorch's format.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscale::trainer {

// A part's state as tensors with names.

/// The tensor shares its memory with the part: who writes into it changes the part.
struct NamedTensor {
  std::string name;  ///< dots separate levels; no level is empty
  at::Tensor tensor;
};

/// Adds `parts` to `all`, with `prefix` before their names.
inline void append(std::vector<NamedTensor>& all, const std::string& prefix,
                   std::vector<NamedTensor> parts) {
  for (NamedTensor& part : parts) all.push_back({prefix + part.name, std::move(part.tensor)});
}

// Named tensors as an archive of LibTorch.

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
