// SPDX-License-Identifier: Apache-2.0
#include "images/decode.hpp"

#include <fmt/format.h>

#include <string_view>

#include "images/jpeg_decoder.hpp"
#include "images/png_decoder.hpp"

namespace dlscale::images {
namespace {

constexpr std::string_view kJpegBegin = "\xff\xd8\xff";
constexpr std::string_view kPngBegin = "\x89PNG\r\n\x1a\n";

void require_size(Size size) {
  const std::int64_t pixels = std::int64_t{size.height} * size.width;
  if (size.height < 1 || size.width < 1) throw BrokenPicture("it has no pixels");
  if (size.height <= kLongestSide && size.width <= kLongestSide && pixels <= kMostPixels) return;
  throw BrokenPicture(fmt::format("it has {}x{} pixels; at most {} are supported, {} per side",
                                  size.height, size.width, kMostPixels, kLongestSide));
}

}  // namespace

class Decoder::Memory {
 public:
  JpegDecoder jpeg;
  PngDecoder png;
  bool is_jpeg = false;
};

Decoder::Decoder() : memory_(std::make_unique<Memory>()) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Size Decoder::open(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  memory_->is_jpeg = text.starts_with(kJpegBegin);
  if (!memory_->is_jpeg && !text.starts_with(kPngBegin)) {
    throw BrokenPicture(text.empty() ? "it is empty" : "neither a JPEG nor a PNG file");
  }
  const Size size = memory_->is_jpeg ? memory_->jpeg.open(bytes) : memory_->png.open(bytes);
  require_size(size);
  return size;
}

PictureView Decoder::decode(const Box& part) {
  return memory_->is_jpeg ? memory_->jpeg.decode(part) : memory_->png.decode(part);
}

}  // namespace dlscale::images
