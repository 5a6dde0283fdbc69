// SPDX-License-Identifier: Apache-2.0
#include "images/record_writer.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/images/record_samples.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;
using images::RecordWriter;
namespace fs = std::filesystem;

namespace {

/// Object that limits the size of files as long as it exists, which simulates a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("an unfinished record file is removed") {
  test::TempDir folder;
  {
    RecordWriter writer(folder / "a.dlrec", {.classes = {"cat"}});
    const std::vector<std::uint8_t> pixel{1, 2, 3};
    writer.append({pixel, images::Encoding::raw, 1, 1, 0});
    CHECK_FALSE(fs::exists(folder / "a.dlrec"));
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a full disk is an error, and the previous file is kept") {
  test::TempDir folder;
  const auto path = folder / "a.dlrec";
  base::write_file_atomically(path, "before");
  const std::size_t whole = 128 * 4;
  for (const rlim_t room : {rlim_t{0}, rlim_t{50}, rlim_t{300}, rlim_t{whole + 140}}) {
    const FullDisk disk(room);
    CHECK_THROWS_WITH(test::write_records(path), Contains("cannot write " + path.string()));
    CHECK(base::read_file(path) == "before");
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("invalid settings of a record file are rejected before it is created") {
  test::TempDir folder;
  const auto path = folder / "a.dlrec";
  CHECK_THROWS_WITH(RecordWriter(path, {.classes = {"cat"}, .alignment = 100}),
                    Contains("cannot be aligned to 100 bytes"));
  CHECK_THROWS_WITH(RecordWriter(path, {}), Contains("1 to 65536 classes (got 0)"));
  CHECK_THROWS_WITH(RecordWriter(path, {.classes = {"a\nb"}}), Contains("has a line break"));
  CHECK_THROWS_WITH(RecordWriter(folder / "no/a.dlrec", {.classes = {"cat"}}),
                    Contains("No such file"));
  CHECK(fs::is_empty(folder.path()));
}
