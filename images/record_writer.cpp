// SPDX-License-Identifier: Apache-2.0
#include "images/record_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "images/checksum.hpp"
#include "images/class_folders.hpp"
#include "images/record_layout.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void require_possible(const RecordFileHead& head) {
  if (!is_alignment(head.alignment)) {
    throw base::UsageError(
        fmt::format("records cannot be aligned to {} bytes; the alignment must be a power of "
                    "two from {} to {}",
                    head.alignment, kLeastAlignment, kMostAlignment));
  }
  if (head.classes.empty() || head.classes.size() > kMostClasses) {
    throw base::UsageError(fmt::format("a record file must have 1 to {} classes (got {})",
                                       kMostClasses, head.classes.size()));
  }
  for (const std::string& name : head.classes) {
    if (name.find('\n') == name.npos) continue;
    throw base::UsageError(
        fmt::format("the class {} has a line break in its name; rename its folder",
                    name.substr(0, name.find('\n'))));
  }
}

/// Appends zeros up to the next multiple of `alignment`.
void align(base::PartFile& file, std::uint32_t alignment) {
  static constexpr std::array<char, 4096> kZeros{};
  std::uint64_t missing = (alignment - file.size() % alignment) % alignment;
  while (missing > 0) {
    const std::size_t piece = std::min<std::uint64_t>(missing, kZeros.size());
    file.append({kZeros.data(), piece});
    missing -= piece;
  }
}

RecordFileHead possible(RecordFileHead head) {
  require_possible(head);
  return head;
}

}  // namespace

RecordWriter::RecordWriter(fs::path path, RecordFileHead head)
    : head_(possible(std::move(head))), part_(std::move(path)) {
  // Space for the header, which finish() writes.
  part_.append(as_text(bytes_of(RecordHeader{.magic = {}})));
}

void RecordWriter::append(const Record& record) {
  if (record.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw base::RunError(
        fmt::format("a record must have at most 4 GiB (got {} bytes)", record.bytes.size()));
  }
  align(part_, head_.alignment);
  const RecordEntry entry{.offset = part_.size(),
                          .bytes = static_cast<std::uint32_t>(record.bytes.size()),
                          .checksum = checksum(record.bytes),
                          .label = record.label,
                          .encoding = static_cast<std::uint32_t>(record.encoding),
                          .width = static_cast<std::uint32_t>(record.width),
                          .height = static_cast<std::uint32_t>(record.height)};
  index_ += as_text(bytes_of(entry));
  part_.append(as_text(record.bytes));
  ++records_;
}

void RecordWriter::finish(int left_out) {
  align(part_, head_.alignment);
  RecordHeader header{.alignment = head_.alignment,
                      .records = records_,
                      .index_offset = part_.size(),
                      .classes = static_cast<std::uint32_t>(head_.classes.size()),
                      .left_out = static_cast<std::uint32_t>(left_out)};
  std::string names;
  for (const std::string& name : head_.classes) names += name + "\n";
  header.names_offset = header.index_offset + index_.size();
  header.note_offset = header.names_offset + names.size();
  header.file_bytes = header.note_offset + head_.note.size();
  for (const std::string_view text :
       {std::string_view(index_), std::string_view(names), std::string_view(head_.note)}) {
    header.end_checksum = checksum(bytes_of_text(text), header.end_checksum);
    part_.append(text);
  }
  header.header_checksum = checksum(checked_part(header));
  part_.write(as_text(bytes_of(header)), 0);
  // The file is written to the disk before it is renamed, so that a power failure leaves no
  // incomplete file at `path`.
  part_.flush();
  part_.take_its_name();
}

}  // namespace dlscale::images
