// SPDX-License-Identifier: Apache-2.0
// Named tensors, and functions that write them to an archive in LibTorch's format and read them
// back.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlscale::trainer {

// Named tensors that represent the state of one part of the trainer.

/// A tensor with a name. The tensor shares memory with the part of the trainer to which it belongs.
/// Writing to the tensor therefore changes the state of this part.
struct NamedTensor {
  std::string name;  ///< name; dots separate the names of nested modules
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
/// base::RunError if a value is missing, if a value differs from its tensor in shape or type, or if
/// `bytes` are not an archive.
std::vector<at::Tensor> find_in_archive(std::string_view bytes,
                                        const std::vector<NamedTensor>& tensors);

/// Copies values[i] to tensors[i] for every i.
void fill(const std::vector<NamedTensor>& tensors, const std::vector<at::Tensor>& values);

}  // namespace dlscale::trainer
