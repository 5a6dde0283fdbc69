// SPDX-License-Identifier: Apache-2.0
#include "images/png_decoder.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "images/decode.hpp"

namespace dlscale::images {
namespace {

/// Number of bytes of the signature and of the length, name, width and height of the IHDR chunk.
constexpr std::size_t kHeaderBytes = 24;
constexpr std::string_view kEnd("IEND\xae\x42\x60\x82", 8);

int big_endian(const std::uint8_t* bytes) {
  const std::uint32_t value = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                              std::uint32_t{bytes[2]} << 8 | bytes[3];
  return static_cast<int>(std::min<std::uint32_t>(value, 0x7fffffff));
}

/// State and error handling of libpng. After an error libpng returns to guard() by longjmp(), which
/// skips destructors. No object with a destructor may exist between guard() and the failing call.
class Session {
 public:
  explicit Session(std::span<const std::uint8_t> bytes) : left_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &on_error, [](auto, auto) {});
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~Session() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Reads the header and requests 8-bit RGB without transparency. Returns the number of passes
  /// over the rows: 1, or more for interlaced images.
  int begin() {
    int passes = 0;
    guard([&] {
      png_set_user_limits(png_, kLongestSide, kLongestSide);
      png_set_read_fn(png_, this, &on_read);
      png_read_info(png_, info_);
      png_set_expand(png_);
      png_set_strip_16(png_);
      png_set_strip_alpha(png_);
      png_set_gray_to_rgb(png_);
      passes = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      if (png_get_rowbytes(png_, info_) != kColours * png_get_image_width(png_, info_)) {
        png_error(png_, "the pixels of the image cannot be converted to RGB");
      }
    });
    return passes;
  }
  /// Reads one row. In every pass after the first, `row` must contain the bytes that the previous
  /// pass wrote.
  void read_row(std::uint8_t* row) {
    guard([&] { png_read_row(png_, row, nullptr); });
  }

 private:
  template <class Calls>
  void guard(const Calls& calls) {
    if (!try_calls(calls)) throw BrokenPicture(std::string("the PNG data is damaged: ") + message_);
  }
  template <class Calls>
  [[gnu::noinline]] bool try_calls(const Calls& calls) {
    if (setjmp(where_) != 0) return false;
    calls();
    return true;
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<Session*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    std::longjmp(self->where_, 1);
  }
  static void on_read(png_structp png, png_bytep out, std::size_t count) {
    auto* self = static_cast<Session*>(png_get_io_ptr(png));
    if (count > self->left_.size()) png_error(png, "it is cut short");
    std::memcpy(out, self->left_.data(), count);
    self->left_ = self->left_.subspan(count);
  }

  std::span<const std::uint8_t> left_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf where_;
  char message_[200] = {};
};

}  // namespace

Size PngDecoder::open(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (bytes.size() < kHeaderBytes || text.rfind(kEnd) == text.npos) {
    throw BrokenPicture("the PNG data is damaged: it is cut short");
  }
  bytes_ = bytes;
  return {big_endian(&bytes[20]), big_endian(&bytes[16])};
}

PictureView PngDecoder::decode(const Box& part) {
  Session session(bytes_);
  const int width = big_endian(&bytes_[16]), height = big_endian(&bytes_[20]);
  const int passes = session.begin();
  if (passes > 1) {
    pixels_.reshape({height, width});
    for (int pass = 0; pass < passes; ++pass) {
      for (int y = 0; y < height; ++y) session.read_row(pixels_.row(y));
    }
    return pixels_.view().part(part);
  }
  // All rows above the part are written to the first row of the part and then overwritten.
  pixels_.reshape({part.height, width});
  for (int y = 0; y < part.top + part.height; ++y) {
    session.read_row(pixels_.row(std::max(0, y - part.top)));
  }
  return pixels_.view().part({0, part.left, part.height, part.width});
}

}  // namespace dlscale::images
