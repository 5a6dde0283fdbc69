// SPDX-License-Identifier: Apache-2.0
#include "images/encode.hpp"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>

// libjpeg's header requires <cstdio> to be included first.
#include <jpeglib.h>

#include "base/error.hpp"

namespace dlscale::images {
namespace {

/// Error handler of libjpeg and its state. libjpeg does not support exceptions and leaves a failed
/// call by longjmp().
struct Errors {
  jpeg_error_mgr manager;
  std::jmp_buf where;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave(j_common_ptr common) {
  auto* errors = reinterpret_cast<Errors*>(common->err);
  common->err->format_message(common, errors->message);
  std::longjmp(errors->where, 1);
}

struct Output {
  unsigned char* data = nullptr;
  unsigned long size = 0;
};

void compress(jpeg_compress_struct& info, const PictureView& picture, int quality, Output& out) {
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &out.data, &out.size);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.input_components = kColours;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  // Huffman codes that are optimised for the image make the file a few percent smaller.
  info.optimize_coding = TRUE;
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < picture.height; ++y) {
    JSAMPROW row = const_cast<JSAMPROW>(picture.row(y));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
}

/// Compresses an image and returns whether this succeeded. No object with a destructor may exist
/// between the setjmp() call and the failing call, because longjmp() skips destructors.
[[gnu::noinline]] bool try_compress(Errors& errors, const PictureView& picture, int quality,
                                    Output& out) {
  jpeg_compress_struct info{};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = &leave;
  const bool is_good = setjmp(errors.where) == 0;
  if (is_good) compress(info, picture, quality, out);
  jpeg_destroy_compress(&info);
  return is_good;
}

}  // namespace

std::vector<std::uint8_t> encode_jpeg(const PictureView& picture, int quality) {
  Errors errors{};
  Output out;
  const bool is_good = try_compress(errors, picture, quality, out);
  const std::unique_ptr<unsigned char, void (*)(void*)> owner(out.data, &std::free);
  if (is_good) return {out.data, out.data + out.size};
  throw base::RunError(fmt::format("an image of {}x{} pixels cannot be encoded as JPEG: {}",
                                   picture.height, picture.width, errors.message));
}

}  // namespace dlscale::images
