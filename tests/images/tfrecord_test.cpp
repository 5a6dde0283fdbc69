// SPDX-License-Identifier: Apache-2.0
// Tests of TFRecord files: checksums, records, index and packing.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "images/crc32c.hpp"
#include "images/example.hpp"
#include "images/packing.hpp"
#include "images/tfrecord_files.hpp"
#include "images/tfrecord_writer.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;
using images::PackOptions;
using images::TfrecordFiles;
namespace fs = std::filesystem;

namespace {

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

images::ExampleParts parts_of(const std::string& example) {
  return images::find_parts(example.size(), [&](std::uint64_t offset, std::span<std::uint8_t> to) {
    REQUIRE(offset + to.size() <= example.size());
    std::memcpy(to.data(), example.data() + offset, to.size());
  });
}

const images::ClassNames kTreeClasses{"cat", "dog", "emu"};

/// PackedTree of seven training images, packed into three TFRecord files.
struct PackedTree {
  test::TempDir folder;
  fs::path out = folder / "packed";

  PackedTree() {
    test::write_tree(folder.path());
    fs::create_directory(out);
  }
  void pack(int shards = 3, const PackOptions& options = {}) const {
    images::pack_tfrecords(
        folder / "train", kTreeClasses, out, "train", shards, options,
        {.progress = [](std::int64_t, std::int64_t) {}, .left_out = [](const std::string&) {}});
  }
  fs::path shard(int number) const { return out / images::shard_name("train", number, 3); }
  TfrecordFiles open(const fs::path& index = {}) const {
    return TfrecordFiles(images::find_shards(out, "train"), index);
  }
  std::string error() const {
    try {
      const TfrecordFiles files = open();
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitData);
      return error.what();
    }
    return "";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(out)) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
};

}  // namespace

TEST_CASE("crc32c gives the values of RFC 3720") {
  CHECK(images::crc32c({}) == 0);
  CHECK(images::crc32c(std::vector<std::uint8_t>(32, 0)) == 0x8a9136aa);
  CHECK(images::crc32c(std::vector<std::uint8_t>(32, 0xff)) == 0x62a8ab43);
  std::vector<std::uint8_t> rising(32);
  for (std::uint8_t i = 0; i < 32; ++i) rising[i] = i;
  CHECK(images::crc32c(rising) == 0x46dd794e);
  CHECK(images::crc32c(bytes_of("123456789")) == 0xe3069283);
}

TEST_CASE("a record is its length and its data, each followed by a masked checksum") {
  // A bit-by-bit implementation of the format in Python computed these bytes.
  CHECK(images::tfrecord("foo") == std::string("\x03\0\0\0\0\0\0\0"
                                               "\xb0\x99\x49\x0e"
                                               "foo"
                                               "\x61\x8a\xbe\xfe",
                                               19));
}

TEST_CASE("image and label are found in an example with features in any order") {
  const std::string image(100'000, 'j');
  const std::string example =
      images::serialised({.encoded = bytes_of(image), .label = 300, .class_name = "cat"});
  const images::ExampleParts parts = parts_of(example);
  CHECK(example.substr(parts.begin, parts.bytes) == image);
  CHECK(parts.label == 300);
  // Features in another order, an unpacked label, unknown features and unknown fields.
  const auto field = [](char number, const std::string& content) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} +
           content;
  };
  const auto feature = [&](const std::string& key, const std::string& value) {
    return field(1, field(1, key) + field(2, value));
  };
  const std::string other =
      field(7, "unknown") +
      field(1, feature("image/encoded", field(1, field(1, "JPEG"))) +
                   feature("image/object/bbox/xmin", field(2, field(1, "1234"))) +
                   feature("image/class/label", field(3, std::string("\x08\x05", 2)))) +
      std::string("\x3d", 1) + "1234";  // a fixed32 field
  CHECK(parts_of(other).label == 5);
  CHECK(other.substr(parts_of(other).begin, parts_of(other).bytes) == "JPEG");
  const auto without = [&](const std::string& features) {
    CHECK_THROWS_AS(parts_of(field(1, features)), images::BrokenPicture);
  };
  without(feature("image/encoded", field(1, field(1, "JPEG"))));
  without(feature("image/class/label", field(3, std::string("\x08\x05", 2))));
  without(feature("image/class/label", field(1, field(1, "5"))));
  CHECK_THROWS_AS(parts_of(""), images::BrokenPicture);
  CHECK_THROWS_AS(parts_of("no example"), images::BrokenPicture);
}

