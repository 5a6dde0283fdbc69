// SPDX-License-Identifier: Apache-2.0
// Data sets of images in record files, with one record file per split.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "images/record_file.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/picture_files.hpp"

namespace dlscale::trainer {

/// Images in selected records of a record file, in file order.
class PackedPictures : public PictureSource {
 public:
  /// Makes a source in which sample i is the record `records[i]` of `file`. If `records` is empty,
  /// the source contains all records in file order.
  PackedPictures(std::shared_ptr<const images::RecordFile> file, std::vector<std::int64_t> records);
  std::unique_ptr<PictureReader> make_reader() const override;
  /// Returns a text such as "FILE: record 17 (class cat)".
  std::string name(std::int64_t sample) const override;
  std::string remedy() const override { return "pack its folder again (dlscale pack --force)"; }
  void will_read(std::span<const std::int64_t> samples) const override;

 private:
  std::int64_t record_of(std::int64_t sample) const {
    return records_.empty() ? sample : records_[static_cast<std::size_t>(sample)];
  }

  std::shared_ptr<const images::RecordFile> file_;
  std::vector<std::int64_t> records_;
};

/// Loads path/train.dlrec and path/val.dlrec, like DatasetEntry::load. The images are normalised
/// with the statistics of ImageNet. The digest of the data set is computed from the indices of both
/// files, which contain the checksums of all records.
Dataset load_packed_images(const contract::DatasetSpec& spec);

}  // namespace dlscale::trainer
