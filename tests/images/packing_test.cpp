// SPDX-License-Identifier: Apache-2.0
#include "images/packing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "images/record_file.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;
using images::PackOptions;
using images::RecordFile;
namespace fs = std::filesystem;

namespace {

const images::ClassNames kClasses{"cat", "dog", "emu"};

struct Tree {
  test::TempDir folder;
  fs::path train = folder / "train";
  fs::path out = folder / "train.dlrec";
  std::vector<std::string> complaints;

  Tree() { test::write_tree(folder.path()); }

  bool pack(const PackOptions& options = {}) {
    return images::pack_split(
        train, kClasses, out, options,
        {.progress = [](std::int64_t, std::int64_t) {},
         .left_out = [this](const std::string& line) { complaints.push_back(line); }});
  }
  /// Truncates one file and replaces the content of another with data that is not an image.
  void break_two() const {
    const std::string whole = base::read_file(train / "dog/b.jpg");
    base::write_file_atomically(train / "dog/b.jpg", whole.substr(0, whole.size() / 2));
    base::write_file_atomically(train / "emu/x.jpg", "GIF89a");
  }
};

PackOptions stored_as(const char* form) {
  return {.form = images::stored_form(form), .threads = 2};
}

std::vector<int> labels_of(const fs::path& path) {
  const RecordFile file(path);
  std::vector<int> labels;
  for (std::int64_t i = 0; i < file.size(); ++i) labels.push_back(file.entry(i).label);
  return labels;
}

}  // namespace

TEST_CASE("jpeg records are the bytes of the files in the order of image_folder") {
  Tree tree;
  CHECK(tree.pack());
  const RecordFile file(tree.out);
  const auto files = images::class_files(tree.train, kClasses);
  REQUIRE(file.size() == static_cast<std::int64_t>(files.size()));
  std::vector<std::uint8_t> buffer;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const images::Record record = file.read_record(static_cast<std::int64_t>(i), buffer);
    CHECK(base::read_file(files[i].path) == std::string(record.bytes.begin(), record.bytes.end()));
    CHECK(record.label == files[i].label);
    CHECK(record.height == 40);
    CHECK(record.width == 48);
  }
  CHECK(file.classes() == kClasses);
  CHECK_THAT(file.note(), Contains("as jpeg\n") && Contains("files 7\n"));
}

TEST_CASE("images are scaled down to a shorter side and never scaled up") {
  Tree tree;
  test::write_numbered_jpeg(tree.train / "emu/x.jpg", {12, 10}, 1);
  tree.pack(stored_as("jpeg:20"));
  const RecordFile file(tree.out);
  std::vector<std::uint8_t> buffers[2];
  const images::Record scaled = file.read_record(0, buffers[0]),
                       small = file.read_record(2, buffers[1]);
  CHECK(scaled.height == 20);
  CHECK(scaled.width == 24);
  images::Decoder decoder;
  CHECK(decoder.open(scaled.bytes) == images::Size{20, 24});
  CHECK(small.height == 12);
  CHECK(std::string(small.bytes.begin(), small.bytes.end()) ==
        base::read_file(tree.train / "emu/x.jpg"));
}