TEST_CASE("an example that is cut off or changed anywhere never reads beyond its end") {
  const std::string example =
      images::serialised({.encoded = bytes_of("pixels"), .label = 3, .class_name = "cat"});
  int rejected = 0;
  const auto attempt = [&](const std::string& changed) {
    try {
      const images::ExampleParts parts = parts_of(changed);
      CHECK(parts.begin + parts.bytes <= changed.size());
    } catch (const images::BrokenPicture&) {
      ++rejected;
    }
  };
  for (std::size_t i = 0; i < example.size(); ++i) {
    attempt(example.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = example;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      attempt(changed);
    }
  }
  CHECK(rejected > static_cast<int>(example.size()));
}

TEST_CASE("packed TFRecord files contain the image files in the order of image_folder") {
  const PackedTree tree;
  tree.pack();
  CHECK(tree.names() == std::vector<std::string>{"train-00000-of-00003", "train-00001-of-00003",
                                                 "train-00002-of-00003"});
  const TfrecordFiles files = tree.open();
  const auto sources = images::class_files(tree.folder / "train", kTreeClasses);
  REQUIRE(files.size() == static_cast<std::int64_t>(sources.size()));
  std::vector<std::uint8_t> buffer;
  std::vector<std::uint32_t> shards;
  for (std::int64_t i = 0; i < files.size(); ++i) {
    const auto image = files.read_image(i, buffer);
    const auto& source = sources[static_cast<std::size_t>(i)];
    CHECK(std::string(image.begin(), image.end()) == base::read_file(source.path));
    CHECK(files.entry(i).label == source.label + 1U);
    shards.push_back(files.entry(i).shard);
  }
  CHECK(shards == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 2});
}

TEST_CASE("the bytes of TFRecord files do not depend on the number of threads") {
  std::string bytes[2];
  for (const int threads : {1, 4}) {
    const PackedTree tree;
    tree.pack(3, {.form = images::stored_form("jpeg:20"), .threads = threads});
    for (int i = 0; i < 3; ++i) bytes[threads / 4] += base::read_file(tree.shard(i));
  }
  CHECK(bytes[0] == bytes[1]);
}

TEST_CASE("existing TFRecord files are kept unless they are replaced") {
  const PackedTree tree;
  tree.pack();
  const std::string before = base::read_file(tree.shard(0));
  CHECK_THROWS_WITH(tree.pack(2), Contains("train-00000-of-00003 already exists; replace"));
  CHECK(base::read_file(tree.shard(0)) == before);
  base::write_file_atomically(images::index_file_of(tree.out, "train"), "old");
  tree.pack(2, {.replaces = true});
  CHECK(tree.names() == std::vector<std::string>{"train-00000-of-00002", "train-00001-of-00002"});
  CHECK_THROWS_WITH(tree.pack(8, {.replaces = true}), Contains("more than the 7 images"));
  CHECK_THROWS_WITH(tree.pack(1, {.form = images::stored_form("raw")}), Contains("--as jpeg"));
  CHECK(tree.names().size() == 2);
}

TEST_CASE("a broken image leaves no TFRecord file, or is left out on request") {
  const PackedTree tree;
  base::write_file_atomically(tree.folder / "train/dog/b.jpg", "GIF89a");
  CHECK_THROWS_WITH(tree.pack(), Contains("dog/b.jpg"));
  CHECK(tree.names().empty());
  tree.pack(3, {.leaves_out_broken = true});
  CHECK(tree.open().size() == 6);
}

