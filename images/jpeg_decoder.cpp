// SPDX-License-Identifier: Apache-2.0
#include "images/jpeg_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <string_view>

// libjpeg's headers require <cstdio> to be included first.
#include <jerror.h>
#include <jpeglib.h>

#include "images/decode.hpp"

namespace dlscale::images {
namespace {

constexpr int kInks = 4;         ///< number of inks: cyan, magenta, yellow and black
constexpr int kMostScans = 500;  ///< limit on scans, because more scans can take hours to decode

/// Converts inks to RGB as Pillow's convert("RGB") does. Pillow assumes that the inks of every JPEG
/// file are inverted, because Adobe's programs write inverted inks.
void colours_of_inks(const std::uint8_t* inks, int pixels, std::uint8_t* colours) {
  for (int x = 0; x < pixels; ++x, inks += kInks) {
    const int light = inks[kInks - 1];
    for (int c = 0; c < kColours; ++c) {
      const int taken = ((255 - inks[c]) * light + 127) / 255;
      *colours++ = static_cast<std::uint8_t>(light - taken);
    }
  }
}

/// Throws BrokenPicture if no end-of-image marker follows the offset `scan`, at which the data of
/// the first scan begin. A marker before this offset does not count, because it belongs to a
/// thumbnail. Bytes after the last marker are ignored, because cameras append data there.
void require_end(std::span<const std::uint8_t> bytes, std::size_t scan) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t end = text.rfind("\xff\xd9");
  if (end != text.npos && end >= scan) return;
  throw BrokenPicture("the JPEG data is damaged: it is cut short");
}

}  // namespace

/// State and error handling of libjpeg. libjpeg does not support exceptions. After an error libjpeg
/// returns to guard() by longjmp(), which skips destructors. No object with a destructor may exist
/// between guard() and the failing call.
class JpegDecoder::Session {
 public:
  Session() {
    info.err = jpeg_std_error(&errors_);
    info.client_data = this;
    errors_.error_exit = &on_error;
    errors_.emit_message = &on_message;
    errors_.output_message = [](j_common_ptr) {};
    guard([&] { jpeg_create_decompress(&info); });
    monitor_.progress_monitor = &on_progress;
    info.progress = &monitor_;
  }
  ~Session() { jpeg_destroy_decompress(&info); }

  /// Runs `calls`. Throws BrokenPicture if libjpeg reports an error.
  template <class Calls>
  void guard(const Calls& calls) {
    if (!try_calls(calls)) {
      const std::string problem = message_;
      jpeg_abort_decompress(&info);
      throw BrokenPicture("the JPEG data is damaged: " + problem);
    }
  }

  jpeg_decompress_struct info{};

 private:
  template <class Calls>
  [[gnu::noinline]] bool try_calls(const Calls& calls) {
    if (setjmp(where_) != 0) return false;
    calls();
    return true;
  }
  [[noreturn]] static void on_error(j_common_ptr common) {
    auto* self = static_cast<Session*>(common->client_data);
    common->err->format_message(common, self->message_);
    longjmp(self->where_, 1);
  }
  /// Treats a premature end of the data as an error. Ignores other warnings, because the image can
  /// still be read.
  static void on_message(j_common_ptr common, int level) {
    const int code = common->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) on_error(common);
  }
  static void on_progress(j_common_ptr common) {
    auto* info = reinterpret_cast<j_decompress_ptr>(common);
    if (info->input_scan_number <= kMostScans) return;
    auto* self = static_cast<Session*>(common->client_data);
    std::snprintf(self->message_, sizeof self->message_, "it has more than %d scans", kMostScans);
    longjmp(self->where_, 1);
  }

  jpeg_error_mgr errors_{};
  jpeg_progress_mgr monitor_{};
  std::jmp_buf where_;
  char message_[JMSG_LENGTH_MAX] = {};
};

JpegDecoder::JpegDecoder() : session_(std::make_unique<Session>()) {}
JpegDecoder::~JpegDecoder() = default;

Size JpegDecoder::open(std::span<const std::uint8_t> bytes) {
  jpeg_decompress_struct& info = session_->info;
  jpeg_abort_decompress(&info);
  require_end(bytes, 0);
  session_->guard([&] {
    jpeg_mem_src(&info, bytes.data(), bytes.size());
    jpeg_read_header(&info, TRUE);
  });
  require_end(bytes, bytes.size() - std::min(bytes.size(), info.src->bytes_in_buffer));
  return {static_cast<int>(info.image_height), static_cast<int>(info.image_width)};
}

PictureView JpegDecoder::decode(const Box& part) {
  jpeg_decompress_struct& info = session_->info;
  const bool has_inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  JDIMENSION left = 0, width = 0;
  session_->guard([&] {
    info.out_color_space = has_inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info);
    // Colours at the edges of the decoded columns are computed from fewer pixels than in a decoded
    // whole image. Decoding one more block on each side keeps these edges out of the part.
    const auto block = static_cast<JDIMENSION>(info.max_h_samp_factor * DCTSIZE);
    const auto first = static_cast<JDIMENSION>(part.left);
    left = first - std::min(first, block);
    width = std::min(first + static_cast<JDIMENSION>(part.width) + block, info.output_width) - left;
    if (width < info.output_width) jpeg_crop_scanline(&info, &left, &width);
    if (part.top > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(part.top));
  });
  if (has_inks)
    return inks_to_colours({part.top, part.left - static_cast<int>(left), part.height, part.width});
  pixels_.reshape({part.height, static_cast<int>(width)});
  session_->guard([&] {
    for (int y = 0; y < part.height;) {
      constexpr int kRows = 16;
      JSAMPROW rows[kRows];
      const int count = std::min(kRows, part.height - y);
      for (int i = 0; i < count; ++i) rows[i] = pixels_.row(y + i);
      y += static_cast<int>(jpeg_read_scanlines(&info, rows, static_cast<JDIMENSION>(count)));
    }
  });
  jpeg_abort_decompress(&info);
  return pixels_.view().part({0, part.left - static_cast<int>(left), part.height, part.width});
}

/// Reads `part` and converts its inks to RGB. `part.left` counts from the first decoded column.
PictureView JpegDecoder::inks_to_colours(const Box& part) {
  jpeg_decompress_struct& info = session_->info;
  ink_row_ = std::make_unique_for_overwrite<std::uint8_t[]>(std::size_t{kInks} * info.output_width);
  pixels_.reshape({part.height, part.width});
  session_->guard([&] {
    for (int y = 0; y < part.height; ++y) {
      JSAMPROW row = ink_row_.get();
      while (jpeg_read_scanlines(&info, &row, 1) == 0) continue;
      colours_of_inks(row + std::ptrdiff_t{kInks} * part.left, part.width, pixels_.row(y));
    }
  });
  jpeg_abort_decompress(&info);
  return pixels_.view();
}

}  // namespace dlscale::images
