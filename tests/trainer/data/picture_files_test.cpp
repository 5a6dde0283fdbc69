// SPDX-License-Identifier: Apache-2.0
// Tests of folders with images of any size and with broken files.
#include "trainer/data/picture_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "trainer/data/dataset.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

contract::DatasetSpec asked(const fs::path& folder) {
  return {.kind = "image_folder", .path = folder, .image_size = 8};
}

trainer::Dataset load_pictures(const contract::DatasetSpec& spec) {
  return base::find(trainer::dataset_table(), "dataset", spec.kind).load(spec);
}

/// Writes a tree of two classes with images of different sizes.
void write_tree(const fs::path& folder) {
  test::write_png(folder / "train/ant/1.png", 9, 20, 10);
  test::write_jpeg(folder / "train/ant/2.jpg", 30, 10, 20);
  test::write_png(folder / "train/bee/1.png", 12, 12, 30);
  test::write_png(folder / "val/bee/9.png", 9, 9, 40);
}

/// Returns the error of opening and decoding a sample.
std::string picture_error(const trainer::PictureSource& source, std::int64_t sample) {
  try {
    const auto reader = source.make_reader();
    reader->decode(images::whole(reader->open(sample)));
  } catch (const images::BrokenPicture& broken) {
    return broken.what();
  }
  return "no error";
}

/// File that a thread repeatedly truncates to half its size, restores and extends with zeros.
class Changing {
 public:
  explicit Changing(const std::string& file)
      : good_(base::read_file(file)), file_(::open(file.c_str(), O_WRONLY)) {
    REQUIRE(file_ >= 0);
    thread_ = std::thread([this] {
      const auto size = static_cast<off_t>(good_.size());
      for (bool did_all = true; did_all && !is_over_;) {
        did_all = ::ftruncate(file_, size / 2) == 0 &&
                  ::pwrite(file_, good_.data(), good_.size(), 0) == size &&
                  ::ftruncate(file_, size + 4000) == 0;
      }
    });
  }
  ~Changing() {
    is_over_ = true;
    thread_.join();
    ::close(file_);
  }

 private:
  const std::string good_;
  const int file_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a folder with images of any size is loaded without opening the files") {
  test::TempDir folder;
  write_tree(folder.path());
  test::write_text(folder / "train/bee/2.jpg", "no picture");
  const auto set = load_pictures(asked(folder.path()));
  CHECK(set.shape == trainer::ImageShape{3, 8, 8});
  CHECK(set.classes == 2);
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 1, 0, 1});
  CHECK(set.train.pictures->name(0) == (folder / "train/ant/1.png").string());
  CHECK(set.train.pictures->name(2) == (folder / "train/ant/2.jpg").string());
  CHECK(set.test.pictures->name(0) == (folder / "val/bee/9.png").string());
  const auto reader = set.train.pictures->make_reader();
  CHECK(reader->open(0) == images::Size{9, 20});
  CHECK(reader->open(2) == images::Size{30, 10});
  CHECK(reader->bytes_read() ==
        static_cast<std::int64_t>(fs::file_size(folder / "train/ant/1.png") +
                                  fs::file_size(folder / "train/ant/2.jpg")));
  CHECK(picture_error(*set.train.pictures, 3) == "neither a JPEG nor a PNG file");
}

TEST_CASE("first_classes and train_samples apply to images of any size") {
  test::TempDir folder;
  write_tree(folder.path());
  auto spec = asked(folder.path());
  spec.train_samples = 2;
  CHECK(load_pictures(spec).train.labels == std::vector<std::uint16_t>{0, 1});
  spec = asked(folder.path());
  spec.first_classes = 1;
  CHECK_THROWS_WITH(load_pictures(spec), "the test set has no sample of the first 1 classes");
  test::write_png(folder / "val/ant/9.png", 9, 9, 40);
  const auto set = load_pictures(spec);
  CHECK(set.classes == 1);
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 0});
  CHECK(set.train.pictures->name(1) == (folder / "train/ant/2.jpg").string());
}

TEST_CASE("the digest of images of any size is computed from their names") {
  test::TempDir folder;
  write_tree(folder.path());
  const std::string before = load_pictures(asked(folder.path())).sha256;
  auto spec = asked(folder.path());
  spec.sha256 = before;
  CHECK(load_pictures(spec).sha256 == before);
  test::write_png(folder / "train/bee/2.png", 9, 9, 1);
  CHECK_THROWS_WITH(load_pictures(spec), Catch::StartsWith("dataset.sha256: ") &&
                                             Catch::Contains("but " + before + " is expected"));
}

TEST_CASE("removed, emptied, truncated and unreadable files are broken images") {
  test::TempDir folder;
  write_tree(folder.path());
  const auto set = load_pictures(asked(folder.path()));
  const fs::path file = folder / "train/ant/1.png";
  const std::string good = base::read_file(file);
  test::write_text(file, "");
  CHECK(picture_error(*set.train.pictures, 0) == "it is empty");
  test::write_text(file, good.substr(0, good.size() / 2));
  CHECK(picture_error(*set.train.pictures, 0) == "the PNG data is damaged: it is cut short");
  fs::remove(file);
  CHECK(picture_error(*set.train.pictures, 0) == "No such file or directory");
  fs::create_directory(file);
  CHECK(picture_error(*set.train.pictures, 0) == "Is a directory");
}

TEST_CASE("a file is read to its end, regardless of its reported size") {
  std::vector<std::uint8_t> bytes;
  const auto text = [&] { return std::string(bytes.begin(), bytes.end()); };
  // Linux reports size 0 for the first file and a whole page for the second file.
  for (const char* file : {"/proc/filesystems", "/sys/devices/system/cpu/online"}) {
    const std::string whole = base::read_file(file);
    REQUIRE(whole.size() != fs::file_size(file));
    trainer::read_picture_file(file, bytes);
    CHECK(text() == whole);
  }
}

TEST_CASE("a file that changes size while it is read gives a whole or a broken image") {
  test::TempDir folder;
  write_tree(folder.path());
  const auto set = load_pictures(asked(folder.path()));
  const std::string file = (folder / "train/ant/1.png").string();
  const Changing changing(file);
  int whole = 0, broken = 0;
  std::string unexpected;
  for (int i = 0; i < 1'000'000 && unexpected.empty() && (whole < 20 || broken < 20); ++i) {
    const std::string error = picture_error(*set.train.pictures, 0);
    if (error == "no error") {
      ++whole;
    } else if (error.starts_with("the PNG data is damaged: ")) {
      ++broken;
    } else {
      unexpected = error;
    }
  }
  CHECK(unexpected == "");
  CHECK(whole >= 20);
  CHECK(broken >= 20);
}
