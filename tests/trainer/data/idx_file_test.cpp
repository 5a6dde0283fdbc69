// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/idx_images.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using namespace std::string_literals;

namespace {

/// Header of an IDX file with two images of 1x3.
const std::string kHeader = "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03"s;
const std::string kWhole = kHeader + "\x01\x02\x03\x04\x05\xff";

std::string compressed(const std::string& text) {
  test::TempDir folder;
  gzFile file = gzopen((folder / "x.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return base::read_file(folder / "x.gz");
}

/// Returns the error of reading a file with this content, and checks the file name and the exit
/// code.
std::string idx_error(const std::string& content, const std::string& name = "images") {
  test::TempDir folder;
  base::write_file_atomically(folder / name, content);
  try {
    trainer::read_idx(folder / "images", 3);
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    CHECK_THAT(error.what(), Catch::Contains((folder / name).string()));
    CHECK_THAT(error.what(), Catch::Contains("fetch the file again"));
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a plain and a compressed file give the same data") {
  test::TempDir folder;
  base::write_file_atomically(folder / "plain", kWhole);
  base::write_file_atomically(folder / "packed.gz", compressed(kWhole));
  for (const char* name : {"plain", "packed"}) {
    const auto array = trainer::read_idx(folder / name, 3);
    CHECK(array.sizes == std::vector<std::int64_t>{2, 1, 3});
    CHECK(array.values == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 255});
  }
}

TEST_CASE("a truncated file is reported with the number of bytes that it has") {
  CHECK_THAT(idx_error(kWhole.substr(0, 20)), Catch::Contains("cut short: 4 of 6 bytes"));
  CHECK_THAT(idx_error(kWhole.substr(0, 10)), Catch::Contains("is cut short in its header"));
  CHECK_THAT(idx_error(""), Catch::Contains("not an IDX file"));
}

TEST_CASE("a file longer than its header states is rejected") {
  CHECK_THAT(idx_error(kWhole + "x"), Catch::Contains("longer than its header declares"));
}

TEST_CASE("a wrong magic number, element type or dimension count is rejected") {
  CHECK_THAT(idx_error("<html>not found</html>"), Catch::Contains("not an IDX file"));
  CHECK_THAT(idx_error("\0\0\x0d\x03"s + kWhole.substr(4)), Catch::Contains("not unsigned bytes"));
  CHECK_THAT(idx_error("\0\0\x08\x01"s + kWhole.substr(4)),
             Catch::Contains("1 dimensions instead of 3"));
}

TEST_CASE("sizes beyond any memory are rejected before memory is allocated") {
  const std::string huge = "\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s;
  CHECK_THAT(idx_error(huge), Catch::Contains("sizes overflow"));
  const std::string large = "\0\0\x08\x03\xff\xff\xff\xff\0\0\0\x01\0\0\0\x01"s;
  CHECK_THAT(idx_error(large), Catch::Contains("cut short: 0 of 4294967295 bytes"));
}

TEST_CASE("damaged gzip data is rejected") {
  std::string packed = compressed(kWhole);
  // Changes a byte of the checksum.
  packed[packed.size() - 6] = static_cast<char>(~packed[packed.size() - 6]);
  CHECK_THAT(idx_error(packed, "images.gz"), Catch::Contains("gzip data is damaged"));
  CHECK_THAT(idx_error(compressed(kWhole).substr(0, 20), "images.gz"),
             Catch::Contains("cannot read"));
}

TEST_CASE("a missing file is named with its compressed form and the remedy") {
  CHECK_THROWS_WITH(
      trainer::read_idx("/nowhere/images", 3),
      "cannot read /nowhere/images: neither this file nor images.gz exists; put the file there or "
      "correct training.dataset.path in the study");
}
