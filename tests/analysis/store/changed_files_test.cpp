// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/changed_files.hpp"

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

namespace fs = std::filesystem;
using Changed = std::vector<std::string>;

struct Folder {
  test::WrittenStudy study;
  std::string run = study.add("ddp", 1);
  std::string waiting = study.plan_run("ddp", 2);

  Folder() {
    base::LineAppender(study.folder.run_notes(run)).append("{}");
    ingest(study.folder);
  }
  Changed changed() const { return files_changed_since_collect(study.folder); }
};

}  // namespace

TEST_CASE("a folder whose files are as in the last collect has no changed files") {
  const Folder folder;
  CHECK(folder.changed().empty());
  // A copy has other times and inodes.
  const test::TempDir other;
  const fs::path copy = other.path() / "copy";
  fs::copy(folder.study.folder.root(), copy, fs::copy_options::recursive);
  CHECK(files_changed_since_collect(contract::PlanDir(copy)).empty());
}

TEST_CASE("new launches, longer records and recorded ends are changes until the next collect") {
  Folder folder;
  folder.study.launch(folder.waiting, 2);
  CHECK(folder.changed() == Changed{"runs/" + folder.waiting + "/launch-1"});
  const contract::RunDir run = folder.study.folder.run(folder.run);
  base::LineAppender(run.launch(1).results()).append("{}");
  base::LineAppender(folder.study.folder.run_notes(folder.run)).append("{}");
  CHECK(folder.changed().size() == 3);
  ingest(folder.study.folder);
  CHECK(folder.changed().empty());
}

TEST_CASE("another format of the study is a change, even if its size is the same") {
  Folder folder;
  const fs::path file = folder.study.folder.log_format_toml();
  base::write_file_atomically(file, "line = '(?<wall_s>.*) s'\n");
  CHECK(folder.changed() == Changed{"log_format.toml"});
  ingest(folder.study.folder);
  base::write_file_atomically(file, "line = '(?<wall_s>.+) s'\n");
  CHECK(folder.changed() == Changed{"log_format.toml"});
}

}  // namespace dlscale::analysis
