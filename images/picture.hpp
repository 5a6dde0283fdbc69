// SPDX-License-Identifier: Apache-2.0
// A picture of any size in memory: 8-bit red, green and blue of each pixel beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dlscale::images {

inline constexpr int kColours = 3;  ///< bytes of a pixel: red, green, blue

struct Size {
  int height = 0;
  int width = 0;
  bool operator==(const Size&) const = default;
};

/// A rectangle of a picture's pixels.
struct Box {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;
  bool operator==(const Box&) const = default;
};

/// The whole of a picture.
inline Box whole(Size size) {
  return {0, 0, size.height, size.width};
}

/// Pixels that lie in somebody else's memory: height rows of width x kColours bytes, the first
/// bytes of rows row_bytes apart.
struct PictureView {
  const std::uint8_t* pixels = nullptr;
  int height = 0;
  int width = 0;
  std::ptrdiff_t row_bytes = 0;

  Size size() const { return {height, width}; }
  const std::uint8_t* row(int y) const { return pixels + y * row_bytes; }
  /// `part` must lie within.
  PictureView part(const Box& part) const {
    return {row(part.top) + std::ptrdiff_t{kColours} * part.left, part.height, part.width,
            row_bytes};
  }
};

/// Memory for a picture, kept for the next one.
class Picture {
 public:
  /// Gives it this size, rows without gaps; its pixels are then anything.
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
