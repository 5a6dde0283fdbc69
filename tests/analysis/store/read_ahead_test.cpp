// SPDX-License-Identifier: Apache-2.0
// Files that threads read before their turn comes.
#include "analysis/store/read_ahead.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_id.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace {

/// More than threads are started for, and than they read before the first is taken.
constexpr std::size_t kFiles = 600;

struct Files {
  test::TempDir temp;
  std::vector<FileToTake> files;

  Files() {
    for (std::size_t i = 0; i < kFiles; ++i) {
      files.push_back({temp.path() / std::to_string(i), std::to_string(i)});
      std::ofstream(files[i].path) << text_of(i);
    }
  }
  static std::string text_of(std::size_t i) { return "file " + std::to_string(i) + "\n"; }
};

}  // namespace

TEST_CASE("hundreds of files are taken in their order, each with its own text") {
  const Files all;
  ReadAhead ahead(all.files);
  for (std::size_t i = 0; i < kFiles; ++i) {
    const TakenFile taken = ahead.take(all.files[i]);
    REQUIRE(taken.text == Files::text_of(i));
    REQUIRE(taken.sha256 == contract::sha256_hex(taken.text));
  }
}

TEST_CASE("files may be left out, taken out of turn, or be others than were given") {
  Files all;
  const FileToTake other{all.temp.path() / "other", "other"};
  base::write_file_atomically(other.path, "other\n");
  ReadAhead ahead(all.files);
  for (std::size_t i = 97; i < kFiles; i += 97) {  // whole blocks are left out, too
    REQUIRE(ahead.take(all.files[i]).text == Files::text_of(i));
    REQUIRE(ahead.take(other).text == "other\n");
    REQUIRE(ahead.take(all.files[i / 2]).text == Files::text_of(i / 2));
  }
}

TEST_CASE("a file that is gone is told when its turn comes, and the others are read") {
  Files all;
  for (const std::size_t gone : {std::size_t{0}, std::size_t{300}, kFiles - 1}) {
    std::filesystem::remove(all.files[gone].path);
  }
  ReadAhead ahead(all.files);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < kFiles; ++i) {
    try {
      const TakenFile taken = ahead.take(all.files[i]);
      REQUIRE(taken.text == Files::text_of(i));
    } catch (const base::RunError& error) {
      CHECK_THAT(error.what(), Catch::Contains(all.files[i].path.string()));
      missing.push_back(i);
    }
  }
  CHECK(missing == std::vector<std::size_t>{0, 300, kFiles - 1});
}

TEST_CASE("results are parsed ahead, unless their content is known or broken") {
  Files all;
  for (FileToTake& file : all.files) {
    std::ofstream(file.path) << to_json_line(contract::ResultRecord(contract::EpochRecord{3}))
                             << "\n";
    file.kind = FileToTake::Kind::results;
  }
  all.files[1].known_sha256 = contract::sha256_hex(base::read_file(all.files[1].path));
  all.files[2].kind = FileToTake::Kind::description;  // which it is none of
  ReadAhead ahead(all.files);
  const TakenFile parsed = ahead.take(all.files[0]);
  REQUIRE(parsed.results);
  CHECK(std::get<contract::EpochRecord>(parsed.results->records.at(0)).epoch == 3);
  CHECK_FALSE(ahead.take(all.files[1]).results);
  CHECK_FALSE(ahead.take(all.files[2]).description);
}

TEST_CASE("whoever takes no more may leave while threads still read") {
  const Files all;
  for (int i = 0; i < 20; ++i) {
    ReadAhead ahead(all.files);
    if (i % 2 == 1) CHECK(ahead.take(all.files[40]).text == Files::text_of(40));
  }
}

}  // namespace dlscale::analysis