TEST_CASE("raw records are the pixels of the decoded image") {
  Tree tree;
  tree.pack(stored_as("raw"));
  const RecordFile file(tree.out);
  const std::string bytes = base::read_file(tree.train / "cat/1.jpg");
  images::Decoder decoder;
  const images::Size size =
      decoder.open({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  const images::PictureView picture = decoder.decode(images::whole(size));
  std::vector<std::uint8_t> buffer;
  const images::Record record = file.read_record(0, buffer);
  CHECK(record.encoding == images::Encoding::raw);
  REQUIRE(record.bytes.size() == 40 * 48 * 3);
  for (int y = 0; y < 40; ++y) {
    CHECK(std::equal(picture.row(y), picture.row(y) + 48 * 3, &record.bytes[y * 48 * 3]));
  }
  tree.out = tree.folder / "small.dlrec";
  tree.pack(stored_as("raw:20"));
  CHECK(RecordFile(tree.out).read_record(0, buffer).bytes.size() == 20 * 24 * 3);
}

TEST_CASE("the bytes of a record file do not depend on the number of threads") {
  Tree tree;
  for (const char* form : {"jpeg", "jpeg:20", "raw:20"}) {
    std::string bytes;
    for (const int threads : {1, 2, 5}) {
      PackOptions options = stored_as(form);
      options.threads = threads;
      options.replaces = true;
      tree.pack(options);
      const std::string now = base::read_file(tree.out);
      CHECK((bytes.empty() || now == bytes));
      bytes = now;
      fs::remove(tree.out);
    }
  }
}

TEST_CASE("the first broken image in order is an error that names it, and nothing is written") {
  Tree tree;
  tree.break_two();
  for (const int threads : {1, 3}) {
    CHECK_THROWS_WITH(tree.pack({.threads = threads}),
                      Contains("emu/x.jpg: ") && Contains("--on-broken skip"));
    CHECK_THROWS_AS(tree.pack({.threads = threads}), base::UsageError);
  }
  CHECK(std::distance(fs::directory_iterator(tree.folder.path()), {}) == 2);
}

TEST_CASE("broken images are reported, counted and left out on request") {
  Tree tree;
  tree.break_two();
  tree.pack({.threads = 2, .leaves_out_broken = true});
  REQUIRE(tree.complaints.size() == 2);
  CHECK_THAT(tree.complaints[0], Contains("emu/x.jpg: "));
  CHECK_THAT(tree.complaints[1], Contains("dog/b.jpg: "));
  CHECK(RecordFile(tree.out).left_out() == 2);
  CHECK(labels_of(tree.out) == std::vector{0, 1, 0, 0, 1});
  CHECK_THROWS_WITH(tree.pack(), Contains("already exists"));
}

TEST_CASE("an unreadable file is a broken image, and only broken images are an error") {
  Tree tree;
  fs::remove(tree.train / "emu/x.jpg");
  test::write_numbered_jpeg(tree.train / "emu/y.jpg", {8, 8}, 1);
  for (const auto& file : images::class_files(tree.train, kClasses)) {
    base::write_file_atomically(file.path, "");
  }
  CHECK_THROWS_WITH(tree.pack({.leaves_out_broken = true}), Contains("all images are broken"));
  CHECK(tree.complaints.size() == 7);
  CHECK_FALSE(fs::exists(tree.out));
}

TEST_CASE("an identical record file is kept, and a different one is not replaced") {
  Tree tree;
  CHECK(tree.pack());
  const auto inode = fs::last_write_time(tree.out);
  CHECK_FALSE(tree.pack({.threads = 3}));
  CHECK(fs::last_write_time(tree.out) == inode);
  const std::string before = base::read_file(tree.out);
  CHECK_THROWS_WITH(tree.pack(stored_as("raw:20")),
                    Contains("already exists and was packed with other options"));
  test::write_numbered_jpeg(tree.train / "cat/4.jpg", {9, 9}, 3);
  CHECK_THROWS_AS(tree.pack(), base::UsageError);
  CHECK(base::read_file(tree.out) == before);
  CHECK(tree.pack({.replaces = true}));
  CHECK(RecordFile(tree.out).size() == 8);
}

TEST_CASE("forced packing repairs a damaged file, and other classes are a different packing") {
  Tree tree;
  CHECK(tree.pack());
  const std::string good = base::read_file(tree.out);
  std::string damaged = good;
  damaged[4096] ^= 1;
  base::write_file_atomically(tree.out, damaged);
  CHECK(tree.pack({.replaces = true}));
  CHECK(base::read_file(tree.out) == good);
  const auto pack_more = [&] {
    return images::pack_split(
        tree.train, {"cat", "dog", "emu", "fox"}, tree.out, {},
        {.progress = [](std::int64_t, std::int64_t) {}, .left_out = [](const std::string&) {}});
  };
  CHECK_THROWS_WITH(pack_more(), Contains("already exists and was packed with other options"));
}

TEST_CASE("records are shuffled reproducibly by a seed") {
  Tree tree;
  for (int i = 0; i < 40; ++i) {
    test::write_numbered_jpeg(tree.train / "emu" / (std::to_string(i) + ".jpg"), {8, 8}, i);
  }
  tree.pack();
  const std::vector<int> in_turn = labels_of(tree.out);
  tree.pack({.shuffle_seed = 7, .replaces = true});
  const std::vector<int> shuffled = labels_of(tree.out);
  CHECK(shuffled != in_turn);
  CHECK(std::is_permutation(shuffled.begin(), shuffled.end(), in_turn.begin(), in_turn.end()));
  const std::string bytes = base::read_file(tree.out);
  fs::remove(tree.out);
  tree.pack({.shuffle_seed = 7});
  CHECK(base::read_file(tree.out) == bytes);
  tree.pack({.shuffle_seed = 8, .replaces = true});
  CHECK(labels_of(tree.out) != shuffled);
}

TEST_CASE("an exception of the observer ends packing and leaves no file") {
  Tree tree;
  const images::PackObserver observer{.progress = [](std::int64_t done, std::int64_t) {
    if (done == 3) throw 42;
  }};
  CHECK_THROWS_AS(images::pack_split(tree.train, kClasses, tree.out, {.threads = 2}, observer),
                  int);
  CHECK(std::distance(fs::directory_iterator(tree.folder.path()), {}) == 2);
}

TEST_CASE("the stored form is a name with an optional side after a colon") {
  CHECK(images::stored_form("jpeg") == images::StoredForm{});
  CHECK(images::stored_form("raw:256") == images::StoredForm{.is_raw = true, .shorter_side = 256});
  for (const char* text : {"jpeg", "raw", "jpeg:256", "raw:1"}) {
    CHECK(to_string(images::stored_form(text)) == text);
  }
  for (const char* text : {"", "png", "jpeg:", "jpeg:0", "jpeg:-1", "jpeg:2x", "raw:1e9",
                           "jpeg:99999999999", "jpeg:70000", "JPEG"}) {
    CHECK_THROWS_WITH(images::stored_form(text), Contains("cannot be stored as"));
  }
}
