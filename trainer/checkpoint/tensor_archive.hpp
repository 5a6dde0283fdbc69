// SPDX-License-Identifier: Apache-2.0
// Named tensors and functions that write and read them as an archive in LibTorch's format.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscale::trainer {

// Named tensors that represent the state of one part of the trainer.

/// A tensor with a name. The tensor shares its memory with the part it belongs to, so a write to
/// the tensor changes the part.
struct NamedTensor {
  std::string name;  ///< name whose dots separate non-empty levels
  at::Tensor tensor;
};

/// Appends `parts` to `all` and prepends `prefix` to their names.
inline void append(std::vector<NamedTensor>& all, const std::string& prefix,
                   std::vector<NamedTensor> parts) {
  for (NamedTensor& part : parts) all.push_back({prefix + part.name, std::move(part.tensor)});
}

// Archives of named tensors in LibTorch's format.

using ByteSink = std::function<void(std::string_view bytes)>;

/// Writes the archive and passes its bytes to `sink` in order. Rethrows any exception that `sink`
/// throws. The name "a.b" denotes tensor b of submodule a.
void write_archive(const std::vector<NamedTensor>& tensors, const ByteSink& sink);

/// Returns the values in an archive that correspond to `tensors`, in the same order. Throws
/// base::RunError when a value is missing, when a value has another shape or type, and when `bytes`
/// are not an archive.
std::vector<at::Tensor> find_in_archive(std::string_view bytes,
                                        const std::vector<NamedTensor>& tensors);

/// Copies `values` into `tensors`, element by element in the same order.
void fill(const std::vector<NamedTensor>& tensors, const std::vector<at::Tensor>& values);

}  // namespace dlscale::trainer
