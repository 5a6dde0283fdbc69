// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/compressed_text.hpp"

#include <zstd.h>

#include <algorithm>
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

/// Decompresses with a filter of Boost's.
template <class Decompressor>
bool pass_through(std::string_view bytes, const TakeBytes& take) {
  try {
    Input input;
    input.push(Decompressor());
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

struct TakingSink {
  using char_type = char;
  using category = io::sink_tag;
  const TakeBytes& take;
  bool wants_more = true;

  std::streamsize write(const char* text, std::streamsize size) {
    wants_more = wants_more && take(std::string_view(text, static_cast<std::size_t>(size)));
    return size;
  }
};

/// gzip accepts zeros behind the last member: devices with blocks of one size pad files. Boost's
/// decompressor takes the first of them for another member's header. A member may end with zeros of
/// its own, so that only the decompressor knows where the padding begins.
bool pass_gzip(std::string_view bytes, const TakeBytes& take) {
  const std::size_t last_zeros = bytes.find_last_not_of('\0') + 1;
  io::gzip_decompressor gzip;
  TakingSink sink{take};
  const auto write = [&](std::string_view piece) {
    gzip.write(sink, piece.data(), static_cast<std::streamsize>(piece.size()));
  };
  try {
    for (std::size_t at = 0; at < last_zeros && sink.wants_more; at += kBlock) {
      write(bytes.substr(at, std::min(kBlock, last_zeros - at)));
    }
    for (std::size_t at = last_zeros; at < bytes.size() && sink.wants_more; ++at) {
      try {
        write(bytes.substr(at, 1));
      } catch (const io::gzip_error& error) {
        if (error.error() != io::gzip::bad_header) throw;
        return true;  // no header begins with a zero
      }
    }
    if (sink.wants_more) gzip.close(sink, std::ios_base::out);
    return true;
  } catch (const std::ios_base::failure&) {
    return false;
  }
}

struct Compression {
  std::string_view name;
  bool (*recognises)(std::string_view bytes);
  bool (*pass)(std::string_view bytes, const TakeBytes& take);  ///< as decompress()
  bool (*is_whole)(std::string_view bytes) = nullptr;  ///< null: the decompressor finds out
};

constexpr Compression kCompressions[] = {
    {"gzip", &is_gzip, &pass_gzip},
    {"xz", &is_xz, &pass_through<io::lzma_decompressor>},
    {"bzip2", &is_bzip2, &pass_through<io::bzip2_decompressor>},
    {"zstd", &is_zstd, &pass_through<io::zstd_decompressor>, &has_whole_frames},
};

const Compression* find_compression(std::string_view bytes) {
  for (const Compression& compression : kCompressions) {
    if (compression.recognises(bytes)) return &compression;
  }
  return nullptr;
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
  return is_whole && compression->pass(bytes, take);
}

bool decompress_head(std::string_view bytes, std::size_t wanted, const TakeBytes& take) {
  const Compression* const compression = find_compression(bytes);
  if (compression == nullptr) return false;
  std::size_t passed = 0;
  const bool is_good = compression->pass(bytes, [&](std::string_view block) {
    passed += block.size();
    return take(block) && passed < wanted;
  });
  const bool is_at_end = passed < wanted && compression->is_whole != nullptr;
  return is_good && (!is_at_end || compression->is_whole(bytes));
}

}  // namespace dlscale::analysis
