// SPDX-License-Identifier: Apache-2.0
// Data set of images in TFRecord files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "images/tfrecord_files.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/picture_files.hpp"

namespace dlscale::trainer {

/// Images in selected records of TFRecord files, in the order of the files.
class TfrecordPictures : public PictureSource {
 public:
  /// Makes a source in which sample i is the record `records[i]` of `files`.
  TfrecordPictures(std::shared_ptr<const images::TfrecordFiles> files,
                   std::vector<std::int64_t> records);
  std::unique_ptr<PictureReader> make_reader() const override;
  /// Returns a text such as "FILE: the record at byte 1234".
  std::string name(std::int64_t sample) const override;
  std::string remedy() const override { return "copy the file again"; }
  void will_read(std::span<const std::int64_t> samples) const override;

 private:
  std::int64_t record_of(std::int64_t sample) const {
    return records_[static_cast<std::size_t>(sample)];
  }

  std::shared_ptr<const images::TfrecordFiles> files_;
  std::vector<std::int64_t> records_;
};

/// Loads the TFRecord files path/train-* and the first of path/validation-*, path/val-* and
/// path/test-* that exist, like DatasetEntry::load. Labels are numbered from 0 if a training record
/// has the label 0, and from 1 otherwise. If spec.image_size is 0, decodes all images into memory.
Dataset load_tfrecord_images(const contract::DatasetSpec& spec);

}  // namespace dlscale::trainer
