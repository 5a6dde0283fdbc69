// SPDX-License-Identifier: Apache-2.0
#include "images/decode.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "images/encode.hpp"

using namespace dlscale;
using namespace dlscale::images;

namespace {

std::string bytes_of(const std::string& name) {
  return base::read_file(DLSCALE_SOURCE_DIR "/tests/data/images/" + name);
}

std::span<const std::uint8_t> span_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

using Pixels = std::vector<std::uint8_t>;

Pixels copied(PictureView view) {
  Pixels pixels;
  for (int y = 0; y < view.height; ++y) {
    pixels.insert(pixels.end(), view.row(y), view.row(y) + kColours * view.width);
  }
  return pixels;
}

Pixels decoded(Decoder& decoder, const std::string& bytes) {
  return copied(decoder.decode(whole(decoder.open(span_of(bytes)))));
}

std::string error_of(const std::string& bytes) {
  Decoder decoder;
  try {
    decoded(decoder, bytes);
  } catch (const BrokenPicture& broken) {
    return broken.what();
  }
  return "no error";
}

/// Returns a random part of an image of the given size.
Box any_part(Size size, std::mt19937& random) {
  const int height = 1 + static_cast<int>(random() % size.height);
  const int width = 1 + static_cast<int>(random() % size.width);
  return {static_cast<int>(random() % (size.height - height + 1)),
          static_cast<int>(random() % (size.width - width + 1)), height, width};
}

/// Returns the bytes of one.png with another image size in the IHDR chunk.
std::string with_png_size(std::uint32_t height, std::uint32_t width) {
  std::string bytes = bytes_of("one.png");
  for (int i = 0; i < 4; ++i) {
    bytes[16 + i] = static_cast<char>(width >> (24 - 8 * i));
    bytes[20 + i] = static_cast<char>(height >> (24 - 8 * i));
  }
  return bytes;
}

}  // namespace

TEST_CASE("a decoded part has the pixels of the whole image") {
  std::mt19937 random(1);
  Decoder decoder;
  for (const char* name : {"420.jpg", "422.jpg", "444.jpg", "progressive.jpg", "grey.jpg",
                           "cmyk.jpg", "rgb.png", "interlaced.png"}) {
    const std::string bytes = bytes_of(name);
    const Size size = decoder.open(span_of(bytes));
    const Pixels all = copied(decoder.decode(whole(size)));
    const PictureView picture{all.data(), size.height, size.width, kColours * size.width};
    for (int i = 0; i < 200; ++i) {
      decoder.open(span_of(bytes));
      const Box part = any_part(size, random);
      INFO(name << " " << part.top << " " << part.left << " " << part.height << " " << part.width);
      REQUIRE(copied(decoder.decode(part)) == copied(picture.part(part)));
    }
  }
}

TEST_CASE("a decoder decodes the next image after a broken image") {
  Decoder decoder;
  const std::string good = bytes_of("420.jpg");
  const Pixels wanted = decoded(decoder, good);
  for (const std::string& bad : {good.substr(0, 300), good.substr(0, 3000),
                                 bytes_of("rgb.png").substr(0, 99), std::string("no picture")}) {
    CHECK_THROWS_AS(decoded(decoder, bad), BrokenPicture);
    CHECK(decoded(decoder, good) == wanted);
  }
}

TEST_CASE("every truncated image is an error and not a crash") {
  for (const char* name : {"exif.jpg", "progressive.jpg", "palette.png", "interlaced.png"}) {
    const std::string bytes = bytes_of(name);
    // A PNG file counts as cut if it ends before its 12-byte end chunk. A JPEG file counts as cut
    // if it ends before its last two bytes.
    for (std::size_t size = 0; size + 12 < bytes.size(); size += 7) {
      INFO(name << " cut to " << size);
      CHECK(error_of(bytes.substr(0, size)) != "no error");
    }
  }
}

TEST_CASE("changed bytes give an image or an error") {
  std::mt19937 random(2);
  for (const char* name : {"420.jpg", "progressive.jpg", "cmyk.jpg", "rgb.png", "palette.png"}) {
    const std::string good = bytes_of(name);
    int errors = 0;
    for (int i = 0; i < 200; ++i) {
      std::string bad = good;
      for (int k = 0; k < 4; ++k) bad[random() % bad.size()] = static_cast<char>(random());
      errors += error_of(bad) != "no error" ? 1 : 0;
    }
    CHECK(errors > 0);
  }
}

