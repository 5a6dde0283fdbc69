// SPDX-License-Identifier: Apache-2.0
// Small trees of JPEG files with distinguishable images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "images/encode.hpp"
#include "images/picture.hpp"

namespace dlscale::test {

/// Returns an image with smooth colours that depend on `number`.
inline images::Picture numbered_picture(images::Size size, int number) {
  images::Picture picture;
  picture.reshape(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      std::uint8_t* pixel = picture.row(y) + images::kColours * x;
      pixel[0] = static_cast<std::uint8_t>(4 * x + number);
      pixel[1] = static_cast<std::uint8_t>(4 * y + 3 * number);
      pixel[2] = static_cast<std::uint8_t>(37 * number);
    }
  }
  return picture;
}

inline void write_numbered_jpeg(const std::filesystem::path& path, images::Size size, int number) {
  std::filesystem::create_directories(path.parent_path());
  const auto bytes = images::encode_jpeg(numbered_picture(size, number).view());
  base::write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Writes images of 40x48 pixels: 3 of cat, 3 of dog and 1 of emu in train, 1 of cat and 1 of dog
/// in val.
inline void write_tree(const std::filesystem::path& root) {
  int number = 0;
  for (const char* name : {"train/dog/b.jpg", "train/dog/a.jpg", "train/dog/c.jpeg",
                           "train/cat/1.jpg", "train/cat/2.JPG", "train/cat/3.jpg",
                           "train/emu/x.jpg", "val/cat/1.jpg", "val/dog/1.jpg"}) {
    write_numbered_jpeg(root / name, {40, 48}, ++number);
  }
}

}  // namespace dlscale::test
