// SPDX-License-Identifier: Apache-2.0
#include "images/record_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
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
      fmt::format("cannot read {}: {}; copy it again or rebuild it with dlscale pack",
                  path.string(), problem),
      contract::kExitData);
}

/// Returns whether the values in the header are possible. Records, index, class names and note must
/// follow each other within the file.
bool is_possible(const RecordHeader& h) {
  constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;
  return is_alignment(h.alignment) && h.records <= kMostRecords && h.index_offset >= h.alignment &&
         h.index_offset % h.alignment == 0 && h.index_offset <= h.file_bytes &&
         h.names_offset == h.index_offset + h.records * sizeof(RecordEntry) &&
         h.names_offset <= h.note_offset && h.note_offset <= h.file_bytes && h.classes > 0 &&
         h.classes <= kMostClasses &&
         h.left_out <= static_cast<std::uint32_t>(std::numeric_limits<int>::max());
}

[[noreturn]] void refuse_cut(const fs::path& path) {
  refuse(path, "it became shorter while it was read, or the disk failed");
}

[[noreturn]] void fail(const fs::path& path, const std::string& problem) {
  throw base::RunError(fmt::format("cannot read {}: {}", path.string(), problem),
                       contract::kExitData);
}

/// Returns the size of an open file in bytes.
std::uint64_t size_of(const OpenFile& file, const fs::path& path) {
  if (!file.is_open()) fail(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    fail(path, "it is not a regular file");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

RecordHeader header_of(const OpenFile& file, std::uint64_t file_bytes, const fs::path& path) {
  if (file_bytes == 0) refuse(path, "it is empty");
  std::array<std::uint8_t, sizeof(RecordHeader)> bytes{};
  const auto there = std::min<std::uint64_t>(file_bytes, bytes.size());
  if (!file.read_at(0, std::span(bytes).first(there))) refuse_cut(path);
  const auto begin = static_cast<std::ptrdiff_t>(std::min<std::size_t>(there, kRecordMagic.size()));
  if (!std::equal(kRecordMagic.begin(), kRecordMagic.begin() + begin, bytes.begin(),
                  [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; })) {
    refuse(path, "it is not a record file");
  }
  if (there < bytes.size()) {
    refuse(path, fmt::format("it is cut short: it ends after {} bytes, in its header", there));
  }
  const auto header = read_plain<RecordHeader>(bytes);
  if (header.version != kRecordVersion) {
    refuse(path, fmt::format("it has version {} of the format, but this dlscale reads version {}",
                             header.version, kRecordVersion));
  }
  if (checksum(checked_part(header)) != header.header_checksum) {
    refuse(path, "its header is damaged: the checksum is wrong");
  }
  if (header.file_bytes != file_bytes) {
    refuse(path,
           fmt::format("it has {} bytes, but its header gives {}", file_bytes, header.file_bytes));
  }
  if (!is_possible(header)) refuse(path, "its header contains impossible values");
  return header;
}

/// Returns the problem of an index entry whose record must begin at `from` or later. Returns
/// nullptr if the entry is valid.
const char* problem_of(const RecordEntry& e, std::uint64_t from, const RecordHeader& h) {
  if (e.offset % h.alignment != 0 || e.offset < from) return "the offset is impossible";
  if (e.offset > h.index_offset || e.bytes > h.index_offset - e.offset) {
    return "the data lies outside the record area";
  }
  if (e.label >= h.classes) return "the file has no such class";
  const auto pixels = static_cast<std::int64_t>(std::uint64_t{e.width} * e.height);
  if (pixels == 0 || e.width > kLongestSide || e.height > kLongestSide || pixels > kMostPixels) {
    return "the image size is impossible";
  }
  const auto encoding = static_cast<Encoding>(e.encoding);
  if (encoding == Encoding::raw) {
    return pixels * kColours == std::int64_t{e.bytes} ? nullptr
                                                      : "the length does not match the image size";
  }
  const bool is_known = encoding == Encoding::jpeg || encoding == Encoding::png;
  return is_known ? nullptr : "the encoding is unknown";
}

}  // namespace

fs::path record_file_of(const fs::path& root, std::string_view split) {
  return root / (std::string(split) + std::string(kRecordFileEnding));
}

RecordFile::RecordFile(const fs::path& path)
    : path_(path), file_(path.c_str()), file_bytes_(size_of(file_, path)) {
  const RecordHeader header = header_of(file_, file_bytes_, path);
  std::vector<std::uint8_t> end(file_bytes_ - header.index_offset);
  if (!file_.read_at(header.index_offset, end)) refuse_cut(path);
  if (checksum(end) != header.end_checksum) {
    refuse(path, "its index is damaged: the checksum is wrong");
  }
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return as_text(Bytes(end).subspan(from - header.index_offset, to - from));
  };
  digest_ = contract::sha256_hex(as_text(end));
  alignment_ = header.alignment;
  left_out_ = static_cast<int>(header.left_out);
  const std::vector<std::string_view> names =
      base::lines_of(part(header.names_offset, header.note_offset));
  classes_.assign(names.begin(), names.end());
  if (classes_.size() != header.classes) {
    refuse(path, fmt::format("it has the names of {} classes, but its header gives {}",
                             classes_.size(), header.classes));
  }
  note_ = part(header.note_offset, file_bytes_);
  entries_.resize(header.records);
  std::memcpy(entries_.data(), end.data(), entries_.size() * sizeof(RecordEntry));
  std::uint64_t from = header.alignment;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const RecordEntry& e = entries_[i];
    if (const char* problem = problem_of(e, from, header)) {
      refuse(path, fmt::format("its index is wrong: record {}: {}", i, problem));
    }
    from = e.offset + e.bytes;
  }
  is_checked_ = std::vector<std::atomic<bool>>(entries_.size());
}

Record RecordFile::entry(std::int64_t number) const {
  const RecordEntry& e = index_entry(number);
  return {{},
          static_cast<Encoding>(e.encoding),
          static_cast<int>(e.width),
          static_cast<int>(e.height),
          static_cast<std::uint16_t>(e.label)};
}

void RecordFile::read(const RecordEntry& entry, std::vector<std::uint8_t>& buffer) const {
  buffer.resize(entry.bytes);
  if (!file_.read_at(entry.offset, buffer)) refuse_cut(path_);
}

Record RecordFile::read_record(std::int64_t number, std::vector<std::uint8_t>& buffer) const {
  std::atomic<bool>& is_checked = is_checked_[static_cast<std::size_t>(number)];
  if (is_checked.load(std::memory_order_relaxed)) {
    read(index_entry(number), buffer);
  } else {
    verify(number, buffer);
    is_checked.store(true, std::memory_order_relaxed);
  }
  Record record = entry(number);
  record.bytes = buffer;
  return record;
}

void RecordFile::verify(std::int64_t number, std::vector<std::uint8_t>& buffer) const {
  const RecordEntry& e = index_entry(number);
  read(e, buffer);
  if (checksum(buffer) != e.checksum) {
    throw BrokenPicture("the record is damaged: its checksum is wrong");
  }
}

void RecordFile::will_take(std::int64_t number) const {
  const RecordEntry& e = index_entry(number);
  ::posix_fadvise(file_.number(), static_cast<off_t>(e.offset), e.bytes, POSIX_FADV_WILLNEED);
}

std::string RecordFile::name(std::int64_t number) const {
  return fmt::format("{}: record {} (class {})", path_.string(), number,
                     classes_[index_entry(number).label]);
}

}  // namespace dlscale::images
