// SPDX-License-Identifier: Apache-2.0
// Reads images by number from the TFRecord files (shards) of one split.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/decode.hpp"
#include "images/open_file.hpp"

namespace dlscale::images {

/// Returns the name of a shard, such as "train-00003-of-00128". `shard` counts from 0.
std::string shard_name(std::string_view split, int shard, int shards);

/// Returns the split in the name of a shard, for example "train". Returns an empty text if `path`
/// is not the name of a shard.
std::string split_of_shard(const std::filesystem::path& path);

/// Returns all shards of the split in `root`, in the order of their numbers. Returns an empty list
/// if there are none. Throws base::RunError (contract::kExitData) if a shard is missing, or if the
/// folder contains two sets of shards of the split.
std::vector<std::filesystem::path> find_shards(const std::filesystem::path& root,
                                               std::string_view split);

/// Record of a TFRecord file with an image.
struct TfrecordEntry {
  std::uint64_t offset = 0;       ///< offset of the record's data in its file
  std::uint32_t bytes = 0;        ///< length of the data
  std::uint32_t checksum = 0;     ///< masked CRC-32C of the data, as stored in the file
  std::uint32_t image_begin = 0;  ///< offset of the encoded image in the data
  std::uint32_t image_bytes = 0;
  std::uint32_t label = 0;  ///< image/class/label
  std::uint32_t shard = 0;  ///< index into TfrecordFiles::shards()
};

/// TFRecord files that are open for reading, and the index of their records. The records are
/// tf.train.Example messages with image/encoded and image/class/label, as TensorFlow's scripts for
/// ImageNet write them. Several threads may call all functions at the same time. Functions throw
/// base::RunError (contract::kExitData) with the name of the file and the offset if a file is
/// invalid.
class TfrecordFiles {
 public:
  /// Opens the shards. Builds the index by reading the length and the label of each record, and
  /// checks the checksums of the lengths. If `index` is not empty, it is the path of a file that
  /// keeps the index: the constructor reads it if it belongs to these shards, and otherwise tries
  /// to write it. An index that cannot be written is ignored.
  explicit TfrecordFiles(std::vector<std::filesystem::path> shards,
                         const std::filesystem::path& index = {});

  const std::vector<std::filesystem::path>& shards() const { return paths_; }
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  std::uint64_t file_bytes() const { return file_bytes_; }
  const TfrecordEntry& entry(std::int64_t number) const {
    return entries_[static_cast<std::size_t>(number)];
  }
  /// Returns the SHA-256 of the names of the shards and of the label, length and checksum of each
  /// record.
  std::string digest() const;
  /// Returns true if the index was read from its file.
  bool has_kept_index() const { return has_kept_index_; }

  /// Reads a record into `buffer` and returns the bytes of its image. Compares the checksum when a
  /// record is first read. Throws BrokenPicture if the checksum is wrong. Throws base::RunError if
  /// the file has become shorter or cannot be read.
  std::span<const std::uint8_t> read_image(std::int64_t number,
                                           std::vector<std::uint8_t>& buffer) const;
  /// Reads a record into `buffer` and compares its checksum in every call. Throws as read_image()
  /// does.
  void verify(std::int64_t number, std::vector<std::uint8_t>& buffer) const;
  /// Asks the system to prefetch a record that read_image() will soon read, and returns
  /// immediately.
  void will_read(std::int64_t number) const;
  /// Returns the name of a record for messages: "FILE: the record at byte 1234".
  std::string name(std::int64_t number) const;

 private:
  void open_shards();
  void read(std::int64_t number, std::vector<std::uint8_t>& buffer) const;
  void build_index();
  bool read_index(const std::filesystem::path& index, const std::string& facts);
  void write_index(const std::filesystem::path& index, const std::string& facts) const;

  std::vector<std::filesystem::path> paths_;
  std::vector<std::unique_ptr<const OpenFile>> files_;
  std::uint64_t file_bytes_ = 0;
  std::vector<TfrecordEntry> entries_;
  bool has_kept_index_ = false;
  /// For each record, true if its checksum is verified.
  mutable std::vector<std::atomic<bool>> is_checked_;
};

/// Returns the path of the file that keeps the index of a split: root/<split>.tfindex.
std::filesystem::path index_file_of(const std::filesystem::path& root, std::string_view split);

}  // namespace dlscale::images