TEST_CASE("missing files and two sets of files are errors") {
  const PackedTree tree;
  CHECK(images::find_shards(tree.out, "train").empty());
  tree.pack();
  fs::rename(tree.shard(1), tree.out / "away");
  CHECK_THAT(tree.error(), Contains("train-00001-of-00003: the file is missing"));
  fs::rename(tree.out / "away", tree.shard(1));
  fs::rename(tree.shard(2), tree.out / "away");
  CHECK_THAT(tree.error(), Contains("train-00002-of-00003: the file is missing"));
  fs::rename(tree.out / "away", tree.shard(2));
  fs::copy(tree.shard(0), tree.out / "train-00000-of-00001");
  CHECK_THAT(tree.error(), Contains("contains two sets of TFRecord files"));
}

TEST_CASE("damaged lengths and cut files are errors with file and offset") {
  const PackedTree tree;
  tree.pack();
  const std::string whole = base::read_file(tree.shard(1));
  const TfrecordFiles files = tree.open();
  const std::uint64_t second = files.entry(3).offset - 12;
  const auto error_with = [&](const std::string& bytes) {
    base::write_file_atomically(tree.shard(1), bytes);
    return tree.error();
  };
  std::string changed = whole;
  changed[second + 2] ^= 1;
  CHECK_THAT(error_with(changed),
             Contains(tree.shard(1).string() + ": byte " + std::to_string(second) +
                      ": no record begins here: the checksum of its length is wrong"));
  for (std::size_t size = 1; size < whole.size(); size += 13) {
    if (size == second) continue;
    INFO(size);
    CHECK_THAT(error_with(whole.substr(0, size)), Contains(tree.shard(1).string() + ": byte "));
  }
  CHECK_THAT(error_with("\x1f\x8b" + whole), Contains("is compressed with gzip"));
  CHECK_THAT(error_with(images::tfrecord("no example")),
             Contains(": byte 0: the record cannot be used: it is not a tf.train.Example"));
  const std::string negative =
      images::serialised({.encoded = bytes_of("x"), .label = -1, .class_name = "cat"});
  CHECK_THAT(error_with(images::tfrecord(negative)), Contains("has the label -1"));
  CHECK(error_with("").empty());  // a file without records
  CHECK(error_with(whole).empty());
}

TEST_CASE("a damaged record is a broken image, which the checksum of its data finds") {
  const PackedTree tree;
  tree.pack();
  std::string bytes = base::read_file(tree.shard(1));
  {
    const TfrecordFiles files = tree.open();
    bytes[files.entry(2).offset + files.entry(2).image_begin + 100] ^= 1;
  }
  base::write_file_atomically(tree.shard(1), bytes);
  const TfrecordFiles files = tree.open();
  std::vector<std::uint8_t> buffer;
  CHECK_THROWS_AS(files.read_image(2, buffer), images::BrokenPicture);
  CHECK_NOTHROW(files.read_image(3, buffer));
  CHECK(files.name(2) == tree.shard(1).string() + ": the record at byte 0");
}

TEST_CASE("the index is kept beside the files and built again when a file changes") {
  const PackedTree tree;
  tree.pack();
  const fs::path index = images::index_file_of(tree.out, "train");
  CHECK_FALSE(tree.open(index).has_kept_index());
  const TfrecordFiles kept = tree.open(index);
  CHECK(kept.has_kept_index());
  CHECK(kept.digest() == tree.open().digest());
  std::string bytes = base::read_file(index);
  bytes[bytes.size() / 2] ^= 1;
  base::write_file_atomically(index, bytes);
  CHECK_FALSE(tree.open(index).has_kept_index());
  CHECK(tree.open(index).has_kept_index());
  fs::copy_file(tree.shard(0), tree.shard(1), fs::copy_options::overwrite_existing);
  const TfrecordFiles changed = tree.open(index);
  CHECK_FALSE(changed.has_kept_index());
  CHECK(changed.digest() != kept.digest());
}

TEST_CASE("an index that cannot be written is ignored") {
  const PackedTree tree;
  tree.pack();
  CHECK(tree.open(tree.out / "no folder" / "train.tfindex").size() == 7);
}
