// SPDX-License-Identifier: Apache-2.0
// Reads and writes images as protocol buffers of the type tf.train.Example, which are the records
// of TFRecord files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dlscale::images {

// The keys and values of an Example are those of TensorFlow's scripts for ImageNet
// (build_imagenet_data.py).

/// Image with its label, as written to an Example.
struct ImageExample {
  std::span<const std::uint8_t> encoded;  ///< bytes of a JPEG or PNG file
  std::string_view format = "JPEG";       ///< "JPEG" or "PNG"
  int height = 0;
  int width = 0;
  std::int64_t label = 0;  ///< class number; TensorFlow's scripts number classes from 1
  std::string_view class_name = {};
  std::string_view filename = {};
};

/// Returns a serialised Example with the features image/encoded, image/format, image/height,
/// image/width, image/class/label, image/class/text and image/filename.
std::string serialised(const ImageExample& example);

/// Position of the image in a serialised Example, and its label.
struct ExampleParts {
  std::uint64_t begin = 0;  ///< offset of the encoded image in the Example
  std::uint64_t bytes = 0;  ///< length of the encoded image
  std::int64_t label = 0;
};

/// Function that reads bytes of a serialised Example from `offset` on. Throws if they cannot be
/// read.
using ReadExample = std::function<void(std::uint64_t offset, std::span<std::uint8_t> to)>;

/// Finds image/encoded and image/class/label in a serialised Example of `size` bytes. Reads small
/// pieces and not the image. Throws BrokenPicture if the bytes are no Example or if a feature is
/// missing.
ExampleParts find_parts(std::uint64_t size, const ReadExample& read);

}  // namespace dlscale::images
