// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/import/compressed_text.hpp"

#include <zstd.h>

#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <string>

namespace dlscale::analysis {
namespace {

namespace io = boost::iostreams;
using Input = io::filtering_streambuf<io::input>;
using std::string_view_literals::operator""sv;

constexpr std::size_t kBlock = std::size_t{64} << 10;

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b\x08"sv);
}

bool is_xz(std::string_view bytes) {
  return bytes.starts_with("\xfd\x37zXZ\0"sv);
}

/// The level, then a block (its magic number is pi's digits) or the end of a stream without one.
bool is_bzip2(std::string_view bytes) {
  if (!bytes.starts_with("BZh") || bytes.size() < 10 || bytes[3] < '1' || bytes[3] > '9') {
    return false;
  }
  const std::string_view next = bytes.substr(4, 6);
  return next == "\x31\x41\x59\x26\x53\x59"sv || next == "\x17\x72\x45\x38\x50\x90"sv;
}

/// A frame, or a skippable frame, which pzstd begins with (RFC 8878, 3.1).
bool is_zstd(std::string_view bytes) {
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  const bool is_skippable = bytes.size() >= 4 && bytes.substr(1, 3) == "\x2a\x4d\x18"sv;
  return is_skippable && (static_cast<unsigned char>(bytes[0]) & 0xf0U) == 0x50;
}

/// Boost's decompressor takes the end of the file for the end of a frame.
bool has_whole_frames(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    if (ZSTD_isError(size) != 0 || size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

struct Compression {
  std::string_view name;
  bool (*recognises)(std::string_view bytes);
  void (*push)(Input& input);
  bool (*is_whole)(std::string_view bytes) = nullptr;  ///< null: the decompressor finds out
};

constexpr Compression kCompressions[] = {
    {"gzip", &is_gzip, [](Input& input) { input.push(io::gzip_decompressor()); }},
    {"xz", &is_xz, [](Input& input) { input.push(io::lzma_decompressor()); }},
    {"bzip2", &is_bzip2, [](Input& input) { input.push(io::bzip2_decompressor()); }},
    {"zstd", &is_zstd, [](Input& input) { input.push(io::zstd_decompressor()); },
     &has_whole_frames},
};

const Compression* find_compression(std::string_view bytes) {
  for (const Compression& compression : kCompressions) {
    if (compression.recognises(bytes)) return &compression;
  }
  return nullptr;
}

bool pass(const Compression& compression, std::string_view bytes, const TakeBytes& take) {
  try {
    Input input;
    compression.push(input);
    input.push(io::array_source(bytes.data(), bytes.size()));
    std::string block(kBlock, '\0');
    for (;;) {
      const std::streamsize size = input.sgetn(block.data(), std::streamsize{kBlock});
      if (size <= 0) return true;
      if (!take(std::string_view(block).substr(0, static_cast<std::size_t>(size)))) return true;
    }
  } catch (const std::ios_base::failure&) {  // which all errors of these decompressors are
    return false;
  }
}

}  // namespace

std::string_view compression_of(std::string_view bytes) {
  const Compression* const compression = find_compression(bytes);
  return compression == nullptr ? std::string_view() : compression->name;
}

bool decompress(std::string_view bytes, const TakeBytes& take) {
  const Compression* const compression = find_compression(bytes);
  if (compression == nullptr) return false;
  const bool is_whole = compression->is_whole == nullptr || compression->is_whole(bytes);
  return is_whole && pass(*compression, bytes, take);
}

bool decompress_head(std::string_view bytes, std::size_t wanted, const TakeBytes& take) {
  const Compression* const compression = find_compression(bytes);
  if (compression == nullptr) return false;
  std::size_t passed = 0;
  const bool is_good = pass(*compression, bytes, [&](std::string_view block) {
    passed += block.size();
    return take(block) && passed < wanted;
  });
  const bool is_at_end = passed < wanted && compression->is_whole != nullptr;
  return is_good && (!is_at_end || compression->is_whole(bytes));
}

}  // namespace dlscale::analysis
