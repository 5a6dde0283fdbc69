// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/image_file.hpp"

#include <png.h>
#include <turbojpeg.h>

#include <memory>
#include <string_view>

#include "trainer/data/data_file.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::string_view kJpegBegin = "\xff\xd8\xff";
constexpr std::string_view kPngBegin = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kColours = 3;

/// Colours beside each other to planes.
Picture planar(int height, int width, const std::vector<std::uint8_t>& rgb) {
  Picture picture{height, width, std::vector<std::uint8_t>(rgb.size())};
  const std::size_t plane = rgb.size() / kColours;
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < kColours; ++c) {
      picture.pixels[c * plane + i] = rgb[i * kColours + c];
    }
  }
  return picture;
}

std::vector<std::uint8_t> colours_of(int height, int width) {
  return std::vector<std::uint8_t>(kColours * static_cast<std::size_t>(height) *
                                   static_cast<std::size_t>(width));
}

/// Warnings (a file that ends early) are errors as well: what is missing would be grey.
Picture read_jpeg(const DataFile& file, const std::string& bytes) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, space = 0;
  if (tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &subsampling,
                          &space) != 0) {
    file.fail(std::string("the JPEG data is damaged: ") + tjGetErrorStr2(decoder.get()));
  }
  std::vector<std::uint8_t> rgb = colours_of(height, width);
  if (tjDecompress2(decoder.get(), data, bytes.size(), rgb.data(), width, 0, height, TJPF_RGB, 0) !=
      0) {
    file.fail(std::string("the JPEG data is damaged: ") + tjGetErrorStr2(decoder.get()));
  }
  return planar(height, width, rgb);
}

Picture read_png(const DataFile& file, const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto require = [&](int good) {
    if (good != 0 && image.warning_or_error == 0) return;
    const std::string problem = image.message;
    png_image_free(&image);
    file.fail("the PNG data is damaged: " + problem);
  };
  require(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()));
  image.format = PNG_FORMAT_RGB;
  const int height = static_cast<int>(image.height), width = static_cast<int>(image.width);
  std::vector<std::uint8_t> rgb = colours_of(height, width);
  const png_color black{};
  require(png_image_finish_read(&image, &black, rgb.data(), 0, nullptr));
  return planar(height, width, rgb);
}

}  // namespace

Picture read_picture(const std::filesystem::path& path) {
  DataFile file(path);
  const std::string bytes = file.text();
  if (bytes.starts_with(kJpegBegin)) return read_jpeg(file, bytes);
  if (bytes.starts_with(kPngBegin)) return read_png(file, bytes);
  file.fail(bytes.empty() ? "it is empty" : "neither a JPEG nor a PNG file");
}

}  // namespace dlscale::trainer
