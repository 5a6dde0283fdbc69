// SPDX-License-Identifier: Apache-2.0
// Tests that images from record files equal the images of the packed files.
#include "trainer/data/packed_images.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "images/packing.hpp"
#include "tests/images/record_samples.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/data/image_tree.hpp"
#include "trainer/data/picture_pool.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::Dataset;
using trainer::PictureRecipe;
namespace fs = std::filesystem;

namespace {

/// A small image tree with its record files.
struct Packed {
  test::TempDir folder;
  fs::path train = folder / "train.dlrec";

  explicit Packed(const char* form = "jpeg") {
    test::write_tree(folder.path());
    const auto classes = images::class_names_of_tree(folder.path());
    const images::PackObserver nobody{.progress = [](std::int64_t, std::int64_t) {}};
    for (const std::string split : {"train", "val"}) {
      images::pack_split(folder / split, classes, images::record_file_of(folder.path(), split),
                         {.form = images::stored_form(form)}, nobody);
    }
  }
  contract::DatasetSpec spec() const {
    contract::DatasetSpec spec{"image_folder", folder.path()};
    spec.image_size = 16;
    return spec;
  }
  Dataset load() const { return trainer::load_packed_images(spec()); }
  void damage(std::size_t record) const {
    test::RecordBytes bytes(train);
    bytes.text[bytes.entry(record).offset + 60] ^= 1;
    base::write_file_atomically(train, bytes.text);
  }
};

std::vector<std::uint8_t> image(const trainer::Split& split, const PictureRecipe& recipe,
                                std::int64_t sample) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(recipe.bytes()));
  trainer::PictureMaker(*split.pictures, recipe).make(sample, /*epoch=*/3, bytes.data());
  return bytes;
}

/// Returns the error of a pool of two threads that reads all samples of the split, or the number of
/// skipped samples if no error occurs.
std::string pool_error(const trainer::Split& split, trainer::BrokenPictures broken = {}) {
  const base::SystemClock clock;
  const PictureRecipe recipe{.side = 16, .shorter_side = 20};
  std::vector<std::uint8_t> out(static_cast<std::size_t>(recipe.bytes() * split.size()));
  trainer::PictureBatch batch{.out = out.data()};
  for (std::int64_t i = 0; i < split.size(); ++i) batch.taken.push_back(i);
  trainer::PicturePool pool({*split.pictures, recipe, clock, /*threads=*/2, broken});
  try {
    pool.ask(batch);
    pool.wait();
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    return error.what();
  }
  return std::to_string(pool.work().skipped) + " skipped";
}

}  // namespace

TEST_CASE("JPEG records give the same images, labels and crops as the files") {
  const Packed packed;
  const Dataset records = packed.load();
  const Dataset files = trainer::load_image_tree(packed.spec(), trainer::colours_of_imagenet());
  CHECK(records.classes == 3);
  CHECK(records.mean == files.mean);
  CHECK(records.shape == files.shape);
  REQUIRE(records.train.labels == files.train.labels);
  CHECK(records.test.labels == files.test.labels);
  for (const bool is_random : {true, false}) {
    const PictureRecipe recipe{.side = 16, .is_random = is_random, .shorter_side = 20};
    for (std::int64_t i = 0; i < files.train.size(); ++i) {
      CHECK(image(records.train, recipe, i) == image(files.train, recipe, i));
    }
  }
}

TEST_CASE("raw records give the same images as the files") {
  const Packed packed("raw");
  const Dataset records = packed.load();
  const Dataset files = trainer::load_image_tree(packed.spec(), trainer::colours_of_imagenet());
  const PictureRecipe recipe{.side = 16, .shorter_side = 20};
  for (std::int64_t i = 0; i < files.test.size(); ++i) {
    CHECK(image(records.test, recipe, i) == image(files.test, recipe, i));
  }
  const auto reader = records.train.pictures->make_reader();
  CHECK(reader->open(0) == images::Size{40, 48});
  CHECK(reader->encoded().empty());
  CHECK(reader->bytes_read() == 40 * 48 * 3);
}

