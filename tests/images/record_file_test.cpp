// SPDX-License-Identifier: Apache-2.0
#include "images/record_file.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "tests/images/record_samples.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;
using images::RecordFile;

namespace {

/// Returns the error that opening the file causes. Checks that the error names the file and has the
/// exit code for data errors.
std::string error_of(const std::filesystem::path& path) {
  try {
    const RecordFile file(path);
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    CHECK_THAT(error.what(), Contains("cannot read " + path.string() + ": "));
    return error.what();
  }
  return "no error";
}

/// Writes the bytes to the file and returns the result of error_of().
std::string error_of_bytes(const std::filesystem::path& path, const std::string& bytes) {
  base::write_file_atomically(path, bytes);
  return error_of(path);
}

/// Returns the number of records that cannot be read.
int damaged_records(const RecordFile& file) {
  int damaged = 0;
  std::vector<std::uint8_t> buffer;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    try {
      file.read_record(i, buffer);
    } catch (const images::BrokenPicture&) {
      ++damaged;
    }
  }
  return damaged;
}

}  // namespace

TEST_CASE("a record file is read as it was written") {
  test::TempDir folder;
  test::write_records(folder / "train.dlrec", 4096);
  const RecordFile file(images::record_file_of(folder.path(), "train"));
  REQUIRE(file.size() == 4);
  CHECK(file.classes() == std::vector<std::string>{"cat", "dog"});
  CHECK(file.note() == "made by a test\n");
  CHECK(file.left_out() == 5);
  std::vector<std::uint8_t> buffer;
  const images::Record record = file.read_record(1, buffer);
  CHECK(record.encoding == images::Encoding::raw);
  CHECK(record.height == 3);
  CHECK(record.width == 1);
  CHECK(record.label == 1);
  CHECK(std::vector(record.bytes.begin(), record.bytes.end()) ==
        std::vector<std::uint8_t>{16, 17, 18, 19, 20, 21, 22, 23, 24});
  CHECK(file.read_record(3, buffer).encoding == images::Encoding::jpeg);
  CHECK(file.name(3) == (folder / "train.dlrec").string() + ": record 3 (class dog)");
}

TEST_CASE("records begin at multiples of the alignment") {
  test::TempDir folder;
  for (const std::uint32_t alignment : {128, 4096}) {
    test::write_records(folder / "a.dlrec", alignment);
    const test::RecordBytes bytes(folder / "a.dlrec");
    for (std::size_t i = 0; i < 4; ++i) CHECK(bytes.entry(i).offset % alignment == 0);
    CHECK(RecordFile(folder / "a.dlrec").alignment() == alignment);
  }
}

TEST_CASE("a file truncated at any byte is an error that names the file") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec");
  const std::string whole = base::read_file(folder / "a.dlrec");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    CAPTURE(bytes);
    REQUIRE(error_of_bytes(folder / "cut.dlrec", whole.substr(0, bytes)) != "no error");
  }
  CHECK(error_of_bytes(folder / "long.dlrec", whole + "x") != "no error");
}

TEST_CASE("any changed byte of header, index, names and note is an error that names the file") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec");
  const test::RecordBytes whole(folder / "a.dlrec");
  const std::size_t index = whole.header().index_offset;
  for (std::size_t at = 0; at < whole.text.size(); ++at) {
    if (at >= sizeof(images::RecordHeader) && at < index) continue;
    for (const int flipped : {0x01, 0x80, 0xff}) {
      std::string bytes = whole.text;
      bytes[at] = static_cast<char>(bytes[at] ^ flipped);
      CAPTURE(at, flipped);
      REQUIRE(error_of_bytes(folder / "b.dlrec", bytes) != "no error");
    }
  }
}

TEST_CASE("any changed byte of a record breaks only this record") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec");
  const test::RecordBytes whole(folder / "a.dlrec");
  for (std::size_t i = 0; i < 4; ++i) {
    const images::RecordEntry entry = whole.entry(i);
    for (std::size_t k = 0; k < entry.bytes; ++k) {
      std::string bytes = whole.text;
      bytes[entry.offset + k] ^= 0x10;
      base::write_file_atomically(folder / "b.dlrec", bytes);
      const RecordFile file(folder / "b.dlrec");
      std::vector<std::uint8_t> buffer;
      CHECK_THROWS_WITH(file.read_record(static_cast<std::int64_t>(i), buffer),
                        "the record is damaged: its checksum is wrong");
      CHECK(damaged_records(file) == 1);
    }
  }
}

