// SPDX-License-Identifier: Apache-2.0
// Decoding a JPEG or PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace dlscale::trainer {

struct Picture {
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> pixels;  ///< red, green, blue x height x width
};

/// By what the file begins with, whatever its name. Greys become colours, what is transparent
/// black. Throws base::RunError (contract::kExitData) naming the file where it is missing, cut
/// short or neither format.
Picture read_picture(const std::filesystem::path& path);

}  // namespace dlscale::trainer
