// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/image_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "contract/run_spec/run_id.hpp"
#include "images/class_folders.hpp"
#include "images/normalise.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/picture_files.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

using Files = std::vector<images::ClassFile>;

/// Returns a digest of the class and file name of each sample, first of the training split and then
/// of the test split. The files are not opened.
std::string digest_of(const Files& train, const Files& test) {
  std::string lines;
  for (const Files* files : {&train, &test}) {
    for (const images::ClassFile& file : *files) {
      lines += file.path.parent_path().filename().native();
      lines += '/';
      lines += file.path.filename().native();
      lines += '\n';
    }
    lines += '\n';
  }
  return contract::sha256_hex(lines);
}

/// Returns a split with the paths and labels of files in `folder`.
Split listed(const fs::path& folder, const images::ClassNames& classes, const Files& files) {
  Split split;
  for (const images::ClassFile& file : files) split.labels.push_back(file.label);
  split.pictures = std::make_shared<const PictureFiles>(folder, classes, files);
  return split;
}

/// Request for the samples of one split.
struct Selection {
  const char* what;
  fs::path folder;
  std::int64_t samples;  ///< number of first samples to keep; 0 keeps all
};

/// Returns a split with the paths and labels of the images that `selection` requests. Images of
/// classes after the first `kept` classes are left out.
Split note(const Selection& selection, const images::ClassNames& classes, int kept, Files files) {
  std::erase_if(files, [kept](const images::ClassFile& file) { return file.label >= kept; });
  if (files.empty()) {
    refuse_data(
        fmt::format("the {} set has no sample of the first {} classes", selection.what, kept));
  }
  const auto left = static_cast<std::int64_t>(files.size());
  files.resize(static_cast<std::size_t>(samples_to_keep(left, selection.samples, selection.what)));
  return listed(selection.folder, classes, files);
}

}  // namespace

ColourStatistics colours_of_imagenet() {
  return {.mean = {0.485, 0.456, 0.406}, .deviation = {0.229, 0.224, 0.225}};
}

void decode_into_memory(Split& split, ImageShape& shape) {
  const std::shared_ptr<const PictureSource> source = std::move(split.pictures);
  const std::unique_ptr<PictureReader> reader = source->make_reader();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(split.labels.size()); ++i) {
    images::PictureView picture;
    try {
      picture = reader->decode(images::whole(reader->open(i)));
    } catch (const images::BrokenPicture& broken) {
      refuse_data(
          fmt::format("cannot read {}: {}; fetch the file again", source->name(i), broken.what()));
    }
    if (shape.height == 0) shape = {images::kColours, picture.height, picture.width};
    if (picture.size() != images::Size{shape.height, shape.width}) {
      refuse_data(fmt::format(
          "{} has {}x{} pixels, but the preceding images have {}x{} pixels; images in memory must "
          "have one size; scale them first, or set dataset.image_size and use a loader that crops "
          "images",
          source->name(i), picture.height, picture.width, shape.height, shape.width));
    }
    const std::size_t before = split.pixels.size();
    split.pixels.resize(before + static_cast<std::size_t>(shape.values()));
    images::copy_pixels(picture, /*mirrored=*/false, images::Layout::planes, &split.pixels[before]);
  }
}

Dataset load_image_tree(const contract::DatasetSpec& spec, const ColourStatistics& colours) {
  if (spec.path.empty())
    refuse_data("dataset.path is empty; set it to the folder that contains train and val");
  const fs::path root = spec.path;
  const fs::path train = root / "train", test = images::test_folder(root);
  const images::ClassNames classes = images::class_names_of_tree(root);
  base::SkipTally skipped;
  images::count_skipped_in_root(root, skipped);
  Files train_files = images::class_files(train, classes, skipped);
  Files test_files = images::class_files(test, classes, skipped);
  Dataset dataset;
  dataset.skipped = base::describe_skipped(skipped);
  dataset.mean = colours.mean;
  dataset.deviation = colours.deviation;
  dataset.shape = {images::kColours, spec.image_size, spec.image_size};
  dataset.classes = static_cast<int>(classes.size());
  if (spec.image_size == 0) {
    dataset.train = listed(train, classes, train_files);
    dataset.test = listed(test, classes, test_files);
    decode_into_memory(dataset.train, dataset.shape);
    decode_into_memory(dataset.test, dataset.shape);
    keep_requested_samples(dataset, spec);
    return dataset;
  }
  dataset.sha256 = digest_of(train_files, test_files);
  require_digest(dataset.sha256, spec);
  dataset.classes = classes_to_keep(dataset.classes, spec.first_classes);
  const auto select_files = [&](const Selection& selection, Files& files) {
    return note(selection, classes, dataset.classes, std::move(files));
  };
  dataset.train = select_files({"train", train, spec.train_samples}, train_files);
  dataset.test = select_files({"test", test, spec.test_samples}, test_files);
  return dataset;
}

}  // namespace dlscale::trainer