TEST_CASE("an impossible index is rejected even if its checksum is correct") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec");
  using Entry = images::RecordEntry;
  const std::vector<std::pair<std::function<void(Entry&)>, std::string>> lies{
      {[](Entry& e) { e.offset += 1; }, "the offset is impossible"},
      {[](Entry& e) { e.offset = 0; }, "the offset is impossible"},
      {[](Entry& e) { e.offset -= 128; }, "the offset is impossible"},
      {[](Entry& e) { e.offset = ~std::uint64_t{127}; }, "the data lies outside the record area"},
      {[](Entry& e) { e.bytes = ~std::uint32_t{0}; }, "the data lies outside the record area"},
      {[](Entry& e) { e.label = 2; }, "the file has no such class"},
      {[](Entry& e) { e.encoding = 0; }, "the encoding is unknown"},
      {[](Entry& e) { e.encoding = 4; }, "the encoding is unknown"},
      {[](Entry& e) { e.width = 0; }, "the image size is impossible"},
      {[](Entry& e) { e.width = 1 << 30; }, "the image size is impossible"},
      {[](Entry& e) { e.height += 1; }, "the length does not match the image size"}};
  for (const auto& [lie, problem] : lies) {
    test::RecordBytes bytes(folder / "a.dlrec");
    Entry entry = bytes.entry(1);
    lie(entry);
    bytes.put(1, entry);
    bytes.mend_checksums();
    CHECK_THAT(error_of_bytes(folder / "b.dlrec", bytes.text),
               Contains("its index is wrong: record 1: " + problem));
  }
}

TEST_CASE("an impossible header is rejected even if its checksum is correct") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec");
  using Header = images::RecordHeader;
  const std::vector<std::function<void(Header&)>> lies{
      [](Header& h) { h.alignment = 0; },
      [](Header& h) { h.alignment = 100; },
      [](Header& h) { h.records = ~std::uint64_t{0}; },
      [](Header& h) { h.records += std::uint64_t{1} << 59; },  // overflow at 32 bytes per entry
      [](Header& h) { h.records -= 1; },
      [](Header& h) { h.index_offset = 0; },
      [](Header& h) { h.index_offset += 128; },
      [](Header& h) { h.index_offset = ~std::uint64_t{127}; },
      [](Header& h) { h.names_offset += 1; },
      [](Header& h) { h.note_offset = 0; },
      [](Header& h) { h.note_offset = h.file_bytes + 1; },
      [](Header& h) { h.classes = 0; },
      [](Header& h) { h.classes = 3; },
      [](Header& h) { h.classes = 65537; },
      [](Header& h) { h.left_out = ~std::uint32_t{0}; }};
  for (std::size_t i = 0; i < lies.size(); ++i) {
    CAPTURE(i);
    test::RecordBytes bytes(folder / "a.dlrec");
    Header header = bytes.header();
    lies[i](header);
    bytes.put(header);
    bytes.mend_checksums();
    CHECK(error_of_bytes(folder / "b.dlrec", bytes.text) != "no error");
  }
}

TEST_CASE("a file that is not a record file or has another version is reported") {
  test::TempDir folder;
  const auto path = folder / "a.dlrec";
  CHECK_THAT(error_of(path), Contains("No such file"));
  CHECK_THAT(error_of(folder.path()), Contains("it is not a regular file"));
  CHECK_THAT(error_of_bytes(path, ""), Contains("it is empty"));
  CHECK_THAT(error_of_bytes(path, "\xff\xd8\xff\xe0 JFIF"), Contains("it is not a record file"));
  test::write_records(path);
  test::RecordBytes bytes(path);
  images::RecordHeader header = bytes.header();
  header.version = 2;
  bytes.put(header);
  CHECK_THAT(error_of_bytes(path, bytes.text),
             Contains("it has version 2 of the format, but this dlscale reads version 1"));
  CHECK_THAT(error_of_bytes(path, bytes.text.substr(0, 40)), Contains("it is cut short"));
}

TEST_CASE("truncating a file while it is read is an error and not a crash") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec", 4096);
  const RecordFile file(folder / "a.dlrec");
  std::vector<std::uint8_t> buffer;
  file.read_record(1, buffer);
  REQUIRE(::truncate((folder / "a.dlrec").c_str(), 2 * 4096 + 6) == 0);
  for (const std::int64_t number : {1, 2, 3}) {
    CHECK_THROWS_WITH(file.read_record(number, buffer),
                      Contains("it became shorter while it was read"));
    CHECK_THROWS_AS(file.read_record(number, buffer), base::RunError);
  }
  CHECK(file.read_record(0, buffer).bytes.size() == 6);
}

TEST_CASE("a record that is overwritten before its first read is broken") {
  test::TempDir folder;
  test::write_records(folder / "a.dlrec");
  const test::RecordBytes bytes(folder / "a.dlrec");
  const RecordFile file(folder / "a.dlrec");
  std::FILE* out = std::fopen((folder / "a.dlrec").c_str(), "r+");
  REQUIRE(std::fseek(out, static_cast<long>(bytes.entry(2).offset), SEEK_SET) == 0);
  REQUIRE(std::fputc(0xff, out) == 0xff);
  std::fclose(out);
  std::vector<std::uint8_t> buffer;
  CHECK_THROWS_AS(file.read_record(2, buffer), images::BrokenPicture);
  CHECK(file.read_record(1, buffer).bytes.size() == 9);
}