TEST_CASE("first_classes and train_samples apply to record files too") {
  const Packed packed;
  contract::DatasetSpec spec = packed.spec();
  spec.first_classes = 2;
  spec.train_samples = 5;
  const Dataset set = trainer::load_packed_images(spec);
  CHECK(set.classes == 2);
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 1, 0, 1, 0});
  CHECK_THAT(set.train.pictures->name(2), Contains("train.dlrec: record 3 (class cat)"));
  spec.train_samples = 7;
  CHECK_THROWS_WITH(trainer::load_packed_images(spec), Contains("7 train samples are requested"));
  spec.first_classes = 4;
  CHECK_THROWS_WITH(trainer::load_packed_images(spec), Contains("the data set has only 3 classes"));
}

TEST_CASE("a folder without record files is an error with the command that creates them") {
  test::TempDir folder;
  contract::DatasetSpec spec{"image_folder", folder.path()};
  const std::string name = folder.path().string();
  CHECK_THROWS_WITH(trainer::load_packed_images(spec),
                    Contains("the loader \"packed\" needs " + name + "/train.dlrec") &&
                        Contains("dlscale pack FOLDER -o " + name + ", where FOLDER"));
  test::write_tree(folder.path());
  CHECK_THROWS_WITH(trainer::load_packed_images(spec),
                    Contains("dlscale pack " + name + " -o " + name));
  spec.path.clear();
  CHECK_THROWS_WITH(trainer::load_packed_images(spec), Contains("dataset.path is empty"));
}

TEST_CASE("record files of two different folders are rejected") {
  const Packed packed;
  test::write_records(packed.folder / "val.dlrec");
  CHECK_THROWS_WITH(packed.load(), Contains("do not have the same classes"));
}

TEST_CASE("the digest changes with any record") {
  const Packed packed, again;
  CHECK(packed.load().sha256 == again.load().sha256);
  contract::DatasetSpec spec = packed.spec();
  spec.sha256 = packed.load().sha256;
  test::write_numbered_jpeg(packed.folder / "train/emu/x.jpg", {40, 48}, 99);
  images::pack_split(packed.folder / "train", images::class_names(packed.folder / "train"),
                     packed.train, {.replaces = true},
                     {.progress = [](std::int64_t, std::int64_t) {}});
  CHECK_THROWS_WITH(trainer::load_packed_images(spec), Contains("but " + spec.sha256));
}

TEST_CASE("a damaged record is an error with file, number and class, or is skipped and counted") {
  const Packed packed;
  CHECK(pool_error(packed.load().train) == "0 skipped");
  packed.damage(3);
  packed.damage(5);
  CHECK_THAT(pool_error(packed.load().train),
             Contains(packed.train.string() + ": record 3 (class cat): the record is damaged: its "
                                              "checksum is wrong; pack its folder again (dlscale "
                                              "pack --force), or train with loader_options."));
  CHECK(pool_error(packed.load().train, {7}) == "2 skipped");
}

TEST_CASE("a record whose image size differs from the index is broken") {
  const Packed packed;
  test::RecordBytes bytes(packed.train);
  images::RecordEntry entry = bytes.entry(0);
  entry.width += 1;
  bytes.put(0, entry);
  bytes.mend_checksums();
  base::write_file_atomically(packed.train, bytes.text);
  CHECK_THAT(pool_error(packed.load().train),
             Contains("it has 40x48 pixels, but the index states 40x49 pixels"));
}

TEST_CASE(
    "a record file that is truncated during reading ends the run, even if others are skipped") {
  const Packed packed;
  const Dataset set = packed.load();
  REQUIRE(::truncate(packed.train.c_str(), 4096 + 200) == 0);
  CHECK_THAT(pool_error(set.train, {7}), Contains("it became shorter while it was read"));
}
