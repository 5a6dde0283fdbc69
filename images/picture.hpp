// SPDX-License-Identifier: Apache-2.0
// Stores an image of any size in memory, with interleaved 8-bit red, green and blue values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dlscale::images {

inline constexpr int kColours = 3;  ///< bytes per pixel: red, green, blue

/// Height and width of an image in pixels.
struct Size {
  int height = 0;
  int width = 0;
  bool operator==(const Size&) const = default;
};

/// Rectangle of pixels in an image.
struct Box {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;
  bool operator==(const Box&) const = default;
};

/// Returns the box that covers a whole image.
inline Box whole(Size size) {
  return {0, 0, size.height, size.width};
}

/// View of pixels in memory that another object owns. The view has height rows of width x kColours
/// bytes. The first bytes of consecutive rows are row_bytes apart.
struct PictureView {
  const std::uint8_t* pixels = nullptr;
  int height = 0;
  int width = 0;
  std::ptrdiff_t row_bytes = 0;

  Size size() const { return {height, width}; }
  const std::uint8_t* row(int y) const { return pixels + y * row_bytes; }
  /// Returns the view of `part`, which must lie within this view.
  PictureView part(const Box& part) const {
    return {row(part.top) + std::ptrdiff_t{kColours} * part.left, part.height, part.width,
            row_bytes};
  }
};

/// Image with memory that is reused for the next image.
class Picture {
 public:
  /// Changes the size of the image. Rows have no gaps. The values of the pixels are undefined
  /// afterwards.
  void reshape(Size size) {
    const auto bytes = std::size_t{kColours} * static_cast<std::size_t>(size.height) *
                       static_cast<std::size_t>(size.width);
    if (bytes > capacity_) {
      pixels_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
      capacity_ = bytes;
    }
    size_ = size;
  }
  Size size() const { return size_; }
  std::ptrdiff_t row_bytes() const { return std::ptrdiff_t{kColours} * size_.width; }
  std::uint8_t* row(int y) { return pixels_.get() + y * row_bytes(); }
  PictureView view() const { return {pixels_.get(), size_.height, size_.width, row_bytes()}; }

 private:
  std::unique_ptr<std::uint8_t[]> pixels_;
  std::size_t capacity_ = 0;
  Size size_;
};

}  // namespace dlscale::images
