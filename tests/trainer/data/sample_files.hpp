// SPDX-License-Identifier: Apache-2.0
// Writers of small files in the format of each data set.
#pragma once

#include <filesystem>
#include <string>

namespace dlscale::test {

/// Writes files of the data set `kind` with at least 40 training and 20 test samples. Writes
/// nothing for generated data sets.
void write_samples(const std::string& kind, const std::filesystem::path& folder);

/// Writes four files in MNIST's format with images of 8x8.
void write_idx(const std::filesystem::path& folder, int train, int test, int extra_labels = 0);

/// Writes a single-colour image and creates its folder.
void write_png(const std::filesystem::path& path, int height, int width, unsigned char grey);
void write_jpeg(const std::filesystem::path& path, int height, int width, unsigned char grey);

void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace dlscale::test
