// SPDX-License-Identifier: Apache-2.0
// Small files in the format of each data set.
#pragma once

#include <filesystem>
#include <string>

namespace dlscale::test {

/// Training and test samples, at least 40 and 20, as the data set `kind` wants them; nothing for
/// generated sets.
void write_samples(const std::string& kind, const std::filesystem::path& folder);

/// Four files in MNIST's format with images of 8x8.
void write_idx(const std::filesystem::path& folder, int train, int test, int extra_labels = 0);

/// Of one colour; the folder is made.
void write_png(const std::filesystem::path& path, int height, int width, unsigned char grey);
void write_jpeg(const std::filesystem::path& path, int height, int width, unsigned char grey);

void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace dlscale::test
