// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/packed_images.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "contract/run_spec/run_id.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/image_tree.hpp"
#include "trainer/data/record_selection.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

class RecordReader : public PictureReader {
 public:
  RecordReader(const images::RecordFile& file, const std::vector<std::int64_t>& records)
      : file_(file), records_(records) {}

  images::Size open(std::int64_t sample) override {
    record_ = file_.read_record(
        records_.empty() ? sample : records_[static_cast<std::size_t>(sample)], bytes_);
    bytes_read_ += static_cast<std::int64_t>(record_.bytes.size());
    const images::Size size{record_.height, record_.width};
    if (record_.encoding == images::Encoding::raw) return size;
    const images::Size decoded = decoder_.open(record_.bytes);
    if (decoded == size) return size;
    throw images::BrokenPicture(
        fmt::format("it has {}x{} pixels, but the index states {}x{} pixels", decoded.height,
                    decoded.width, size.height, size.width));
  }

  images::PictureView decode(const images::Box& part) override {
    if (record_.encoding != images::Encoding::raw) return decoder_.decode(part);
    const images::PictureView pixels{record_.bytes.data(), record_.height, record_.width,
                                     std::ptrdiff_t{images::kColours} * record_.width};
    return pixels.part(part);
  }

  std::span<const std::uint8_t> encoded() const override {
    const bool is_raw = record_.encoding == images::Encoding::raw;
    return is_raw ? std::span<const std::uint8_t>() : record_.bytes;
  }

  std::int64_t bytes_read() const override { return bytes_read_; }

 private:
  const images::RecordFile& file_;
  const std::vector<std::int64_t>& records_;
  std::vector<std::uint8_t> bytes_;  // content of the current record
  images::Decoder decoder_;
  images::Record record_;
  std::int64_t bytes_read_ = 0;
};

using File = std::shared_ptr<const images::RecordFile>;

/// Returns a split with the first `samples` records of the first `kept` classes. `samples` = 0
/// keeps all records.
Split select_split(const char* what, const File& file, std::int64_t samples, int kept) {
  std::vector<std::uint16_t> labels;
  for (std::int64_t i = 0; i < file->size(); ++i) labels.push_back(file->entry(i).label);
  RecordSelection selection = select_records({what, labels, samples}, kept);
  std::vector<std::int64_t>& records = selection.records;
  if (records.back() == static_cast<std::int64_t>(records.size()) - 1) records.clear();
  Split split;
  split.labels = std::move(selection.labels);
  split.pictures = std::make_shared<const PackedPictures>(file, std::move(records));
  return split;
}

File open_split(const fs::path& root, const char* split) {
  const fs::path path = images::record_file_of(root, split);
  if (fs::exists(path)) return std::make_shared<const images::RecordFile>(path);
  const bool has_tree = fs::is_directory(root / "train");
  const std::string from = has_tree ? root.string() : "FOLDER";
  refuse_data(fmt::format("the loader \"packed\" needs {}; create it with: dlscale pack {} -o {}{}",
                          path.string(), from, root.string(),
                          has_tree ? "" : ", where FOLDER contains the images in class folders"));
}

}  // namespace

PackedPictures::PackedPictures(std::shared_ptr<const images::RecordFile> file,
                               std::vector<std::int64_t> records)
    : file_(std::move(file)), records_(std::move(records)) {}

std::unique_ptr<PictureReader> PackedPictures::make_reader() const {
  return std::make_unique<RecordReader>(*file_, records_);
}

std::string PackedPictures::name(std::int64_t sample) const {
  return file_->name(record_of(sample));
}

void PackedPictures::will_read(std::span<const std::int64_t> samples) const {
  for (const std::int64_t sample : samples) file_->will_take(record_of(sample));
}

Dataset load_packed_images(const contract::DatasetSpec& spec) {
  if (spec.path.empty()) {
    refuse_data(
        "dataset.path is empty; set it to the folder that contains train.dlrec and val.dlrec");
  }
  const File train = open_split(spec.path, "train"), test = open_split(spec.path, "val");
  if (train->classes() != test->classes()) {
    refuse_data(fmt::format("{} and {} do not have the same classes; pack both from one folder",
                            train->path().string(), test->path().string()));
  }
  const ColourStatistics colours = colours_of_imagenet();
  Dataset dataset;
  dataset.mean = colours.mean;
  dataset.deviation = colours.deviation;
  dataset.shape = {images::kColours, spec.image_size, spec.image_size};
  dataset.sha256 = contract::sha256_hex(train->digest() + "\n" + test->digest() + "\n");
  require_digest(dataset.sha256, spec);
  dataset.classes = classes_to_keep(static_cast<int>(train->classes().size()), spec.first_classes);
  dataset.train = select_split("train", train, spec.train_samples, dataset.classes);
  dataset.test = select_split("test", test, spec.test_samples, dataset.classes);
  return dataset;
}

}  // namespace dlscale::trainer
