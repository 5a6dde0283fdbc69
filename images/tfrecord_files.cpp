// SPDX-License-Identifier: Apache-2.0
// A TFRecord file is a list of records: the length of the data (8 bytes), the masked CRC-32C of the
// length (4 bytes), the data, and the masked CRC-32C of the data (4 bytes).
#include "images/tfrecord_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"
#include "contract/run_spec/run_id.hpp"
#include "images/checksum.hpp"
#include "images/crc32c.hpp"
#include "images/example.hpp"
#include "images/in_order.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kLengthBytes = 8, kChecksumBytes = 4;
constexpr std::uint64_t kHeadBytes = kLengthBytes + kChecksumBytes;
constexpr std::uint64_t kMostRecordBytes = std::uint64_t{1} << 30;
constexpr std::int64_t kMostLabel = 65536;
constexpr std::size_t kShardDigits = 5;
constexpr std::string_view kOf = "-of-";

[[noreturn]] void refuse_file(const fs::path& path, const std::string& problem) {
  throw base::RunError(
      fmt::format("cannot read {}: {}; copy the file again", path.string(), problem),
      contract::kExitData);
}

[[noreturn]] void refuse_at(const fs::path& path, std::uint64_t offset,
                            const std::string& problem) {
  refuse_file(path, fmt::format("byte {}: {}", offset, problem));
}

std::uint32_t number_at(std::span<const std::uint8_t> bytes, std::size_t place) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.subspan(place).data(), sizeof number);
  return number;
}

/// Parts of a shard's name.
struct ShardName {
  std::string split;
  int shard = 0;
  int shards = 0;
};

std::optional<ShardName> parsed(const std::string& name) {
  // <split>-ddddd-of-ddddd
  constexpr std::size_t kEnd = 1 + kShardDigits + kOf.size() + kShardDigits;
  if (name.size() <= kEnd) return std::nullopt;
  const std::string_view end = std::string_view(name).substr(name.size() - kEnd);
  if (end[0] != '-' || end.substr(1 + kShardDigits, kOf.size()) != kOf) return std::nullopt;
  const auto shard = base::number_of<int>(end.substr(1, kShardDigits));
  const auto shards = base::number_of<int>(end.substr(kEnd - kShardDigits));
  if (!shard || !shards || *shard < 0 || *shard >= *shards) return std::nullopt;
  return ShardName{name.substr(0, name.size() - kEnd), *shard, *shards};
}

/// Raises the limit of open files of this process, if the system permits, so that all shards can be
/// open. A data set such as ImageNet has more shards than the usual limit of 1,024 files.
void allow_open_files(std::size_t shards) {
  constexpr std::size_t kOthers = 256;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, 2 * shards + kOthers);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

struct stat status_of(const OpenFile& file, const fs::path& path) {
  if (!file.is_open()) {
    const std::string remedy = errno == EMFILE ? "; raise the limit of open files (ulimit -n)" : "";
    throw base::RunError(
        fmt::format("cannot read {}: {}{}", path.string(), std::strerror(errno), remedy),
        contract::kExitData);
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw base::RunError(fmt::format("cannot read {}: it is not a regular file", path.string()),
                         contract::kExitData);
  }
  return status;
}

/// Builds the index of one shard.
class ShardIndex {
 public:
  ShardIndex(const OpenFile& file, const fs::path& path, std::uint32_t shard)
      : file_(file),
        path_(path),
        shard_(shard),
        file_bytes_(static_cast<std::uint64_t>(status_of(file, path).st_size)) {}

  std::vector<TfrecordEntry> build() {
    std::vector<TfrecordEntry> entries;
    std::uint64_t place = 0;
    // The checksum of a record and the head of the next record are read together.
    std::array<std::uint8_t, kChecksumBytes + kHeadBytes> bytes{};
    const std::span ends(bytes);
    if (file_bytes_ > 0) read_head(0, ends.subspan(kChecksumBytes));
    while (place < file_bytes_) {
      entries.push_back(entry_at(place, ends.subspan(kChecksumBytes)));
      TfrecordEntry& entry = entries.back();
      const std::uint64_t data_end = entry.offset + entry.bytes;
      place = data_end + kChecksumBytes;
      if (place < file_bytes_ && file_bytes_ - place < kHeadBytes) refuse_cut(place);
      read_at(data_end, place < file_bytes_ ? ends : ends.first(kChecksumBytes));
      entry.checksum = number_at(bytes, 0);
    }
    return entries;
  }

 private:
  [[noreturn]] void refuse_cut(std::uint64_t place) const {
    refuse_at(path_, place, fmt::format("the file is cut off: it ends at byte {}", file_bytes_));
  }
  void read_at(std::uint64_t place, std::span<std::uint8_t> to) const {
    if (!file_.read_at(place, to)) {
      refuse_at(path_, place, "it became shorter while it was read, or the disk failed");
    }
  }
  void read_head(std::uint64_t place, std::span<std::uint8_t> head) const {
    if (file_bytes_ - place < kHeadBytes) refuse_cut(place);
    read_at(place, head);
  }

