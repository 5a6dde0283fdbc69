// SPDX-License-Identifier: Apache-2.0
// Tests of data sets of colour images: CIFAR-10's binary batches, and trees of JPEG and PNG files.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "trainer/data/dataset.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

trainer::Dataset load_image_set(const contract::DatasetSpec& spec) {
  return base::find(trainer::dataset_table(), "dataset", spec.kind).load(spec);
}

std::string record(int label, char value) {
  return static_cast<char>(label) + std::string(3072, value);
}

/// Returns the error of loading `kind` from `folder`, and checks that the exit code is kExitData.
std::string image_error(const std::string& kind, const fs::path& folder) {
  try {
    load_image_set({kind, folder});
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    return error.what();
  }
  return "no error";
}

void cut_to(const fs::path& path, std::size_t bytes) {
  test::write_text(path, base::read_file(path).substr(0, bytes));
}

}  // namespace

TEST_CASE("CIFAR-10's batches are read in the order of their names, with unchanged pixels") {
  test::TempDir folder;
  test::write_text(folder / "data_batch_2.bin", record(7, 'b'));
  test::write_text(folder / "data_batch_1.bin", record(3, 'a') + record(4, 'c'));
  test::write_text(folder / "test_batch.bin", record(9, 'd'));
  const auto set = load_image_set({"cifar10", folder.path()});
  CHECK(set.shape == trainer::ImageShape{3, 32, 32});
  CHECK(set.train.labels == std::vector<std::uint16_t>{3, 4, 7});
  CHECK(*set.train.image(1, set.shape) == 'c');
  CHECK(*set.train.image(2, set.shape) == 'b');
  CHECK(set.test.labels == std::vector<std::uint16_t>{9});
}

TEST_CASE("a missing CIFAR-10 batch between others is an error") {
  test::TempDir folder;
  test::write_text(folder / "test_batch.bin", record(9, 'd'));
  test::write_text(folder / "data_batch_1.bin", record(1, 'a'));
  test::write_text(folder / "data_batch_3.bin", record(3, 'a'));
  CHECK_THAT(image_error("cifar10", folder.path()),
             Catch::Contains("data_batch_3.bin: earlier batches are missing; batches found: 2"));
}

TEST_CASE("a broken CIFAR-10 batch is reported with its record") {
  test::TempDir folder;
  test::write_text(folder / "test_batch.bin", record(9, 'd'));
  CHECK_THAT(image_error("cifar10", folder.path()),
             Catch::Contains("has no data_batch*.bin and no "));
  const auto batch = folder / "data_batch_1.bin";
  test::write_text(batch, record(1, 'a') + record(2, 'a').substr(0, 100));
  CHECK_THAT(image_error("cifar10", folder.path()),
             Catch::Contains("data_batch_1.bin: it is cut short: 100 bytes are left for record 2"));
  test::write_text(batch, record(1, 'a') + record(10, 'a'));
  CHECK_THAT(image_error("cifar10", folder.path()), Catch::Contains("record 2 has the label 10"));
  test::write_text(batch, "");
  CHECK_THAT(image_error("cifar10", folder.path()),
             Catch::Contains("data_batch_1.bin: it is empty"));
}

TEST_CASE("JPEG and PNG files give planes of red, green and blue") {
  test::TempDir folder;
  test::write_png(folder / "train/a/1.png", 2, 3, 77);
  test::write_jpeg(folder / "val/a/1.jpg", 2, 3, 77);
  const auto set = load_image_set({"image_folder", folder.path()});
  CHECK(set.shape == trainer::ImageShape{3, 2, 3});
  for (const auto* split : {&set.train, &set.test}) {
    REQUIRE(split->pixels.size() == 18);
    for (const int pixel : split->pixels) CHECK(std::abs(pixel - 77) <= 1);
  }
}

TEST_CASE("an image tree reports skipped files in the wording of dlscale pack") {
  test::TempDir folder;
  for (const char* split : {"train", "val"}) test::write_png(folder / split / "a/1.png", 2, 3, 77);
  CHECK(load_image_set({"image_folder", folder.path()}).skipped.empty());
  for (const char* name : {"train/a/2.webp", "val/a/2.webp"}) {
    test::write_text(folder / name, "RIFF");
  }
  CHECK(load_image_set({"image_folder", folder.path()}).skipped ==
        "Skipped 2 files: .webp files are not read, only .jpg, .jpeg and .png; example: " +
            (folder / "train/a/2.webp").string() + "\n");
}

