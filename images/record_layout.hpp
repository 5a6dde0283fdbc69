// SPDX-License-Identifier: Apache-2.0
// Defines an image of a record file and the binary layout of record files.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace dlscale::images {

/// Encoding of the bytes of a record. The numbers are the values in the file.
enum class Encoding : std::uint32_t {
  jpeg = 1,
  png = 2,
  raw = 3,  ///< pixels in the order height x width x (red, green, blue)
};

/// Image in a record file.
struct Record {
  std::span<const std::uint8_t> bytes;
  Encoding encoding = Encoding::jpeg;
  int width = 0;  ///< width in pixels, at least 1
  int height = 0;
  std::uint16_t label = 0;  ///< class number, below the number of classes in the file
};

// The definitions below are private to images/record_*.cpp and describe the bytes of a record file.
// docs/record-files.md explains the format.

using Bytes = std::span<const std::uint8_t>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

static_assert(std::endian::native == std::endian::little, "record files are little-endian");

/// Magic number at the start of a record file. No text file begins with these bytes. A transfer of
/// the file in text mode changes these bytes, so the damage is detected.
inline constexpr std::array<char, 8> kRecordMagic{'\x89', 'D', 'L', 'R', 'E', 'C', '\r', '\n'};
inline constexpr std::uint32_t kRecordVersion = 1;

/// Header at the beginning of a record file. Zeros fill the space between the header and the first
/// record.
struct RecordHeader {
  std::array<char, 8> magic = kRecordMagic;
  std::uint32_t version = kRecordVersion;
  std::uint32_t alignment = 0;  ///< alignment of records in bytes, a power of two
  std::uint64_t records = 0;
  std::uint64_t index_offset = 0;  ///< offset of the index, before the class names and the note
  std::uint64_t names_offset = 0;
  std::uint64_t note_offset = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t classes = 0;
  std::uint32_t left_out = 0;
  std::uint32_t end_checksum = 0;     ///< checksum of all bytes from index_offset on
  std::uint32_t header_checksum = 0;  ///< checksum of the header bytes before this field
};
static_assert(sizeof(RecordHeader) == 72);

/// Entry of the index for one record.
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

/// Smallest alignment that leaves room for the header.
inline constexpr std::uint32_t kLeastAlignment = 128;
inline constexpr std::uint32_t kMostAlignment = 1 << 20;

inline bool is_alignment(std::uint32_t bytes) {
  return std::has_single_bit(bytes) && bytes >= kLeastAlignment && bytes <= kMostAlignment;
}

template <class Plain>
std::span<const std::uint8_t> bytes_of(const Plain& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

/// Returns the value in the first sizeof(Plain) bytes of `bytes`, which must have at least this
/// length.
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