TEST_CASE("empty, unknown, truncated and too large images are reported") {
  CHECK(error_of("") == "it is empty");
  CHECK(error_of("GIF89a") == "neither a JPEG nor a PNG file");
  CHECK(error_of(bytes_of("rgb.png").substr(0, 200)) == "the PNG data is damaged: it is cut short");
  CHECK(error_of(bytes_of("420.jpg").substr(0, 200)) ==
        "the JPEG data is damaged: it is cut short");
  CHECK(error_of(with_png_size(20'000, 20'000)) ==
        "it has 20000x20000 pixels; at most 178956970 are supported, 65500 per side");
  CHECK(error_of(with_png_size(65'501, 1)) ==
        "it has 65501x1 pixels; at most 178956970 are supported, 65500 per side");
  CHECK(error_of(with_png_size(0, 1)) == "it has no pixels");
  CHECK_THAT(error_of(with_png_size(1, 20'000)), Catch::StartsWith("the PNG data is damaged: "));
}

TEST_CASE("a long JPEG of one row or one column is decoded") {
  constexpr int kLong = 20'000;
  Decoder decoder;
  for (const Size size : {Size{1, kLong}, Size{kLong, 1}}) {
    Picture picture;
    picture.reshape(size);
    // Each grey level covers 40 pixels, because JPEG preserves constant blocks of 8 pixels.
    for (int i = 0; i < kColours * kLong; ++i) {
      picture.row(0)[i] = static_cast<std::uint8_t>(i / (40 * kColours) % 200);
    }
    const auto bytes = encode_jpeg(picture.view());
    REQUIRE(decoder.open(bytes) == size);
    const PictureView all = decoder.decode(whole(size));
    REQUIRE(all.size() == size);
    const Pixels pixels = copied(all);
    for (const int i : {20, 10'020, 19'980}) {
      CHECK(std::abs(pixels[static_cast<std::size_t>(kColours * i)] - i / 40 % 200) <= 3);
    }
    decoder.open(bytes);
    const Box part = size.height == 1 ? Box{0, 19'000, 1, 900} : Box{19'000, 0, 900, 1};
    CHECK(copied(decoder.decode(part)) ==
          Pixels(pixels.begin() + kColours * 19'000, pixels.begin() + kColours * 19'900));
  }
}

TEST_CASE("a JPEG with libjpeg warnings is read unless pixels are missing") {
  const std::string good = bytes_of("exif.jpg");
  const auto with = [&](const char* marker) {
    std::string bytes = good;
    return bytes.insert(bytes.rfind(marker), "abc");
  };
  Decoder decoder;
  const Pixels wanted = decoded(decoder, good);
  for (const char* marker : {"\xff\xdb", "\xff\xd9"}) {
    CHECK(decoded(decoder, with(marker)) == wanted);
  }
  CHECK(error_of(good.substr(0, good.size() - 20) + "\xff\xd9") ==
        "the JPEG data is damaged: Corrupt JPEG data: premature end of data segment");
  std::string tables = with("\xff\xc0");
  for (std::size_t at; (at = tables.find("\xff\xdb")) != tables.npos;) tables[at + 1] = '\xe5';
  CHECK_THAT(error_of(tables), Catch::Contains("the JPEG data is damaged: Quantization table"));
}

TEST_CASE("data after the end of a JPEG is ignored") {
  Decoder decoder;
  const std::string good = bytes_of("444.jpg");
  const Pixels wanted = decoded(decoder, good);
  for (const std::string more : {"more", "\xff\xd8\xff\xda", "\xff\xd9 video \xff\xda"}) {
    CHECK(decoded(decoder, good + more) == wanted);
  }
}

TEST_CASE("a PNG of one pixel is decoded, and data after its end is ignored") {
  Decoder decoder;
  CHECK(decoder.open(span_of(bytes_of("one.png"))) == Size{1, 1});
  CHECK(decoded(decoder, bytes_of("one.png")).size() == 3);
  CHECK(decoded(decoder, bytes_of("one.png") + "more") == decoded(decoder, bytes_of("one.png")));
}
