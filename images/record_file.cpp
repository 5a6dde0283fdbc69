// SPDX-License-Identifier: Apache-2.0
#include "images/record_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"
#include "contract/run_spec/run_id.hpp"
#include "images/checksum.hpp"
#include "images/class_folders.hpp"
#include "images/record_layout.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& problem) {
  throw base::RunError(
      fmt::format("cannot read {}: {}; copy it again, or make it anew with dlscale pack",
                  path.string(), problem),
      contract::kExitData);
}

/// Whether the parts follow each other and fill the file.
bool is_possible(const RecordHeader& h) {
  constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;
  return is_alignment(h.alignment) && h.records <= kMostRecords && h.index_offset >= h.alignment &&
         h.index_offset % h.alignment == 0 && h.index_offset <= h.file_bytes &&
         h.names_offset == h.index_offset + h.records * sizeof(RecordEntry) &&
         h.names_offset <= h.note_offset && h.note_offset <= h.file_bytes && h.classes > 0 &&
         h.classes <= kMostClasses &&
         h.left_out <= static_cast<std::uint32_t>(std::numeric_limits<int>::max());
}

RecordHeader header_of(const MappedFile& map) {
  const Bytes bytes = map.bytes();
  const auto& path = map.path();
  if (bytes.empty()) refuse(path, "it is empty");
  const std::size_t begin = std::min(bytes.size(), kRecordMagic.size());
  if (!std::equal(kRecordMagic.begin(), kRecordMagic.begin() + begin, bytes.begin(),
                  [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; })) {
    refuse(path, "it is no record file");
  }
  if (bytes.size() < sizeof(RecordHeader)) {
    refuse(path,
           fmt::format("it is cut short: it ends after {} bytes, in its header", bytes.size()));
  }
  const auto header = read_plain<RecordHeader>(bytes);
  if (header.version != kRecordVersion) {
    refuse(path, fmt::format("it has version {} of the format, this dlscale reads version {}",
                             header.version, kRecordVersion));
  }
  if (checksum(checked_part(header)) != header.header_checksum) {
    refuse(path, "its header is damaged: the checksum is wrong");
  }
  if (header.file_bytes != bytes.size()) {
    refuse(path,
           fmt::format("it has {} bytes, but is to have {}", bytes.size(), header.file_bytes));
  }
  if (!is_possible(header)) refuse(path, "its header says what cannot be");
  return header;
}

/// What is wrong with an entry whose record is to begin at `from` or behind; nothing if all is
/// well.
const char* problem_of(const RecordEntry& e, std::uint64_t from, const RecordHeader& h) {
  if (e.offset % h.alignment != 0 || e.offset < from) return "its place cannot be";
  if (e.offset > h.index_offset || e.bytes > h.index_offset - e.offset) {
    return "it does not lie among the records";
  }
  if (e.label >= h.classes) return "its class is none of the file's";
  const auto pixels = static_cast<std::int64_t>(std::uint64_t{e.width} * e.height);
  if (pixels == 0 || e.width > kLongestSide || e.height > kLongestSide || pixels > kMostPixels) {
    return "its size cannot be";
  }
  const auto encoding = static_cast<Encoding>(e.encoding);
  if (encoding == Encoding::raw) {
    return pixels * kColours == std::int64_t{e.bytes} ? nullptr : "its pixels do not fill it";
  }
  const bool is_known = encoding == Encoding::jpeg || encoding == Encoding::png;
  return is_known ? nullptr : "its encoding is unknown";
}

}  // namespace

fs::path record_file_of(const fs::path& root, std::string_view split) {
  return root / (std::string(split) + std::string(kRecordFileEnding));
}

RecordFile::RecordFile(const fs::path& path) : map_(path) {
  const RecordHeader header = header_of(map_);
  const Bytes bytes = map_.bytes();
  const bool is_right = checksum(bytes.subspan(header.index_offset)) == header.end_checksum;
  require_intact();
  if (!is_right) refuse(path, "its index is damaged: the checksum is wrong");
  entries_ = header.records;
  index_offset_ = header.index_offset;
  alignment_ = header.alignment;
  left_out_ = static_cast<int>(header.left_out);
  const std::vector<std::string_view> names = base::lines_of(
      text_of(bytes.subspan(header.names_offset, header.note_offset - header.names_offset)));
  classes_.assign(names.begin(), names.end());
  if (classes_.size() != header.classes) {
    refuse(path, fmt::format("it has the names of {} classes, but is to have {}", classes_.size(),
                             header.classes));
  }
  note_ = text_of(bytes.subspan(header.note_offset));
  std::uint64_t from = header.alignment;
  for (std::size_t i = 0; i < entries_; ++i) {
    const auto e = read_plain<RecordEntry>(bytes.subspan(index_offset_ + i * sizeof(RecordEntry)));
    if (const char* problem = problem_of(e, from, header)) {
      refuse(path, fmt::format("its index is wrong: of record {} {}", i, problem));
    }
    from = e.offset + e.bytes;
  }
  is_checked_ = std::vector<std::atomic<bool>>(entries_);
}

std::string RecordFile::digest() const {
  const std::string digest = contract::sha256_hex(text_of(map_.bytes().subspan(index_offset_)));
  require_intact();
  return digest;
}

RecordEntry RecordFile::index_entry(std::int64_t number) const {
  const std::size_t at = index_offset_ + static_cast<std::size_t>(number) * sizeof(RecordEntry);
  const auto e = read_plain<RecordEntry>(map_.bytes().subspan(at));
  require_intact();
  // It was good when the file was opened, but others may have written into the file since.
  RecordHeader header{};
  header.alignment = alignment_;
  header.index_offset = index_offset_;
  header.classes = static_cast<decltype(header.classes)>(classes_.size());
  if (problem_of(e, 0, header) == nullptr) return e;
  refuse(path(), "it was changed while it was read");
}

Record RecordFile::entry(std::int64_t number) const {
  const RecordEntry e = index_entry(number);
  return {map_.bytes().subspan(e.offset, e.bytes), static_cast<Encoding>(e.encoding),
          static_cast<int>(e.width), static_cast<int>(e.height),
          static_cast<std::uint16_t>(e.label)};
}

Record RecordFile::take(std::int64_t number) const {
  std::atomic<bool>& is_checked = is_checked_[static_cast<std::size_t>(number)];
  if (!is_checked.load(std::memory_order_relaxed)) {
    verify(number);
    is_checked.store(true, std::memory_order_relaxed);
  }
  return entry(number);
}

void RecordFile::verify(std::int64_t number) const {
  const RecordEntry e = index_entry(number);
  const bool is_right = checksum(map_.bytes().subspan(e.offset, e.bytes)) == e.checksum;
  require_intact();
  if (!is_right) throw BrokenPicture("the record is damaged: its checksum is wrong");
}

void RecordFile::will_take(std::int64_t number) const {
  const RecordEntry e = index_entry(number);
  map_.will_read(e.offset, e.bytes);
}

std::string RecordFile::name(std::int64_t number) const {
  return fmt::format("{}: record {} (class {})", path().string(), number,
                     classes_[index_entry(number).label]);
}

void RecordFile::require_intact() const {
  if (map_.is_damaged()) refuse(path(), "it was cut while it was read, or the disk fails");
}

}  // namespace dlscale::images
