// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale pack` through the program.
#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "images/record_file.hpp"
#include "tests/cli/dlscale_program.hpp"
#include "tests/images/record_samples.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/planner/bash_run.hpp"

using namespace dlscale;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// Folder with an image tree `photos`, in which the program runs.
struct Photos {
  Photos() { test::write_tree(dlscale.folder / "photos"); }
  test::Ran pack(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"pack", "photos", "-o", "packed"});
    return dlscale.run(more);
  }
  fs::path file(const char* split) const {
    return images::record_file_of(dlscale.folder / "packed", split);
  }
  test::DlscaleProgram dlscale;
};

/// Returns the Python program in docs/record-files.md.
std::string documented_reader() {
  const std::string page = base::read_file(DLSCALE_SOURCE_DIR "/docs/record-files.md");
  const std::string begin = "```python\n";
  const std::size_t first = page.find(begin) + begin.size();
  return page.substr(first, page.find("```", first) - first);
}

}  // namespace

TEST_CASE("pack writes a record file for each split and reports its content") {
  Photos photos;
  const test::Ran ran = photos.pack({"--threads", "2"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, Contains("packed/train.dlrec: 7 images of 3 classes, ") &&
                          Contains("packed/val.dlrec: 2 images of 3 classes, "));
  CHECK(images::RecordFile(photos.file("train")).size() == 7);
  const test::Ran again = photos.pack({"--threads", "1"});
  CHECK_THAT(again.out, Contains("it already exists and is unchanged"));
}

TEST_CASE("pack --format tfrecord writes TFRecord files that --info and --check read") {
  Photos photos;
  const test::Ran ran = photos.pack({"--format", "tfrecord", "--shards", "2"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("packed/train-00000-of-00002: 7 images in 2 files, ") &&
                          Contains("packed/validation-00000-of-00002: 2 images in 2 files, "));
  const std::string shard = "packed/train-00001-of-00002";
  CHECK_THAT(photos.dlscale.run({"pack", "--info", shard}).out,
             Contains("holds     4 images in 1 file") && Contains("labels    1 to 2"));
  CHECK_THAT(photos.dlscale.run({"pack", "--check", shard}).out,
             Contains("all checksums are correct"));
  std::string bytes = base::read_file(photos.dlscale.folder / shard);
  bytes[bytes.size() / 2 - 300] ^= 1;  // a byte of an image
  base::write_file_atomically(photos.dlscale.folder / shard, bytes);
  const test::Ran bad = photos.dlscale.run({"pack", "--check", shard});
  CHECK(bad.exit_code == 1);
  CHECK_THAT(bad.out, Contains("1 record is damaged"));
  base::write_file_atomically(photos.dlscale.folder / shard, bytes.substr(0, bytes.size() - 1));
  const test::Ran cut = photos.dlscale.run({"pack", "--check", shard});
  CHECK(cut.exit_code == 2);
  CHECK_THAT(cut.err, Contains(shard + ": byte "));
}

TEST_CASE("options that do not fit the format are rejected before anything is written") {
  Photos photos;
  for (const auto& [options, error] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"--shards", "2"}, "--shards applies only to --format tfrecord"},
           {{"--format", "tfrecord", "--as", "raw"}, "--format tfrecord needs --as jpeg"},
           {{"--format", "tfrecord", "--align", "128"},
            "--align applies only to --format dlrec"}}) {
    const test::Ran ran = photos.pack(options);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(error));
  }
  CHECK_FALSE(fs::exists(photos.dlscale.folder / "packed"));
  CHECK(photos.pack({"--format", "tfrecord"}).exit_code == 0);
  const test::Ran again = photos.pack({"--format", "tfrecord"});
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, Contains("train-00000-of-00001 already exists"));
  CHECK(photos.pack({"--format", "tfrecord", "--force"}).exit_code == 0);
}

TEST_CASE("pack --info and --check read record files") {
  Photos photos;
  photos.pack({"--as", "jpeg:20", "--quality", "80"});
  const test::Ran info = photos.dlscale.run({"pack", "--info", "packed/train.dlrec"});
  CHECK(info.exit_code == 0);
  CHECK_THAT(info.out, Contains("7 JPEG; 24 pixels wide, 20 high") &&
                           Contains("as jpeg:20, quality 80, files 7"));
  const std::vector<std::string> check{"pack", "--check", "packed/train.dlrec", "packed/val.dlrec"};
  const test::Ran good = photos.dlscale.run(check);
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, Contains("train.dlrec: 7 images") && Contains("all checksums are correct"));
  test::RecordBytes bytes(photos.file("val"));
  bytes.text[bytes.entry(1).offset] ^= 1;
  base::write_file_atomically(photos.file("val"), bytes.text);
  const test::Ran bad = photos.dlscale.run(check);
  CHECK(bad.exit_code == 1);
  CHECK_THAT(bad.err, Contains("val.dlrec: record 1 (class dog): the record is damaged"));
  CHECK_THAT(bad.out, Contains("val.dlrec: 2 images") && Contains("1 record is damaged"));
}

TEST_CASE("pack --check checks all files and exits with the worst code") {
  Photos photos;
  photos.pack();
  test::RecordBytes bytes(photos.file("val"));
  bytes.text[bytes.entry(1).offset] ^= 1;
  base::write_file_atomically(photos.file("val"), bytes.text);
  const test::Ran ran =
      photos.dlscale.run({"pack", "--check", "nowhere.dlrec", "photos/val/cat/1.jpg",
                          "packed/val.dlrec", "packed/train.dlrec"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("dlscale: cannot read nowhere.dlrec") &&
                          Contains("it is not a record file") && Contains("record 1 (class dog)"));
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 3);
  CHECK_THAT(ran.out, Contains("val.dlrec: 2 images") && Contains("1 record is damaged") &&
                          Contains("train.dlrec: 7 images") &&
                          Contains("all checksums are correct"));
}

