// SPDX-License-Identifier: Apache-2.0
// Data sets of pictures in record files, one for each split.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "images/record_file.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/picture_files.hpp"

namespace dlscale::trainer {

/// Some records of a file, in their order.
class PackedPictures : public PictureSource {
 public:
  /// Sample i is record `records[i]`; all records in their order where this is empty.
  PackedPictures(std::shared_ptr<const images::RecordFile> file, std::vector<std::int64_t> records);
  std::unique_ptr<PictureReader> make_reader() const override;
  /// "FILE: record 17 (class cat)"
  std::string name(std::int64_t sample) const override;
  std::string remedy() const override { return "pack its folder anew (dlscale pack --force)"; }
  void will_read(std::span<const std::int64_t> samples) const override;

 private:
  std::int64_t record_of(std::int64_t sample) const {
    return records_.empty() ? sample : records_[static_cast<std::size_t>(sample)];
  }

  std::shared_ptr<const images::RecordFile> file_;
  std::vector<std::int64_t> records_;
};

/// path/train.dlrec and path/val.dlrec, normalised as ImageNet. As DatasetEntry::load. The data
/// set's digest is that of both files' indices, which have the checksums of all records.
Dataset load_packed_images(const contract::DatasetSpec& spec);

}  // namespace dlscale::trainer
