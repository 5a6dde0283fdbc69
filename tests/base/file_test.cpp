// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using namespace dlscale::base;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("an atomically written file is read back unchanged") {
  const test::TempDir dir;
  const std::string content("a\0b\n", 4);
  write_file_atomically(dir / "f", content);
  CHECK(read_file(dir / "f") == content);
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("a file with the same content is not written again") {
  const test::TempDir dir;
  CHECK(write_file_if_changed(dir / "f", "one"));
  const auto before = std::filesystem::last_write_time(dir / "f");
  CHECK_FALSE(write_file_if_changed(dir / "f", "one"));
  CHECK(std::filesystem::last_write_time(dir / "f") == before);
  CHECK(write_file_if_changed(dir / "f", "two"));
  CHECK(read_file(dir / "f") == "two");
}

TEST_CASE("a read error contains the path and the reason of the system") {
  const test::TempDir dir;
  CHECK_THROWS_WITH(read_file(dir / "none"), Contains("none: No such file"));
  CHECK_THROWS_WITH(read_file(dir.path()), Contains("Is a directory"));
}

TEST_CASE("a text above 64 MiB or without end is rejected, and a pipe is read") {
  CHECK_THROWS_WITH(base::read_text_file("/dev/zero"),
                    "cannot read /dev/zero: the file is larger than 64 MiB");
  test::TempDir dir;
  const fs::path sparse = dir / "sparse", pipe = dir / "pipe";
  base::write_file_atomically(sparse, "");
  fs::resize_file(sparse, base::kMostTextBytes + 1);
  CHECK_THROWS_AS(base::read_text_file(sparse), base::RunError);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "some text"; });
  CHECK(base::read_text_file(pipe) == "some text");
  writer.join();
}

TEST_CASE("partial files are removed if their writer on this host has ended") {
  test::TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const std::string nobody = std::to_string(child);
  const fs::path left = dir / ("a.sh" + base::part_ending(child)),
                 living = dir / ("a.sh" + base::part_ending(::getpid())),
                 of_another_host = dir / ("a.sh.part" + nobody + "@elsewhere"),
                 of_no_host = dir / ("a.sh.part" + nobody), other = dir / "counterpart.part1x";
  for (const fs::path& path : {left, living, of_another_host, of_no_host, other}) {
    std::ofstream(path) << "half";
  }
  base::remove_left_parts(dir.path());
  CHECK_FALSE(fs::exists(left));
  for (const fs::path& path : {living, of_another_host, of_no_host, other}) CHECK(fs::exists(path));
  base::remove_left_parts(dir / "nowhere");
}

