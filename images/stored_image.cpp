// SPDX-License-Identifier: Apache-2.0
#include "images/stored_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::images {
namespace {

constexpr std::uint8_t kJpegBegin = 0xff;

Encoding encoding_of(const std::vector<std::uint8_t>& file) {
  return file.front() == kJpegBegin ? Encoding::jpeg : Encoding::png;
}

std::vector<std::uint8_t> pixels_of(const PictureView& picture) {
  const std::ptrdiff_t row_bytes = std::ptrdiff_t{kColours} * picture.width;
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(row_bytes) * static_cast<std::size_t>(picture.height));
  for (int y = 0; y < picture.height; ++y) {
    pixels.insert(pixels.end(), picture.row(y), picture.row(y) + row_bytes);
  }
  return pixels;
}

}  // namespace

StoredForm stored_form(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view kind = text.substr(0, colon);
  StoredForm form{.is_raw = kind == "raw"};
  bool is_good = form.is_raw || kind == "jpeg";
  if (is_good && colon < text.size()) {
    form.shorter_side = base::number_of<int>(text.substr(colon + 1)).value_or(0);
    is_good = form.shorter_side > 0 && form.shorter_side <= kLongestSide;
  }
  if (is_good) return form;
  throw base::UsageError(
      fmt::format("images cannot be stored as \"{}\"; use jpeg (files unchanged), jpeg:256 (scaled "
                  "to a shorter side of 256), raw:256 (scaled, stored as pixels) or raw (pixels)",
                  text));
}

std::string to_string(const StoredForm& form) {
  const char* kind = form.is_raw ? "raw" : "jpeg";
  return form.shorter_side == 0 ? kind : fmt::format("{}:{}", kind, form.shorter_side);
}

StoredImage ImageStorer::store(std::vector<std::uint8_t> file) {
  const Size size = decoder_.open(file);
  PictureView picture = decoder_.decode(whole(size));
  const bool is_scaled =
      form_.shorter_side > 0 && std::min(size.height, size.width) > form_.shorter_side;
  const Encoding encoding = encoding_of(file);
  const bool stays = encoding == Encoding::jpeg || form_.shorter_side == 0;
  if (!form_.is_raw && !is_scaled && stays) return {std::move(file), encoding, size};
  if (is_scaled) picture = resizer_.resize(picture, with_shorter_side(size, form_.shorter_side));
  if (form_.is_raw) return {pixels_of(picture), Encoding::raw, picture.size()};
  return {encode_jpeg(picture, form_.quality), Encoding::jpeg, picture.size()};
}

}  // namespace dlscale::images
