// SPDX-License-Identifier: Apache-2.0
#include "images/record_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
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

using Bytes = std::span<const std::uint8_t>;

Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void require_possible(const RecordFileHead& head) {
  if (!is_alignment(head.alignment)) {
    throw base::UsageError(
        fmt::format("records cannot be aligned to {} bytes: a power of two from "
                    "{} to {} is needed",
                    head.alignment, kLeastAlignment, kMostAlignment));
  }
  if (head.classes.empty() || head.classes.size() > kMostClasses) {
    throw base::UsageError(fmt::format("a record file has 1 to {} classes, not {}", kMostClasses,
                                       head.classes.size()));
  }
  for (const std::string& name : head.classes) {
    if (name.find('\n') == name.npos) continue;
    throw base::UsageError(
        fmt::format("the class {} has a line break in its name; rename its folder",
                    name.substr(0, name.find('\n'))));
  }
}

}  // namespace

/// A file that grows under another name, and is removed unless it gets its own.
class RecordWriter::PartFile {
 public:
  explicit PartFile(fs::path path)
      : path_(std::move(path)), part_(fmt::format("{}.part{}", path_.string(), ::getpid())) {
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail();
  }
  ~PartFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!part_.empty()) ::unlink(part_.c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  void append(Bytes bytes) {
    write(bytes, size_);
    size_ += bytes.size();
  }
  /// Zeros up to the next multiple.
  void align(std::uint32_t alignment) {
    static constexpr std::array<std::uint8_t, 4096> kZeros{};
    std::uint64_t missing = (alignment - size_ % alignment) % alignment;
    while (missing > 0) {
      const std::size_t piece = std::min<std::uint64_t>(missing, kZeros.size());
      append(Bytes(kZeros).first(piece));
      missing -= piece;
    }
  }
  void write(Bytes bytes, std::uint64_t offset) const {
    while (!bytes.empty()) {
      const ssize_t n =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
  }
  void name() {
    // A file with its name is whole, after a power cut as well.
    if (::fdatasync(descriptor_) != 0) fail();
    if (::rename(part_.c_str(), path_.c_str()) != 0) fail();
    part_.clear();
  }

 private:
  [[noreturn]] void fail() const {
    throw base::RunError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }

  fs::path path_;
  std::string part_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

RecordWriter::RecordWriter(fs::path path, RecordFileHead head) : head_(std::move(head)) {
  require_possible(head_);
  part_ = std::make_unique<PartFile>(std::move(path));
  part_->append(bytes_of(RecordHeader{.magic = {}}));  // its place; filled when all is known
}

RecordWriter::~RecordWriter() = default;

void RecordWriter::append(const Record& record) {
  if (record.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw base::RunError(
        fmt::format("a record has at most 4 GiB, not {} bytes", record.bytes.size()));
  }
  part_->align(head_.alignment);
  const RecordEntry entry{.offset = part_->size(),
                          .bytes = static_cast<std::uint32_t>(record.bytes.size()),
                          .checksum = checksum(record.bytes),
                          .label = record.label,
                          .encoding = static_cast<std::uint32_t>(record.encoding),
                          .width = static_cast<std::uint32_t>(record.width),
                          .height = static_cast<std::uint32_t>(record.height)};
  const Bytes bytes = bytes_of(entry);
  index_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  part_->append(record.bytes);
  ++records_;
}

void RecordWriter::finish(int left_out) {
  part_->align(head_.alignment);
  RecordHeader header{.alignment = head_.alignment,
                      .records = records_,
                      .index_offset = part_->size(),
                      .classes = static_cast<std::uint32_t>(head_.classes.size()),
                      .left_out = static_cast<std::uint32_t>(left_out)};
  std::string names;
  for (const std::string& name : head_.classes) names += name + "\n";
  header.names_offset = header.index_offset + index_.size();
  header.note_offset = header.names_offset + names.size();
  header.file_bytes = header.note_offset + head_.note.size();
  for (const std::string* text :
       {&std::as_const(index_), &std::as_const(names), &std::as_const(head_.note)}) {
    header.end_checksum = checksum(bytes_of_text(*text), header.end_checksum);
    part_->append(bytes_of_text(*text));
  }
  header.header_checksum = checksum(checked_part(header));
  part_->write(bytes_of(header), 0);
  part_->name();
}

}  // namespace dlscale::images
