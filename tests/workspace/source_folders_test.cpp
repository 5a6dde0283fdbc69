// SPDX-License-Identifier: Apache-2.0
#include "workspace/source_folders.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::workspace {
namespace {

using Catch::Contains;
namespace fs = std::filesystem;

/// Folder with plan folders that all have the run "ddp-g1-r1".
struct Folders {
  test::TempDir dir;
  Folders() {
    for (const char* name : {"juwels", "nef", "old/nef", "a/out", "b/out"}) add(name);
  }
  void add(const std::string& name, const std::string& run_id = "ddp-g1-r1") const {
    contract::Plan plan;
    plan.study = name;
    plan.runs.push_back({.run_id = run_id});
    base::make_directories(dir / name);
    base::write_file_atomically(dir / name / "plan.json", to_json(plan));
  }
  std::string path(const std::string& name) const { return (dir / name).string(); }
  SourceArguments divided(const std::string& first, std::vector<std::string> others) const {
    for (std::string& other : others) {
      if (fs::exists(dir / other)) other = path(other);
    }
    return divide_arguments(path(first), others);
  }
  std::vector<std::string> names(const std::string& first,
                                 const std::vector<std::string>& others) const {
    std::vector<std::string> found;
    for (const SourceFolder& folder : divided(first, others).folders) found.push_back(folder.name);
    return found;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("one plan folder with run ids and globs has no sources") {
  const Folders at;
  const SourceArguments divided = at.divided("juwels", {"ddp-g1-r1", "horovod-*"});
  CHECK(divided.folders.empty());
  CHECK(divided.runs == Names{"ddp-g1-r1", "horovod-*"});
  CHECK(at.divided("missing", {}).folders.empty());
}

TEST_CASE("plan folders are sources, and all other arguments are runs") {
  const Folders at;
  const SourceArguments divided = at.divided("juwels", {"ddp-*", "nef", "nef/ddp-g1-r1"});
  REQUIRE(divided.folders.size() == 2);
  CHECK(divided.folders[0].name == "juwels");
  CHECK(divided.folders[0].folder == at.dir / "juwels");
  CHECK(divided.folders[1].name == "nef");
  CHECK(divided.runs == Names{"ddp-*", "nef/ddp-g1-r1"});
}

TEST_CASE("folders with the same last name also have the name of their parent folder") {
  const Folders at;
  CHECK(at.names("a/out", {"b/out", "juwels"}) == Names{"a/out", "b/out", "juwels"});
  CHECK(at.names("nef", {"old/nef"}).at(1) == "old/nef");
  CHECK(at.names("juwels/", {"nef/."}) == Names{"juwels", "nef"});
}

TEST_CASE("a name before the folder becomes the name of the source") {
  const Folders at;
  CHECK(at.names("juwels", {"torch 2.4=" + at.path("nef")}) == Names{"juwels", "torch 2.4"});
  const SourceArguments named = divide_arguments("new=" + at.path("nef"), {});
  REQUIRE(named.folders.size() == 1);
  CHECK(named.folders[0].name == "new");
  CHECK(named.folders[0].folder == at.dir / "nef");
}

TEST_CASE("a folder that is given twice is rejected, also through a link") {
  const Folders at;
  CHECK_THROWS_WITH(at.divided("juwels", {"juwels"}),
                    Contains("is the same folder as") && Contains("give each folder once"));
  fs::create_symlink(at.dir / "juwels", at.dir / "link");
  CHECK_THROWS_AS(at.divided("juwels", {"link"}), base::UsageError);
}

TEST_CASE("two sources with the same name are rejected") {
  const Folders at;
  CHECK_THROWS_WITH(at.divided("juwels", {"juwels=" + at.path("nef")}),
                    Contains("have the same name \"juwels\"; give one folder another name: NAME="));
  at.add("x/a/out");
  CHECK_THROWS_AS(at.divided("a/out", {"x/a/out"}), base::UsageError);
}

TEST_CASE("a name that conditions cannot contain is rejected") {
  const Folders at;
  CHECK_THROWS_WITH(at.divided("juwels", {"a,b=" + at.path("nef")}),
                    Contains("the name \"a,b\" of the source must not"));
  at.add("c,d");
  CHECK_THROWS_WITH(at.divided("juwels", {"c,d"}), Contains("write NAME="));
}

TEST_CASE("a folder without a plan is rejected with the nearest plan folder") {
  const Folders at;
  CHECK_THROWS_WITH(at.divided("juwels", {at.path("nfe")}),
                    Contains("does not exist; did you mean \"" + at.path("nef") + "\"?"));
  CHECK_THROWS_WITH(at.divided("juwels", {at.path("neff/")}),
                    Contains("did you mean \"" + at.path("nef") + "\"?"));
  CHECK_THROWS_WITH(at.divided("juwels", {"old"}),
                    Contains("contains no plan.json; did you mean \"" + at.path("old/nef")));
  base::make_directories(at.dir / "empty");
  CHECK_THROWS_WITH(at.divided("juwels", {"empty"}), Contains("dlscale plan -o"));
  CHECK_THROWS_WITH(at.divided("empty", {"nef"}), Contains("contains no plan.json"));
  CHECK_THROWS_AS(at.divided("juwels", {"x=" + at.path("empty")}), base::UsageError);
}

TEST_CASE("an argument that is a plan folder is a folder even if a run has the same name") {
  const Folders at;
  const fs::path before = fs::current_path();
  fs::current_path(at.dir.path());
  at.add("ddp-g1-r1");
  const SourceArguments divided = divide_arguments("juwels", {"ddp-g1-r1"});
  fs::current_path(before);
  CHECK(divided.runs.empty());
  CHECK(divided.folders.size() == 2);
}

}  // namespace dlscale::workspace
