// SPDX-License-Identifier: Apache-2.0
// Tests of the data set in examples/extension.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/data/dataset.hpp"

using namespace dlscale;
using namespace std::string_literals;
using Catch::Contains;

namespace {

trainer::Dataset load(const contract::DatasetSpec& spec) {
  return base::find(trainer::dataset_table(), "dataset", "numpy_images").load(spec);
}

/// Returns the bytes of a file that numpy.save writes.
std::string npy(const std::string& type, const std::string& sizes, const std::string& values,
                const std::string& fortran_order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + fortran_order +
                       ", 'shape': (" + sizes + "), }";
  header.resize(117, ' ');
  std::string file("\x93NUMPY\1\0\x76\0", 10);  // version 1.0, a header of 118 bytes
  file.append(header).append("\n").append(values);
  return file;
}

/// Returns `count` little-endian integers 0, 1, 2, 0, …, each with `width` bytes.
std::string labels(int count, int width) {
  std::string values;
  for (int i = 0; i < count; ++i) {
    values += static_cast<char>(i % 3) + std::string(static_cast<std::size_t>(width - 1), '\0');
  }
  return values;
}

/// Data set with six training and three test images of 1x2. The pixels of image i are 20 i and 20 i
/// + 10.
struct Folder : test::TempDir {
  Folder() {
    std::string pixels;
    for (int i = 0; i < 12; ++i) pixels += static_cast<char>(10 * i);
    write("train_images", npy("|u1", "6, 1, 2", pixels));
    write("train_labels", npy("<i8", "6,", labels(6, 8)));
    write("test_images", npy("|u1", "3, 1, 2", pixels.substr(0, 6)));
    write("test_labels", npy("<i8", "3,", labels(3, 8)));
  }
  void write(const std::string& name, const std::string& text) const {
    base::write_file_atomically(*this / (name + ".npy"), text);
  }
  contract::DatasetSpec spec() const { return {.kind = "numpy_images", .path = path()}; }
  /// Writes `text` to the file NAME.npy and loads the data set. Returns the error message, which
  /// must name this file.
  std::string refusal(const std::string& name, const std::string& text) const {
    write(name, text);
    try {
      load(spec());
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitData);
      CHECK_THAT(error.what(), Contains((*this / (name + ".npy: ")).string()));
      return error.what();
    }
    return "nothing";
  }
};

}  // namespace

TEST_CASE("arrays of NumPy become images, labels and the statistics of their channels") {
  const Folder folder;
  const auto set = load(folder.spec());
  CHECK(set.shape == trainer::ImageShape{1, 1, 2});
  CHECK(set.classes == 3);
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 1, 2, 0, 1, 2});
  CHECK(set.train.pixels[11] == 110);
  CHECK(set.test.size() == 3);
  CHECK(set.mean == std::vector{55 / 255.0});
  CHECK(set.deviation[0] == Approx(std::sqrt(143 * 100 / 12.0) / 255));
  CHECK(set.sha256.size() == 64);
  CHECK(load(folder.spec()).sha256 == set.sha256);
}

TEST_CASE("each channel of a colour image has its own statistics") {
  const Folder folder;
  for (const char* split : {"train", "test"}) {
    folder.write(split + "_images"s, npy("|u1", "1, 3, 1, 2", "\0\0\x11\x33\x22\x22"s));
    folder.write(split + "_labels"s, npy("|u1", "1,", "\2"));
  }
  const auto set = load(folder.spec());
  CHECK(set.shape == trainer::ImageShape{3, 1, 2});
  CHECK(set.mean[1] == Approx(0x22 / 255.0));
  CHECK(set.deviation[1] == Approx(0x11 / 255.0));
  CHECK(set.deviation[2] == 1);  // deviation of a channel with equal pixels
}

TEST_CASE("labels may have any integer type, and a study may select fewer classes and samples") {
  const Folder folder;
  for (const auto& [type, width] : {std::pair{"|u1", 1}, {"|i1", 1}, {"<u2", 2}, {"<i4", 4}}) {
    folder.write("train_labels", npy(type, "6,", labels(6, width)));
    CHECK(load(folder.spec()).train.labels == std::vector<std::uint16_t>{0, 1, 2, 0, 1, 2});
  }
  auto spec = folder.spec();
  spec.first_classes = 2;
  spec.train_samples = 3;
  CHECK(load(spec).train.labels == std::vector<std::uint16_t>{0, 1, 0});
  spec.sha256 = std::string(64, 'a');
  CHECK_THROWS_WITH(load(spec), Contains("dataset.sha256: the data set numpy_images in "));
}

TEST_CASE("a missing folder and a study without a folder are reported") {
  CHECK_THROWS_WITH(load({.kind = "numpy_images"}),
                    "dataset.path is empty; name the folder of train_images.npy");
  CHECK_THROWS_WITH(
      load({.kind = "numpy_images", .path = "/nowhere"}),
      "cannot read /nowhere/train_images.npy: neither this file nor "
      "train_images.npy.gz exists; put the file there or correct training.dataset.path in "
      "the study");
}

TEST_CASE("unusable image files are rejected with their names") {
  const std::string pixels(12, 'x');
  const auto refused = [&](const std::string& text, const std::string& why) {
    CHECK_THAT(Folder().refusal("train_images", text), Contains(why));
  };
  refused("", "it is not an array; write it with numpy.save");
  refused("PK\3\4 an archive of numpy.savez", "it is not an array");
  refused(npy("|u1", "6, 1, 2", pixels, "True"), "save numpy.ascontiguousarray(array)");
  refused(npy("|u1", "0, 1, 2", ""), "it is empty, or no array");
  refused(npy("|u1", "6, x, 2", pixels), "it is empty, or no array");
  refused(npy("|u1", "9999999999, 9999999999, 2", pixels), "it is empty, or no array");
  refused(npy("<f4", "3, 1, 1", pixels), "pixels have type <f4; save array.astype(numpy.uint8)");
  refused(npy("|u1", "6, 2", pixels), "it is not images x height x width");
  refused(npy("|u1", "1, 5, 5, 1", std::string(25, 'x')), "it is not images x height x width");
  refused(npy("|u1", "6, 1, 2", "xx"), "it is cut short: 2 of 12 bytes");
}

TEST_CASE("unusable labels are rejected with their file name") {
  const auto refused = [&](const std::string& text, const std::string& why) {
    CHECK_THAT(Folder().refusal("train_labels", text), Contains(why));
  };
  refused(npy("<f8", "6,", labels(6, 8)), "labels have type <f8; save array.astype(numpy.int64)");
  refused(npy(">i2", "6,", labels(6, 2)), "labels have type >i2");
  refused(npy("<i8", "5,", labels(5, 8)), "it is not a list of 6 labels, as there are images");
  refused(npy("|i1", "6,", "\0\1\2\0\1\xff"s), "labels are classes from 0 to 65535");
  refused(npy("<i4", "6,", std::string(24, '\xff')), "labels are classes from 0 to 65535");
}

TEST_CASE("training and test images of different sizes are rejected") {
  const Folder folder;
  folder.write("test_images", npy("|u1", "3, 2, 1", "abcdef"));
  CHECK_THROWS_WITH(load(folder.spec()), "cannot use " + folder.path().string() +
                                             ": training and test images differ in size or "
                                             "channels");
}
