// SPDX-License-Identifier: Apache-2.0
// Tests of the threads that read files ahead of their use.
#include "analysis/store/read_ahead.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace {

/// Number of files. It exceeds the number of files that the threads read before the first file is
/// taken.
constexpr std::size_t kFiles = 600;

struct Files {
  test::TempDir temp;
  std::vector<FileToTake> files;

  Files() {
    for (std::size_t i = 0; i < kFiles; ++i) {
      files.push_back({std::to_string(i)});
      std::ofstream(path(i)) << text_of(i);
    }
  }
  std::filesystem::path path(std::size_t i) const { return temp.path() / files[i].name; }
  static std::string text_of(std::size_t i) { return "file " + std::to_string(i) + "\n"; }
};

}  // namespace

TEST_CASE("hundreds of files are taken in order, each with its own text") {
  const Files all;
  ReadAhead ahead(all.temp.path(), all.files);
  for (std::size_t i = 0; i < kFiles; ++i) {
    const TakenFile& taken = ahead.take_file(all.files[i].name);
    REQUIRE(taken.text == Files::text_of(i));
    REQUIRE(taken.size == static_cast<std::int64_t>(taken.text.size()));
    REQUIRE(taken.sha256 == contract::sha256_hex(taken.text));
  }
}

TEST_CASE("files may be skipped, taken out of order, or differ from the given ones") {
  const Files all;
  base::write_file_atomically(all.temp.path() / "other", "other\n");
  ReadAhead ahead(all.temp.path(), all.files);
  for (std::size_t i = 97; i < kFiles; i += 97) {  // also skip complete blocks
    REQUIRE(ahead.take_file(all.files[i].name).text == Files::text_of(i));
    REQUIRE(ahead.take_file("other").text == "other\n");
    REQUIRE(ahead.take_file((all.temp.path() / "other").string()).text == "other\n");
    REQUIRE(ahead.take_file(all.files[i / 2].name).text == Files::text_of(i / 2));
  }
}

TEST_CASE("a missing file is reported when it is taken, and the others are read") {
  Files all;
  for (const std::size_t gone : {std::size_t{0}, std::size_t{300}, kFiles - 1}) {
    std::filesystem::remove(all.path(gone));
  }
  ReadAhead ahead(all.temp.path(), all.files);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < kFiles; ++i) {
    try {
      const TakenFile& taken = ahead.take_file(all.files[i].name);
      REQUIRE(taken.text == Files::text_of(i));
    } catch (const base::RunError& error) {
      CHECK_THAT(error.what(), Catch::Contains(all.path(i).string()));
      missing.push_back(i);
    }
  }
  CHECK(missing == std::vector<std::size_t>{0, 300, kFiles - 1});
}

TEST_CASE("results are parsed ahead unless their content is known or broken") {
  Files all;
  for (std::size_t i = 0; i < kFiles; ++i) {
    std::ofstream(all.path(i)) << to_json_line(contract::ResultRecord(contract::EpochRecord{3}))
                               << "\n";
    all.files[i].kind = FileToTake::Kind::results;
  }
  const std::string text = base::read_file(all.path(1));
  all.files[1].known_sha256 = contract::sha256_hex(text);
  all.files[2].kind = FileToTake::Kind::description;  // the kind does not fit the file
  ReadAhead ahead(all.temp.path(), all.files);
  const TakenFile& parsed = ahead.take_file(all.files[0].name);
  REQUIRE(parsed.results);
  CHECK(std::get<contract::EpochRecord>(parsed.results->records.at(0)).epoch == 3);
  CHECK(parsed.size == static_cast<std::int64_t>(text.size()));
  CHECK_FALSE(ahead.take_file(all.files[1].name).results);
  const TakenFile& broken = ahead.take_file(all.files[2].name);
  CHECK_FALSE(broken.description);
  CHECK(broken.text == text);  // the error message needs the text
}

TEST_CASE("reading ahead can be abandoned while threads still read") {
  const Files all;
  for (int i = 0; i < 20; ++i) {
    ReadAhead ahead(all.temp.path(), all.files);
    if (i % 2 == 1) CHECK(ahead.take_file(all.files[40].name).text == Files::text_of(40));
  }
}

}  // namespace dlscale::analysis
