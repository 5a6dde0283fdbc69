// SPDX-License-Identifier: Apache-2.0
// One image of a record file, as it lies there.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace dlscale::images {

/// How the bytes of a record are to be read; numbers are those in the file.
enum class Encoding : std::uint32_t {
  jpeg = 1,
  png = 2,
  raw = 3,  ///< height x width x (red, green, blue)
};

struct Record {
  std::span<const std::uint8_t> bytes;
  Encoding encoding = Encoding::jpeg;
  int width = 0;  ///< pixels, at least 1
  int height = 0;
  std::uint16_t label = 0;  ///< below the file's number of classes
};

// Private to images/record_*.cpp: the bytes of a record file. docs/record-files.md describes them.

using Bytes = std::span<const std::uint8_t>;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

static_assert(std::endian::native == std::endian::little, "record files are little-endian");

/// No text begins so, and copying as text breaks it.
inline constexpr std::array<char, 8> kRecordMagic{'\x89', 'D', 'L', 'R', 'E', 'C', '\r', '\n'};
inline constexpr std::uint32_t kRecordVersion = 1;

/// The file's first bytes. What follows up to the first record is zeros.
struct RecordHeader {
  std::array<char, 8> magic = kRecordMagic;
  std::uint32_t version = kRecordVersion;
  std::uint32_t alignment = 0;  ///< of records: a power of two
  std::uint64_t records = 0;
  std::uint64_t index_offset = 0;  ///< the index, class names and the note follow each other
  std::uint64_t names_offset = 0;
  std::uint64_t note_offset = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t classes = 0;
  std::uint32_t left_out = 0;
  std::uint32_t end_checksum = 0;     ///< of all from index_offset on
  std::uint32_t header_checksum = 0;  ///< of the bytes before it
};
static_assert(sizeof(RecordHeader) == 72);

/// What the index has of one record.
struct RecordEntry {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t checksum = 0;
  std::uint32_t label = 0;
  std::uint32_t encoding = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
static_assert(sizeof(RecordEntry) == 32);

inline constexpr std::uint32_t kLeastAlignment = 128;  ///< the header has room before a record
inline constexpr std::uint32_t kMostAlignment = 1 << 20;

inline bool is_alignment(std::uint32_t bytes) {
  return std::has_single_bit(bytes) && bytes >= kLeastAlignment && bytes <= kMostAlignment;
}

template <class Plain>
std::span<const std::uint8_t> bytes_of(const Plain& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

/// `bytes` has at least sizeof(Plain).
template <class Plain>
Plain read_plain(std::span<const std::uint8_t> bytes) {
  Plain value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

inline std::span<const std::uint8_t> checked_part(const RecordHeader& header) {
  return bytes_of(header).first(offsetof(RecordHeader, header_checksum));
}

}  // namespace dlscale::images
