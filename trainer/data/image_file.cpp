// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/image_file.hpp"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "trainer/data/data_file.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::string_view kJpegBegin = "\xff\xd8\xff";
constexpr std::string_view kPngBegin = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kColours = 3;
constexpr std::size_t kInks = 4;  ///< cyan, magenta, yellow and black

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

std::vector<std::uint8_t> pixels_of(std::size_t values, int height, int width) {
  return std::vector<std::uint8_t>(values * static_cast<std::size_t>(height) *
                                   static_cast<std::size_t>(width));
}

/// As Pillow's convert("RGB"), which takes the inks of every JPEG file for inverted, as Adobe's
/// programs write them.
std::vector<std::uint8_t> colours_of_inks(const std::vector<std::uint8_t>& inks) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(inks.size() / kInks * kColours);
  for (std::size_t i = 0; i < inks.size(); i += kInks) {
    const int light = inks[i + kInks - 1];
    for (std::size_t c = 0; c < kColours; ++c) {
      const int taken = ((255 - inks[i + c]) * light + 127) / 255;
      rgb.push_back(static_cast<std::uint8_t>(light - taken));
    }
  }
  return rgb;
}

/// Whether what libjpeg has said is a warning and no pixel is missing. It says the first thing
/// alone, or the error that it has ended with; so the end of the picture is looked for here.
bool is_harmless(tjhandle decoder, const std::string& bytes) {
  constexpr std::array<std::string_view, 4> kWarnings{
      "Corrupt JPEG data", "Unknown Adobe color transform", "Inconsistent progression sequence",
      "Invalid SOS parameters"};
  if (tjGetErrorCode(decoder) != TJERR_WARNING) return false;
  const std::string_view said = tjGetErrorStr2(decoder);
  const bool has_end = bytes.find("\xff\xd9", bytes.rfind("\xff\xda")) != bytes.npos;
  return has_end && said.find("premature end") == said.npos &&
         std::ranges::any_of(kWarnings, [&](auto warning) { return said.starts_with(warning); });
}

Picture read_jpeg(const DataFile& file, const std::string& bytes) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto require = [&](int result) {
    if (result == 0 || is_harmless(decoder.get(), bytes)) return;
    file.fail(std::string("the JPEG data is damaged: ") + tjGetErrorStr2(decoder.get()));
  };
  int width = 0, height = 0, subsampling = 0, space = 0;
  require(tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &subsampling,
                              &space));
  const bool has_inks = space == TJCS_CMYK || space == TJCS_YCCK;
  std::vector<std::uint8_t> pixels = pixels_of(has_inks ? kInks : kColours, height, width);
  require(tjDecompress2(decoder.get(), data, bytes.size(), pixels.data(), width, 0, height,
                        has_inks ? TJPF_CMYK : TJPF_RGB, 0));
  return planar(height, width, has_inks ? colours_of_inks(pixels) : pixels);
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
  std::vector<std::uint8_t> rgb = pixels_of(kColours, height, width);
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
