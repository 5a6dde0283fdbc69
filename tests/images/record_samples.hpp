// SPDX-License-Identifier: Apache-2.0
// Small record file and its bytes for tests with damaged content.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "images/checksum.hpp"
#include "images/record_layout.hpp"
#include "images/record_writer.hpp"

namespace dlscale::test {

/// Writes four records with the alternating classes cat and dog: three raw images of 2x1, 3x1 and
/// 4x1 pixels, and one record marked as JPEG. The bytes of record i are 16 i, 16 i + 1, ….
inline void write_records(const std::filesystem::path& path, std::uint32_t alignment = 128) {
  images::RecordWriter writer(
      path, {.classes = {"cat", "dog"}, .note = "made by a test\n", .alignment = alignment});
  for (std::uint8_t i = 0; i < 4; ++i) {
    std::vector<std::uint8_t> bytes;
    const int height = 2 + i;
    for (std::uint8_t k = 0; k < 3 * height; ++k) {
      bytes.push_back(static_cast<std::uint8_t>(16 * i + k));
    }
    const auto encoding = i < 3 ? images::Encoding::raw : images::Encoding::jpeg;
    writer.append({bytes, encoding, 1, height, static_cast<std::uint16_t>(i % 2)});
  }
  writer.finish(5);
}

/// Content of a record file, with functions that read and change the header and the entries.
struct RecordBytes {
  explicit RecordBytes(const std::filesystem::path& path) : text(base::read_file(path)) {}

  images::RecordHeader header() const {
    images::RecordHeader header;
    std::memcpy(&header, text.data(), sizeof header);
    return header;
  }
  images::RecordEntry entry(std::size_t number) const {
    images::RecordEntry entry;
    std::memcpy(&entry, &text[place_of(number)], sizeof entry);
    return entry;
  }
  /// Overwrites the header or an entry. The checksums are wrong until mend_checksums() is called.
  void put(const images::RecordHeader& header) { std::memcpy(text.data(), &header, sizeof header); }
  void put(std::size_t number, const images::RecordEntry& entry) {
    std::memcpy(&text[place_of(number)], &entry, sizeof entry);
  }
  void mend_checksums() {
    images::RecordHeader head = header();
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    if (head.index_offset <= bytes.size()) {
      head.end_checksum = images::checksum(bytes.subspan(head.index_offset));
    }
    head.header_checksum = images::checksum(images::checked_part(head));
    put(head);
  }

  std::string text;

 private:
  std::size_t place_of(std::size_t number) const {
    return header().index_offset + number * sizeof(images::RecordEntry);
  }
};

}  // namespace dlscale::test