TEST_CASE("a damaged, empty or unknown image file is an error with its name") {
  test::TempDir folder;
  test::write_png(folder / "val/a/1.png", 40, 40, 77);
  const auto train = folder / "train/a/1.jpg";
  const auto error = [&] { return image_error("image_folder", folder.path()); };
  const auto begin = "cannot read " + train.string() + ": ";
  test::write_jpeg(train, 40, 40, 77);
  cut_to(train, base::read_file(train).size() - 20);
  CHECK_THAT(error(), Catch::StartsWith(begin + "the JPEG data is damaged: "));
  test::write_png(train, 40, 40, 77);
  cut_to(train, 60);
  CHECK_THAT(error(), Catch::StartsWith(begin + "the PNG data is damaged: "));
  test::write_text(train, "GIF89a");
  CHECK_THAT(error(), Catch::StartsWith(begin + "neither a JPEG nor a PNG file"));
  test::write_text(train, "");
  CHECK_THAT(error(), Catch::StartsWith(begin + "it is empty"));
}

TEST_CASE("an image folder has classes in the order of their names, and their images alternate") {
  test::TempDir folder;
  test::write_png(folder / "train/dog/2.png", 2, 2, 20);
  test::write_png(folder / "train/dog/1.png", 2, 2, 10);
  test::write_png(folder / "train/cat/x.png", 2, 2, 30);
  test::write_text(folder / "train/cat/notes.txt", "no image");
  test::write_jpeg(folder / "test/dog/1.JPG", 2, 2, 40);
  const auto set = load_image_set({"image_folder", folder.path()});
  CHECK(set.classes == 2);
  CHECK(set.shape == trainer::ImageShape{3, 2, 2});
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 1, 1});
  CHECK(*set.train.image(0, set.shape) == 30);
  CHECK(*set.train.image(1, set.shape) == 10);
  CHECK(*set.train.image(2, set.shape) == 20);
  CHECK(set.test.labels == std::vector<std::uint16_t>{1});
}

TEST_CASE("an incomplete image folder is an error that names the missing part") {
  test::TempDir folder;
  const auto error = [&] { return image_error("image_folder", folder.path()); };
  CHECK_THAT(error(), Catch::Contains("has no folder val, validation or test"));
  base::make_directories(folder / "val");
  CHECK_THAT(error(), Catch::Contains("cannot read " + (folder / "train").string()));
  base::make_directories(folder / "train");
  CHECK_THAT(error(), Catch::Contains("train has no class folder"));
  base::make_directories(folder / "train/cat");
  test::write_png(folder / "val/dog/1.png", 2, 2, 1);
  CHECK_THAT(error(), Catch::Contains("val has the class dog, which "));
  base::make_directories(folder / "train/dog");
  CHECK_THAT(error(), Catch::Contains("train/cat has no image (.jpg, .jpeg, .png)"));
}

TEST_CASE("images of several sizes are an error that names one image and the remedy") {
  test::TempDir folder;
  test::write_png(folder / "train/cat/1.png", 2, 2, 1);
  test::write_png(folder / "train/cat/2.png", 2, 3, 1);
  test::write_png(folder / "val/cat/1.png", 2, 2, 1);
  CHECK_THAT(
      image_error("image_folder", folder.path()),
      Catch::Contains("train/cat/2.png has 2x3 pixels, but the preceding images have 2x2 pixels; "
                      "images in memory must have one size"));
}

TEST_CASE("the real CIFAR-10 samples are the same in a binary batch and in JPEG files") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (!data) {
    test::skip("DLSCALE_TEST_DATA does not name a folder with cifar10/");
    return;
  }
  const std::string cifar = std::string(data) + "/cifar10";
  const auto binary = load_image_set({"cifar10", cifar});
  CHECK(binary.train.size() == 200);
  CHECK(binary.test.size() == 100);
  test::TempDir folder;
  const std::string unpack = "tar xzf " + cifar + "/cifar10-";
  REQUIRE(std::system((unpack + "test-jpg.tar.gz -C " + folder.path().string()).c_str()) == 0);
  fs::copy(folder / "test", folder / "train", fs::copy_options::recursive);
  const auto images = load_image_set({"cifar10", folder.path(), 0, 100});
  CHECK(images.train.size() == 2000);
  CHECK(images.test.labels == binary.test.labels);
  CHECK(images.test.pixels == binary.test.pixels);
}
