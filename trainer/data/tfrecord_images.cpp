// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/tfrecord_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "contract/run_spec/run_id.hpp"
#include "images/class_folders.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/image_tree.hpp"
#include "trainer/data/record_selection.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

class TfrecordReader : public PictureReader {
 public:
  TfrecordReader(const images::TfrecordFiles& files, const std::vector<std::int64_t>& records)
      : files_(files), records_(records) {}

  images::Size open(std::int64_t sample) override {
    image_ = files_.read_image(records_[static_cast<std::size_t>(sample)], record_);
    bytes_read_ += static_cast<std::int64_t>(record_.size());
    return decoder_.open(image_);
  }
  images::PictureView decode(const images::Box& part) override { return decoder_.decode(part); }
  std::span<const std::uint8_t> encoded() const override { return image_; }
  std::int64_t bytes_read() const override { return bytes_read_; }

 private:
  const images::TfrecordFiles& files_;
  const std::vector<std::int64_t>& records_;
  std::vector<std::uint8_t> record_;     ///< data of the current record
  std::span<const std::uint8_t> image_;  ///< image in the current record
  images::Decoder decoder_;
  std::int64_t bytes_read_ = 0;
};

using Files = std::shared_ptr<const images::TfrecordFiles>;

Files open_first(const fs::path& root, std::initializer_list<const char*> splits) {
  for (const char* split : splits) {
    std::vector<fs::path> shards = images::find_shards(root, split);
    if (shards.empty()) continue;
    auto files = std::make_shared<const images::TfrecordFiles>(std::move(shards),
                                                               images::index_file_of(root, split));
    if (files->size() > 0) return files;
    refuse_data(
        fmt::format("the TFRecord files {} contain no record", (root / split).string() + "-*"));
  }
  refuse_data(fmt::format(
      "{} has no TFRecord files such as {}; create them with: dlscale pack FOLDER -o {} --format "
      "tfrecord, where FOLDER contains the images in class folders",
      root.string(), images::shard_name(*splits.begin(), 0, 1), root.string()));
}

/// Returns the class numbers of all records, from 0. `first` is the label of class 0.
std::vector<std::uint16_t> labels_of(const images::TfrecordFiles& files, std::int64_t first,
                                     std::int64_t classes) {
  std::vector<std::uint16_t> labels;
  for (std::int64_t i = 0; i < files.size(); ++i) {
    const std::int64_t label = std::int64_t{files.entry(i).label} - first;
    if (label < 0 || label >= classes) {
      refuse_data(
          fmt::format("cannot read {}: it has the label {}, but the labels of the training "
                      "set are {} to {}",
                      files.name(i), label + first, first, first + classes - 1));
    }
    labels.push_back(static_cast<std::uint16_t>(label));
  }
  return labels;
}

std::shared_ptr<const PictureSource> pictures_in(const Files& files,
                                                 std::vector<std::int64_t> records) {
  return std::make_shared<const TfrecordPictures>(files, std::move(records));
}

Split all_records(const Files& files, std::vector<std::uint16_t> labels) {
  std::vector<std::int64_t> records(labels.size());
  std::iota(records.begin(), records.end(), 0);
  Split split;
  split.labels = std::move(labels);
  split.pictures = pictures_in(files, std::move(records));
  return split;
}

}  // namespace

TfrecordPictures::TfrecordPictures(std::shared_ptr<const images::TfrecordFiles> files,
                                   std::vector<std::int64_t> records)
    : files_(std::move(files)), records_(std::move(records)) {}

std::unique_ptr<PictureReader> TfrecordPictures::make_reader() const {
  return std::make_unique<TfrecordReader>(*files_, records_);
}

std::string TfrecordPictures::name(std::int64_t sample) const {
  return files_->name(record_of(sample));
}

void TfrecordPictures::will_read(std::span<const std::int64_t> samples) const {
  for (const std::int64_t sample : samples) files_->will_read(record_of(sample));
}

Dataset load_tfrecord_images(const contract::DatasetSpec& spec) {
  if (spec.path.empty()) {
    refuse_data(
        "dataset.path is empty; set it to the folder that contains train-* and validation-*");
  }
  const Files train = open_first(spec.path, {"train"});
  const Files test = open_first(spec.path, {"validation", "val", "test"});
  std::int64_t least = train->entry(0).label, most = least;
  for (std::int64_t i = 1; i < train->size(); ++i) {
    least = std::min<std::int64_t>(least, train->entry(i).label);
    most = std::max<std::int64_t>(most, train->entry(i).label);
  }
  const std::int64_t first = std::min<std::int64_t>(least, 1);
  const std::int64_t classes = most - first + 1;
  if (classes > static_cast<std::int64_t>(images::kMostClasses)) {
    refuse_data(fmt::format("{} has {} classes; at most {} are supported", spec.path, classes,
                            images::kMostClasses));
  }
  std::vector<std::uint16_t> train_labels = labels_of(*train, first, classes);
  std::vector<std::uint16_t> test_labels = labels_of(*test, first, classes);
  const ColourStatistics colours = colours_of_imagenet();
  Dataset dataset;
  dataset.mean = colours.mean;
  dataset.deviation = colours.deviation;
  dataset.shape = {images::kColours, spec.image_size, spec.image_size};
  dataset.classes = static_cast<int>(classes);
  if (spec.image_size == 0) {
    dataset.train = all_records(train, std::move(train_labels));
    dataset.test = all_records(test, std::move(test_labels));
    decode_into_memory(dataset.train, dataset.shape);
    decode_into_memory(dataset.test, dataset.shape);
    keep_requested_samples(dataset, spec);
    return dataset;
  }
  dataset.sha256 = contract::sha256_hex(train->digest() + "\n" + test->digest() + "\n");
  require_digest(dataset.sha256, spec);
  dataset.classes = classes_to_keep(dataset.classes, spec.first_classes);
  const auto select = [&](const Files& files, const RecordRequest& request) {
    RecordSelection selection = select_records(request, dataset.classes);
    Split split;
    split.labels = std::move(selection.labels);
    split.pictures = pictures_in(files, std::move(selection.records));
    return split;
  };
  dataset.train = select(train, {"train", train_labels, spec.train_samples});
  dataset.test = select(test, {"test", test_labels, spec.test_samples});
  return dataset;
}

}  // namespace dlscale::trainer
