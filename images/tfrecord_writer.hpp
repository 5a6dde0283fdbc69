// SPDX-License-Identifier: Apache-2.0
// Writes the images of a split to TFRecord files (shards).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "images/example.hpp"

namespace dlscale::images {

/// Writer that distributes images among shards. Each shard gets its name when it is complete. If
/// the writer is destroyed before finish(), it removes the shards that it wrote. Because the name
/// of a shard states the number of shards, a set that a killed process left incomplete is never
/// read.
class TfrecordWriter {
 public:
  /// Writes to folder/<split>-00000-of-<shards>, and so on. `images` is the number of images that
  /// append() may receive.
  TfrecordWriter(std::filesystem::path folder, std::string split, std::int64_t images, int shards);
  ~TfrecordWriter();
  TfrecordWriter(const TfrecordWriter&) = delete;
  TfrecordWriter& operator=(const TfrecordWriter&) = delete;

  /// Appends image `number` of the split, counted from 0. Numbers must increase, and may be left
  /// out. Shard s of S contains the images from images * s / S to images * (s + 1) / S - 1. Throws
  /// base::RunError if the file cannot be written.
  void append(std::int64_t number, const ImageExample& image);
  /// Completes all shards.
  void finish();

 private:
  void begin_shard();
  void end_shard();

  std::filesystem::path folder_;
  std::string split_;
  std::int64_t images_;
  int shards_;
  std::unique_ptr<base::PartFile> part_;         ///< shard that is being written
  std::vector<std::filesystem::path> complete_;  ///< shards that have their names
};

/// Returns the bytes of a TFRecord file's record with `data`.
std::string tfrecord(std::string_view data);

}  // namespace dlscale::images