  /// Returns the entry of the record that begins at `place` with the bytes `head`.
  TfrecordEntry entry_at(std::uint64_t place, std::span<const std::uint8_t> head) const {
    if (masked_crc32c(head.first(kLengthBytes)) != number_at(head, kLengthBytes)) {
      const bool is_gzip = place == 0 && head[0] == 0x1f && head[1] == 0x8b;
      refuse_at(path_, place,
                is_gzip ? "the file is compressed with gzip; decompress it first"
                        : "no record begins here: the checksum of its length is wrong");
    }
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, head.data(), sizeof bytes);
    const std::uint64_t left = file_bytes_ - place - kHeadBytes;
    if (left < kChecksumBytes || bytes > left - kChecksumBytes) {
      refuse_at(
          path_, place,
          fmt::format("the record has {} bytes, but the file ends at byte {}", bytes, file_bytes_));
    }
    if (bytes > kMostRecordBytes) {
      refuse_at(path_, place, fmt::format("the record has more than {} bytes", kMostRecordBytes));
    }
    TfrecordEntry entry{
        .offset = place + kHeadBytes, .bytes = static_cast<std::uint32_t>(bytes), .shard = shard_};
    fill(entry, place);
    return entry;
  }

  void fill(TfrecordEntry& entry, std::uint64_t place) const {
    try {
      const ExampleParts parts =
          find_parts(entry.bytes, [&](std::uint64_t offset, std::span<std::uint8_t> to) {
            read_at(entry.offset + offset, to);
          });
      if (parts.label < 0 || parts.label > kMostLabel) {
        refuse_at(path_, place,
                  fmt::format("the record has the label {}; labels are 0 to {}", parts.label,
                              kMostLabel));
      }
      entry.image_begin = static_cast<std::uint32_t>(parts.begin);
      entry.image_bytes = static_cast<std::uint32_t>(parts.bytes);
      entry.label = static_cast<std::uint32_t>(parts.label);
    } catch (const BrokenPicture& broken) {
      refuse_at(path_, place, fmt::format("the record cannot be used: {}", broken.what()));
    }
  }

  const OpenFile& file_;
  const fs::path& path_;
  std::uint32_t shard_;
  std::uint64_t file_bytes_;
};

/// Returns a digest of the names, sizes and modification times of the shards. If a shard changes,
/// the digest changes.
std::string facts_of(const std::vector<std::unique_ptr<const OpenFile>>& files,
                     const std::vector<fs::path>& paths) {
  std::string lines;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const struct stat status = status_of(*files[i], paths[i]);
    lines += fmt::format("{}\t{}\t{}.{:09}\n", paths[i].filename().string(), status.st_size,
                         status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }
  return contract::sha256_hex(lines);
}

// An index file contains the version of its format, the digest from facts_of(), the entries
// and a checksum. Only dlscale reads it, and a file that does not match is built again.

constexpr std::string_view kIndexMagic = "dlscale tfrecord index 1\n";

std::span<const std::uint8_t> bytes_in(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string_view all_bytes(const std::vector<TfrecordEntry>& entries) {
  return {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(TfrecordEntry)};
}

}  // namespace

std::string shard_name(std::string_view split, int shard, int shards) {
  return fmt::format("{}-{:05}{}{:05}", split, shard, kOf, shards);
}

std::string split_of_shard(const fs::path& path) {
  const auto name = parsed(path.filename().string());
  return name ? name->split : "";
}

std::vector<fs::path> find_shards(const fs::path& root, std::string_view split) {
  std::vector<ShardName> found;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    auto name = parsed(it->path().filename().string());
    if (name && name->split == split) found.push_back(std::move(*name));
  }
  if (error) refuse_file(root, error.message());
  std::ranges::sort(found, {}, [](const ShardName& name) { return name.shard; });
  std::vector<fs::path> paths;
  for (const ShardName& name : found) {
    if (name.shards != found[0].shards) {
      throw base::RunError(
          fmt::format("{} contains two sets of TFRecord files: {} and {}; remove one set",
                      root.string(), shard_name(split, found[0].shard, found[0].shards),
                      shard_name(split, name.shard, name.shards)),
          contract::kExitData);
    }
    const auto expected = static_cast<int>(paths.size());
    if (name.shard != expected) {
      refuse_file(root / shard_name(split, expected, name.shards), "the file is missing");
    }
    paths.push_back(root / shard_name(split, name.shard, name.shards));
  }
  if (!found.empty() && static_cast<int>(found.size()) < found[0].shards) {
    refuse_file(root / shard_name(split, static_cast<int>(found.size()), found[0].shards),
                "the file is missing");
  }
  return paths;
}

fs::path index_file_of(const fs::path& root, std::string_view split) {
  return root / fmt::format("{}.tfindex", split);
}

TfrecordFiles::TfrecordFiles(std::vector<fs::path> shards, const fs::path& index)
    : paths_(std::move(shards)) {
  open_shards();
  const std::string facts = index.empty() ? "" : facts_of(files_, paths_);
  has_kept_index_ = !index.empty() && read_index(index, facts);
  if (!has_kept_index_) {
    build_index();
    if (!index.empty()) write_index(index, facts);
  }
  is_checked_ = std::vector<std::atomic<bool>>(entries_.size());
}