TEST_CASE("pack rejects impossible requests with exit code 2 and one line, and writes nothing") {
  Photos photos;
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"pack"}, "name a folder that contains train and val"},
      {{"pack", "photos"}, "-o FOLDER is missing"},
      {{"pack", "nowhere", "-o", "packed"}, "cannot read nowhere/train: No such file"},
      {{"pack", "photos/train", "-o", "packed"}, "cannot read photos/train/train"},
      {{"pack", "photos", "-o", "packed", "--as", "webp"}, "cannot be stored as \"webp\""},
      {{"pack", "photos", "-o", "packed", "--split", "test"}, "--split"},
      {{"pack", "photos", "-o", "packed", "--quality", "0"}, "--quality"},
      {{"pack", "photos", "-o", "packed", "--align", "1000"}, "cannot be aligned to 1000 bytes"},
      {{"pack", "--check", "photos/val/cat/1.jpg"}, "it is not a record file"},
      {{"pack", "--info", "nowhere.dlrec"}, "cannot read nowhere.dlrec"}};
  for (const auto& [arguments, message] : refused) {
    const test::Ran ran = photos.dlscale.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(message));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    CHECK((!fs::exists(photos.dlscale.folder / "packed") ||
           fs::is_empty(photos.dlscale.folder / "packed")));
  }
}

TEST_CASE("pack names a broken image and stops, or skips and counts it on request") {
  Photos photos;
  base::write_file_atomically(photos.dlscale.folder / "photos/train/dog/b.jpg", "\xff\xd8\xff\xe0");
  const test::Ran failed = photos.pack();
  CHECK(failed.exit_code == 2);
  CHECK_THAT(failed.err, Contains("photos/train/dog/b.jpg: "));
  CHECK(fs::is_empty(photos.dlscale.folder / "packed"));
  const test::Ran skipped = photos.pack({"--on-broken", "skip"});
  CHECK(skipped.exit_code == 0);
  CHECK_THAT(skipped.err, Contains("left out: photos/train/dog/b.jpg: "));
  CHECK_THAT(skipped.out, Contains("6 images of 3 classes") && Contains("; 1 broken image left"));
}

TEST_CASE("pack counts files that it skips by extension, even if record files exist already") {
  Photos photos;
  const fs::path tree = photos.dlscale.folder / "photos";
  base::write_file_atomically(tree / "train/dog/d.webp", "RIFF");
  base::write_file_atomically(tree / "train/cat/e.WEBP", "RIFF");
  base::write_file_atomically(tree / "val/cat/f.tiff", "II*");
  base::write_file_atomically(tree / "README", "text");
  for (int time = 0; time < 2; ++time) {
    const test::Ran ran = photos.pack();
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("Skipped 2 files: .webp files are not read") &&
                            Contains("Skipped 1 file: .tiff files are not read") &&
                            Contains("outside of a class folder are not read; example: "
                                     "photos/README") &&
                            Contains("Skipped 1 class: has no folder in photos/val; example: emu"));
  }
  CHECK_THAT(photos.pack({"--split", "val"}).out, !Contains(".webp"));
}

TEST_CASE("pack after a killed process keeps complete files and removes partial files") {
  Photos photos;
  photos.pack({"--split", "train"});
  constexpr int kNobody = 999999999;
  const fs::path part = photos.file("val").string() + base::part_ending(kNobody);
  const fs::path of_another_host = photos.file("val").string() + ".part999999999@elsewhere";
  for (const fs::path& path : {part, of_another_host}) base::write_file_atomically(path, "half");
  const test::Ran ran = photos.pack();
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("train.dlrec") && Contains("already exists and is unchanged"));
  CHECK(fs::exists(photos.file("val")));
  CHECK_FALSE(fs::exists(part));
  CHECK(fs::exists(of_another_host));  // file that another host may still be writing
}

TEST_CASE("pack reports a full disk and leaves no files") {
  Photos photos;
  const test::ShellResult ran =
      test::run_bash("cd " + planner::shell_quote(photos.dlscale.folder.path().string()) +
                     " && trap '' XFSZ && ulimit -f 8 && " DLSCALE_BINARY_DIR
                     "/bin/dlscale pack photos -o packed 2>&1");
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("cannot write packed/train.dlrec: File too large"));
  CHECK(fs::is_empty(photos.dlscale.folder / "packed"));
}

TEST_CASE("the documented Python program reads a record file") {
  Photos photos;
  photos.pack();
  base::write_file_atomically(photos.dlscale.folder / "reader.py", documented_reader());
  const auto read = [&] {
    return test::run_bash("cd " + planner::shell_quote(photos.dlscale.folder.path().string()) +
                          " && python3 reader.py packed/train.dlrec 2>&1");
  };
  std::string expected;
  const images::RecordFile file(photos.file("train"));
  std::vector<std::uint8_t> buffer;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    const images::Record record = file.read_record(i, buffer);
    expected += file.classes()[record.label] + " 1 48 40 " + std::to_string(record.bytes.size()) +
                " " + std::to_string(::crc32_z(0, record.bytes.data(), record.bytes.size())) + "\n";
  }
  CHECK(read().out == expected);
  test::RecordBytes bytes(photos.file("train"));
  bytes.text[bytes.entry(0).offset] ^= 1;
  base::write_file_atomically(photos.file("train"), bytes.text);
  CHECK_THAT(read().out, Contains("ValueError: packed/train.dlrec: a record of class cat"));
}
