// SPDX-License-Identifier: Apache-2.0
// Reads and writes the header of a safetensors file, which lists the tensors in the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

struct SafetensorsEntry {
  std::string name;
  std::string type;  ///< type of the elements: "F32", "I64" and so on
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  ///< start of the data, in bytes after the end of the header
  std::int64_t end = 0;
  bool operator==(const SafetensorsEntry&) const = default;
};

/// Reads a header and returns the tensors in the order of their data. The data of the tensors must
/// follow one another without gaps and overlaps. `file` is only used in messages. Throws
/// base::SpecError, which names the tensor.
std::vector<SafetensorsEntry> safetensors_header_from_json(std::string_view text,
                                                           std::string_view file);

/// Returns the header as JSON on one line.
std::string to_json(const std::vector<SafetensorsEntry>& entries);

}  // namespace dlscale::contract