void TfrecordFiles::open_shards() {
  allow_open_files(paths_.size());
  for (const fs::path& path : paths_) {
    files_.push_back(std::make_unique<const OpenFile>(path.c_str()));
    file_bytes_ += static_cast<std::uint64_t>(status_of(*files_.back(), path).st_size);
  }
}

/// Several threads read shards at the same time, because the time of a small read on a parallel
/// file system is mostly latency.
void TfrecordFiles::build_index() {
  constexpr int kMostThreads = 8;
  const auto count = static_cast<std::int64_t>(paths_.size());
  const int threads =
      std::clamp(static_cast<int>(std::min<std::int64_t>(count, kMostThreads)), 1, kMostThreads);
  InOrder<std::vector<TfrecordEntry>> indices(count, threads, [&] {
    return [this](std::int64_t number) {
      const auto shard = static_cast<std::size_t>(number);
      return ShardIndex(*files_[shard], paths_[shard], static_cast<std::uint32_t>(shard)).build();
    };
  });
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<TfrecordEntry> of_shard = indices.next();
    entries_.insert(entries_.end(), of_shard.begin(), of_shard.end());
  }
}

bool TfrecordFiles::read_index(const fs::path& index, const std::string& facts) {
  std::string text;
  try {
    if (!fs::exists(index)) return false;
    text = base::read_file(index);
  } catch (const std::exception&) {
    return false;  // the caller then builds the index
  }
  const std::string head = std::string(kIndexMagic) + facts;
  if (!text.starts_with(head) || text.size() < head.size() + kChecksumBytes) return false;
  const std::size_t end = text.size() - kChecksumBytes;
  if ((end - head.size()) % sizeof(TfrecordEntry) != 0) return false;
  if (checksum(bytes_in(text).first(end)) != number_at(bytes_in(text), end)) return false;
  entries_.resize((end - head.size()) / sizeof(TfrecordEntry));
  std::memcpy(entries_.data(), &text[head.size()], end - head.size());
  const bool is_possible = std::ranges::all_of(entries_, [&](const TfrecordEntry& entry) {
    return entry.shard < paths_.size() && entry.label <= kMostLabel &&
           std::uint64_t{entry.image_begin} + entry.image_bytes <= entry.bytes;
  });
  if (!is_possible) entries_.clear();
  return is_possible;
}

void TfrecordFiles::write_index(const fs::path& index, const std::string& facts) const {
  static std::mutex one_at_a_time;  // the threads of a process use the same temporary name
  const std::lock_guard lock(one_at_a_time);
  std::string text = std::string(kIndexMagic) + facts;
  text += all_bytes(entries_);
  const std::uint32_t sum = checksum(bytes_in(text));
  text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  try {
    base::write_file_atomically(index, text);
  } catch (const base::RunError&) {
    // The folder is read-only or full. The next run builds the index again.
  }
}

std::string TfrecordFiles::digest() const {
  std::string lines;
  for (const fs::path& path : paths_) lines += path.filename().string() + "\n";
  for (const TfrecordEntry& entry : entries_) {
    lines += fmt::format("{}\t{}\t{:08x}\n", entry.label, entry.bytes, entry.checksum);
  }
  return contract::sha256_hex(lines);
}

void TfrecordFiles::read(std::int64_t number, std::vector<std::uint8_t>& buffer) const {
  const TfrecordEntry& at = entry(number);
  buffer.resize(at.bytes);
  if (files_[at.shard]->read_at(at.offset, buffer)) return;
  refuse_at(paths_[at.shard], at.offset, "it became shorter while it was read, or the disk failed");
}

std::span<const std::uint8_t> TfrecordFiles::read_image(std::int64_t number,
                                                        std::vector<std::uint8_t>& buffer) const {
  std::atomic<bool>& is_checked = is_checked_[static_cast<std::size_t>(number)];
  if (is_checked.load(std::memory_order_relaxed)) {
    read(number, buffer);
  } else {
    verify(number, buffer);
    is_checked.store(true, std::memory_order_relaxed);
  }
  const TfrecordEntry& at = entry(number);
  return std::span<const std::uint8_t>(buffer).subspan(at.image_begin, at.image_bytes);
}

void TfrecordFiles::verify(std::int64_t number, std::vector<std::uint8_t>& buffer) const {
  read(number, buffer);
  if (masked_crc32c(buffer) != entry(number).checksum) {
    throw BrokenPicture("the record is damaged: its checksum is wrong");
  }
}

void TfrecordFiles::will_read(std::int64_t number) const {
  const TfrecordEntry& at = entry(number);
  ::posix_fadvise(files_[at.shard]->number(), static_cast<off_t>(at.offset), at.bytes,
                  POSIX_FADV_WILLNEED);
}

std::string TfrecordFiles::name(std::int64_t number) const {
  const TfrecordEntry& at = entry(number);
  return fmt::format("{}: the record at byte {}", paths_[at.shard].string(),
                     at.offset - kHeadBytes);
}

}  // namespace dlscale::images
