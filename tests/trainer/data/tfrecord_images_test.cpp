// SPDX-License-Identifier: Apache-2.0
// Tests that images from TFRecord files equal the images of the packed files.
#include "trainer/data/tfrecord_images.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "images/packing.hpp"
#include "images/tfrecord_writer.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/data/image_tree.hpp"
#include "trainer/data/picture_maker.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::Dataset;
using trainer::PictureRecipe;
namespace fs = std::filesystem;

namespace {

/// A small image tree with its TFRecord files.
struct PackedShards {
  test::TempDir folder;

  PackedShards() {
    test::write_tree(folder.path());
    const auto classes = images::class_names_of_tree(folder.path());
    const images::PackObserver nobody{.progress = [](std::int64_t, std::int64_t) {}};
    for (const std::string split : {"train", "val"}) {
      images::pack_tfrecords(folder / split, classes, folder.path(), images::tfrecord_split(split),
                             /*shards=*/2, {}, nobody);
    }
  }
  contract::DatasetSpec spec(const char* kind = "tfrecord") const {
    contract::DatasetSpec spec{kind, folder.path()};
    spec.image_size = 16;
    return spec;
  }
};

std::vector<std::uint8_t> made_image(const trainer::Split& split, const PictureRecipe& recipe,
                                     std::int64_t sample) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(recipe.bytes()));
  trainer::PictureMaker(*split.pictures, recipe).make(sample, /*epoch=*/3, bytes.data());
  return bytes;
}

/// Writes TFRecord files whose images have these labels.
void write_labels(const fs::path& folder, const std::vector<int>& train,
                  const std::vector<int>& test) {
  const auto jpeg = images::encode_jpeg(test::numbered_picture({20, 20}, 1).view());
  for (const auto& [split, labels] : {std::pair{"train", train}, std::pair{"validation", test}}) {
    const auto count = static_cast<std::int64_t>(labels.size());
    images::TfrecordWriter writer(folder, split, count, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      writer.append(i, {.encoded = jpeg, .label = labels[static_cast<std::size_t>(i)]});
    }
    writer.finish();
  }
}

std::string error_for(const std::vector<int>& train, const std::vector<int>& test) {
  const test::TempDir folder;
  write_labels(folder.path(), train, test);
  try {
    trainer::load_tfrecord_images({"tfrecord", folder.path()});
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("TFRecord files give the same images, labels and crops as image files") {
  const PackedShards packed;
  const Dataset records = trainer::load_tfrecord_images(packed.spec());
  const Dataset files =
      trainer::load_image_tree(packed.spec("image_folder"), trainer::colours_of_imagenet());
  CHECK(records.classes == 3);
  CHECK(records.mean == files.mean);
  CHECK(records.shape == files.shape);
  REQUIRE(records.train.labels == files.train.labels);
  CHECK(records.test.labels == files.test.labels);
  for (const bool is_random : {true, false}) {
    const PictureRecipe recipe{.side = 16, .is_random = is_random, .shorter_side = 20};
    for (std::int64_t i = 0; i < files.train.size(); ++i) {
      CHECK(made_image(records.train, recipe, i) == made_image(files.train, recipe, i));
    }
  }
  // DALI decodes these bytes.
  const auto from_record = records.train.pictures->make_reader();
  const auto from_file = files.train.pictures->make_reader();
  from_record->open(3);
  from_file->open(3);
  CHECK(std::ranges::equal(from_record->encoded(), from_file->encoded()));
}

TEST_CASE("images of one size in TFRecord files can be decoded into memory") {
  const PackedShards packed;
  contract::DatasetSpec spec = packed.spec();
  spec.image_size = 0;
  const Dataset records = trainer::load_tfrecord_images(spec);
  const Dataset files = trainer::load_image_tree(spec, trainer::colours_of_imagenet());
  CHECK(records.train.pictures == nullptr);
  CHECK(records.train.pixels == files.train.pixels);
  CHECK(records.sha256 == files.sha256);
}

TEST_CASE("first_classes and train_samples apply to TFRecord files") {
  const PackedShards packed;
  contract::DatasetSpec spec = packed.spec();
  spec.first_classes = 2;
  spec.train_samples = 5;
  const Dataset set = trainer::load_tfrecord_images(spec);
  CHECK(set.classes == 2);
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 1, 0, 1, 0});
  CHECK_THAT(set.train.pictures->name(0), Contains("train-00000-of-00002: the record at byte 0"));
  spec.train_samples = 7;
  CHECK_THROWS_WITH(trainer::load_tfrecord_images(spec), Contains("7 train samples are requested"));
}

TEST_CASE("labels are numbered from 0 if a training record has the label 0, and from 1 otherwise") {
  for (const int first : {0, 1}) {
    const test::TempDir folder;
    write_labels(folder.path(), {first, first + 2, first + 1}, {first + 1, first + 2});
    const Dataset set = trainer::load_tfrecord_images({"tfrecord", folder.path()});
    CHECK(set.classes == 3);
    CHECK(set.train.labels == std::vector<std::uint16_t>{0, 2, 1});
    CHECK(set.test.labels == std::vector<std::uint16_t>{1, 2});
  }
}

TEST_CASE("test labels outside of the training labels are errors that name the record") {
  CHECK_THAT(error_for({1, 2}, {1, 3}),
             Contains("validation-00000-of-00001: the record at byte ") &&
                 Contains("it has the label 3, but the labels of the "
                          "training set are 1 to 2"));
  CHECK_THAT(error_for({1, 2}, {0}), Contains("it has the label 0"));
  CHECK_THAT(error_for({0, 65536}, {0}), Contains("has 65537 classes; at most 65536"));
  CHECK_THAT(error_for({}, {1}), Contains("train-* contain no record"));
  CHECK(error_for({1, 65536}, {1}).empty());
}

TEST_CASE("a folder without TFRecord files is an error with the command that creates them") {
  const test::TempDir folder;
  CHECK_THROWS_WITH(trainer::load_tfrecord_images({"tfrecord", folder.path()}),
                    Contains("has no TFRecord files such as train-00000-of-00001; create them "
                             "with: dlscale pack FOLDER -o "));
}