TEST_CASE("a PartFile gets its name when it is complete and is otherwise removed") {
  test::TempDir dir;
  {
    base::PartFile lost(dir / "lost");
    lost.append("half");
    CHECK(files_in(dir.path()) == 1);
  }
  CHECK(files_in(dir.path()) == 0);
  base::PartFile file(dir / "kept");
  file.append("head....");
  file.append("tail");
  CHECK(file.size() == 12);
  file.write("12", 4);
  file.flush();
  CHECK_FALSE(fs::exists(dir / "kept"));
  file.take_its_name();
  CHECK(base::read_file(dir / "kept") == "head12..tail");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("writing into a missing folder fails and leaves nothing") {
  const test::TempDir dir;
  CHECK_THROWS_AS(write_file_atomically(dir / "no/f", "x"), RunError);
  CHECK(files_in(dir.path()) == 0);
}

TEST_CASE("a write above the file size limit keeps the old content") {
  const test::TempDir dir;
  write_file_atomically(dir / "f", "old");
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit small { 10, before.rlim_max };
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  CHECK_THROWS_AS(write_file_atomically(dir / "f", std::string(1000, 'x')), RunError);
  std::signal(SIGXFSZ, old_handler);
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(read_file(dir / "f") == "old");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("creating a folder below a file is reported as an error") {
  const test::TempDir dir;
  write_file_atomically(dir / "f", "x");
  CHECK_THROWS_WITH(make_directories(dir / "f/sub"), StartsWith("cannot make folder"));
}

TEST_CASE("lines are appended whole and in order") {
  const test::TempDir dir;
  {
    LineAppender log(dir / "log");
    log.append("one");
    log.append("two");
  }
  LineAppender(dir / "log").append("three");
  CHECK(read_file(dir / "log") == "one\ntwo\nthree\n");
}

TEST_CASE("appending after the incomplete line of a killed writer starts a new line") {
  const test::TempDir dir;
  std::ofstream(dir / "log") << "one\nhal";
  LineAppender(dir / "log").append("two");
  CHECK(read_file(dir / "log") == "one\nhal\ntwo\n");
}

TEST_CASE("a folder reports whether a file holds exactly the given content") {
  const test::TempDir dir;
  const Folder folder(dir.path());
  folder.write("f", "one");
  CHECK(folder.holds("f", "one"));
  for (const char* other : {"", "on", "two", "one\n"}) CHECK_FALSE(folder.holds("f", other));
  CHECK_FALSE(folder.holds("g", ""));
  folder.make_directory("d");
  folder.make_directory("d");
  CHECK_FALSE(folder.holds("d", ""));
  folder.write("d/f", std::string(200000, 'x'));
  CHECK(folder.holds("d/f", std::string(200000, 'x')));
  CHECK_FALSE(folder.holds("d/f", std::string(199999, 'x') + "y"));
  CHECK_FALSE(Folder(dir / "nowhere").holds("f", "one"));
}

TEST_CASE("a staged file appears when it is published, and not when it is discarded") {
  test::TempDir dir;
  const Folder folder(dir.path());
  folder.write("f", "old");
  folder.stage("f", "new", Folder::Mode::executable);
  CHECK(folder.holds("f", "old"));
  folder.publish("f");
  CHECK(folder.holds("f", "new", Folder::Mode::executable));
  folder.stage("f", "other");
  folder.discard("f");
  CHECK(folder.holds("f", "new"));
  CHECK_THROWS_AS(folder.publish("f"), RunError);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("a folder's file is replaced in one step and can be made executable") {
  const test::TempDir dir;
  const Folder folder(dir.path());
  folder.write("f", "one");
  std::ifstream reader(dir / "f");
  folder.write("f", "longer", Folder::Mode::executable);
  CHECK(std::string(std::istreambuf_iterator(reader), {}) == "one");
  CHECK(read_file(dir / "f") == "longer");
  CHECK(folder.holds("f", "longer", Folder::Mode::executable));
  std::filesystem::permissions(dir / "f", std::filesystem::perms(0644));
  CHECK_FALSE(folder.holds("f", "longer", Folder::Mode::executable));
  CHECK(folder.holds("f", "longer"));
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("a failed write into a folder is reported with the path") {
  const test::TempDir dir;
  const Folder folder(dir.path());
  const std::string path = dir.path().string();
  CHECK_THROWS_WITH(folder.write("d/f", "x"),
                    "cannot write " + path + "/d/f: No such file or directory");
  CHECK_THROWS_WITH(folder.make_directory("d/e"),
                    "cannot make folder " + path + "/d/e: No such file or directory");
  write_file_atomically(dir / "f", "x");
  CHECK_FALSE(Folder(dir / "f").exists());
}

TEST_CASE("a file in pieces is compared and written like a file from one text") {
  const test::TempDir dir;
  const auto pieces = [](int count) {
    return [count](const auto& take) {
      for (int i = 0; i < count; ++i) take(std::to_string(i) + "\n");
    };
  };
  CHECK_FALSE(file_holds(dir / "f", pieces(3)));
  write_pieces_atomically(dir / "f", pieces(3));
  CHECK(read_file(dir / "f") == "0\n1\n2\n");
  CHECK(file_holds(dir / "f", pieces(3)));
  CHECK_FALSE(file_holds(dir / "f", pieces(2)));
  CHECK_FALSE(file_holds(dir / "f", pieces(4)));
  CHECK_THROWS_AS(write_pieces_atomically(dir / "f",
                                          [](const auto& take) {
                                            take("part");
                                            throw RunError("stop");
                                          }),
                  RunError);
  CHECK(read_file(dir / "f") == "0\n1\n2\n");
  CHECK(files_in(dir.path()) == 1);
}
