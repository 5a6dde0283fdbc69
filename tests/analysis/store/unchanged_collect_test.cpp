// SPDX-License-Identifier: Apache-2.0
// Tests that collecting an unchanged folder only checks files, and that collecting notices every
// change.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "analysis/store/sources.hpp"
#include "tests/analysis/support/clock.hpp"
#include "tests/analysis/support/database_dump.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

namespace fs = std::filesystem;
using contract::PlanDir;
using contract::RunOutcome;
using test::dump_all;
using test::let_time_pass;
using test::WrittenStudy;

/// Collects the folder. Returns true if the collect wrote the database.
bool writes(const PlanDir& folder) {
  const auto bytes = [&] {
    return fs::exists(folder.database()) ? base::read_file(folder.database()) : "";
  };
  const std::string before = bytes();
  const bool told = ingest(folder).wrote;
  CHECK((bytes() != before) == told);
  return told;
}

/// Changes a byte and restores the file times as far as possible.
void change_a_byte(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  std::string text = base::read_file(path);
  const std::size_t at = text.find("0.9");
  REQUIRE(at != std::string::npos);
  const int file = ::open(path.c_str(), O_WRONLY);
  REQUIRE(::pwrite(file, text[at + 2] == '9' ? "8" : "9", 1, static_cast<off_t>(at + 2)) == 1);
  ::close(file);
  const timespec times[] = {status.st_atim, status.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

/// Replaces a file by a different file with the same name, size and modification time.
void replace_by_another(const fs::path& path) {
  const fs::path other = path.string() + ".other";
  fs::copy_file(path, other);
  const auto time = fs::last_write_time(path);
  change_a_byte(other);
  fs::last_write_time(other, time);
  fs::rename(other, path);
}

/// Folder with four runs: a completed run with results, a failed run with results, a launched run
/// without results, and a run without launches.
struct Folder {
  WrittenStudy study;
  std::string good = study.add("ddp", 1);
  std::string failed = study.add("ddp", 2, {.outcome = RunOutcome::Failed});
  std::string silent = study.plan_run("ddp", 4);
  std::string waiting = study.plan_run("synchronous", 1);
  const PlanDir& folder = study.folder;

  Folder() {
    folder.run(silent).make_next_launch();
    study.note_end(failed, RunOutcome::OutOfMemory, WrittenStudy::start_of_launch(1) + 20);
    end_file("a.end", waiting, RunOutcome::Cancelled);
    ingest(folder);
    let_time_pass(folder);
  }
  fs::path results(const std::string& run) const { return folder.run(run).launch(1).results(); }
  void end_file(const std::string& name, const std::string& run, RunOutcome outcome) const {
    const contract::LaunchRecord record{
        .event = "ended", .run_id = run, .time = 5, .outcome = outcome};
    base::write_file_atomically(folder.logs() / name, to_json_line(record) + "\n");
  }
};

/// Changes to a folder that affect the result of a collect.
const std::map<std::string, std::function<void(Folder&)>>& changes() {
  static const std::map<std::string, std::function<void(Folder&)>> all{
      {"results grow",
       [](Folder& f) {
         base::LineAppender(f.results(f.good)).append(to_json_line(contract::EpochRecord{1}));
       }},
      {"results are cut",
       [](Folder& f) { fs::resize_file(f.results(f.good), fs::file_size(f.results(f.good)) / 2); }},
      {"one byte of results differs", [](Folder& f) { change_a_byte(f.results(f.good)); }},
      {"results are replaced", [](Folder& f) { replace_by_another(f.results(f.good)); }},
      {"results are gone", [](Folder& f) { fs::remove(f.results(f.good)); }},
      {"results come to a launch without any",
       [](Folder& f) {
         base::LineAppender(f.results(f.silent)).append(to_json_line(contract::RunStop{}));
       }},
      {"a launch begins", [](Folder& f) { f.study.launch(f.failed, 2); }},
      {"a launch begins without results",
       [](Folder& f) { f.folder.run(f.good).make_next_launch(); }},
      {"a launch is gone",
       [](Folder& f) { fs::remove_all(f.folder.run(f.good).launch(1).root()); }},
      {"a launch without results is gone",
       [](Folder& f) { fs::remove_all(f.folder.run(f.silent).launch(1).root()); }},
      {"a launch is renamed",
       [](Folder& f) {
         fs::rename(f.folder.run(f.good).launch(1).root(), f.folder.run(f.good).launch(3).root());
       }},
      {"one byte of a description differs",
       [](Folder& f) { change_a_byte(f.folder.run(f.waiting).run_json()); }},
      {"a description is broken",
       [](Folder& f) { base::write_file_atomically(f.folder.run(f.good).run_json(), "{}"); }},
      {"a description is gone", [](Folder& f) { fs::remove(f.folder.run(f.good).run_json()); }},
      {"a run is gone", [](Folder& f) { fs::remove_all(f.folder.run(f.good).root()); }},
      {"a run is planned", [](Folder& f) { f.study.plan_run("synchronous", 2); }},
      {"the plan has a run no more",
       [](Folder& f) {
         f.study.plan.runs.erase(f.study.plan.runs.begin());
         f.study.write_plan();
       }},
      {"the runner notes an end",
       [](Folder& f) { f.study.note_end(f.silent, RunOutcome::NodeFailed, 5); }},
      {"the runner's notes are gone", [](Folder& f) { fs::remove(f.folder.launch_log()); }},
      {"a script notes an end",
       [](Folder& f) { f.end_file("b.end", f.silent, RunOutcome::NodeFailed); }},
      {"a script's note differs",
       [](Folder& f) { f.end_file("a.end", f.waiting, RunOutcome::TimedOut); }},
      {"a script's note is gone", [](Folder& f) { fs::remove(f.folder.logs() / "a.end"); }},
  };
  return all;
}

}  // namespace

TEST_CASE("the database of an unchanged folder is not written") {
  Folder f;
  const IngestSummary summary = ingest(f.folder);
  CHECK(summary.files_read == 0);
  CHECK(summary.files_unchanged == 6);
  CHECK(summary.launches == 3);
  CHECK_FALSE(writes(f.folder));
  CHECK(read_outcomes(f.folder).runs.size() == 4);
  CHECK(read_outcomes(f.folder).runs[1].outcome == "OutOfMemory");
}

TEST_CASE("any change in a folder gives the same database as a rebuild") {
  for (const auto& [what, change] : changes()) {
    INFO(what);
    Folder f;
    const std::string before = dump_all(f.folder);
    change(f);
    CHECK(writes(f.folder));
    const std::string after = dump_all(f.folder);
    CHECK(after != before);
    ingest(f.folder, true);
    CHECK(dump_all(f.folder) == after);
  }
}

TEST_CASE("many consecutive changes give the same database as a rebuild") {
  std::mt19937 random(7);
  std::vector<std::function<void(Folder&)>> all;
  for (const auto& [what, change] : changes()) {
    const bool needs_all = what.find("byte") != what.npos || what.find("replaced") != what.npos ||
                           what.find("cut") != what.npos || what.find("renamed") != what.npos;
    if (!needs_all) all.push_back(change);
  }
  for (int round = 0; round < 4; ++round) {
    Folder f;
    std::shuffle(all.begin(), all.end(), random);
    for (const auto& change : all) {
      try {
        change(f);
      } catch (const std::exception&) {  // an earlier change removed the file
      }
      ingest(f.folder);
      if (random() % 2 == 0) let_time_pass(f.folder);
    }
    const std::string in_steps = dump_all(f.folder);
    ingest(f.folder, true);
    CHECK(dump_all(f.folder) == in_steps);
  }
}

TEST_CASE("problems are reported each time, even if nothing has changed") {
  Folder f;
  base::LineAppender(f.results(f.good)).append("not JSON");
  fs::remove(f.folder.run(f.waiting).run_json());
  const auto first = ingest(f.folder).problems;
  CHECK(first.size() == 2);
  let_time_pass(f.folder);
  CHECK(ingest(f.folder).problems == first);
  CHECK_FALSE(writes(f.folder));
}

TEST_CASE("an unreadable file excludes no other file and is read once it is readable") {
  Folder f;
  const fs::path file = f.results(f.good);
  const fs::path aside = f.folder.root().parent_path() / "aside";
  change_a_byte(file);
  fs::rename(file, aside);
  fs::create_directory(file);
  const auto problems = ingest(f.folder).problems;
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("; collect again when the file can be read") != problems[0].npos);
  let_time_pass(f.folder);
  CHECK(ingest(f.folder).problems == problems);
  fs::remove(file);
  fs::rename(aside, file);
  CHECK(ingest(f.folder).problems.empty());
  const std::string after = dump_all(f.folder);
  ingest(f.folder, true);
  CHECK(dump_all(f.folder) == after);
}

TEST_CASE("an unreadable end file of a script is named, and the others are read") {
  Folder f;
  f.end_file("c.end", f.silent, RunOutcome::NodeFailed);
  fs::create_symlink("/proc/self/mem", f.folder.logs() / "b.end");  // reading at offset 0 fails
  fs::create_directory(f.folder.logs() / "d.end");
  const auto problems = ingest(f.folder).problems;
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].find("b.end: Input/output error; collect again") != problems[0].npos);
  CHECK(problems[1] == "logs/d.end: is a folder");
  for (const RunRow& run : read_frame(f.folder).runs) {
    if (run.run_id == f.silent) CHECK(run.outcome == "NodeFailed");
  }
  let_time_pass(f.folder);
  CHECK(ingest(f.folder).problems == problems);
  fs::remove(f.folder.logs() / "b.end");
  f.end_file("b.end", f.silent, RunOutcome::Preempted);
  fs::remove(f.folder.logs() / "d.end");
  CHECK(ingest(f.folder).problems.empty());
}

TEST_CASE("a pipe or a broken link in place of a file is named and does not block") {
  Folder f;
  const fs::path pipe = f.results(f.good), link = f.results(f.failed);
  fs::remove(pipe);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::remove(link);
  fs::create_symlink("nowhere", link);
  fs::remove(f.folder.run(f.waiting).run_json());
  fs::create_symlink("nowhere", f.folder.run(f.waiting).run_json());
  REQUIRE(::mkfifo((f.folder.logs() / "b.end").c_str(), 0600) == 0);
  std::vector<std::string> problems = ingest(f.folder).problems;
  std::sort(problems.begin(), problems.end());
  CHECK(problems == std::vector<std::string>{
                        "logs/b.end: is a pipe, not a file",
                        "runs/" + f.good + "/launch-1/results.jsonl: is a pipe, not a file",
                        "runs/" + f.failed + "/launch-1/results.jsonl: is a link to a missing file",
                        "runs/" + f.waiting + "/run.json: is a link to a missing file"});
  ingest(f.folder, true);
  let_time_pass(f.folder);
  CHECK_FALSE(writes(f.folder));
}

TEST_CASE("a collect reports whether it wrote the database") {
  Folder f;
  CHECK_FALSE(ingest(f.folder).wrote);
  change_a_byte(f.results(f.good));
  CHECK(ingest(f.folder).wrote);
  CHECK(ingest(f.folder, true).wrote);
}

TEST_CASE("a file that may have changed within a clock tick is read again") {
  Folder f;
  const std::string path = f.results(f.good).lexically_relative(f.folder.root());
  change_a_byte(f.results(f.good));
  test::make_uncertain(f.folder, path);
  let_time_pass(f.folder);
  CHECK_FALSE(writes(f.folder));  // the database stores the state of the current file
  test::make_uncertain(f.folder, path);
  CHECK(ingest(f.folder).files_read == 1);
}

TEST_CASE("a file counts as unchanged two seconds after its last change") {
  const FileState state{.size = 1, .mtime_ns = 5'000'000'000, .ctime_ns = 6'000'000'000};
  CHECK_FALSE(is_certain(state, 6'000'000'000));
  CHECK_FALSE(is_certain(state, 8'000'000'000));
  CHECK(is_certain(state, 8'000'000'001));
  CHECK(is_certain(FileState{}, 0));  // the file is missing
}

TEST_CASE("files are read again if the database differs from that of the last collect") {
  Folder f;
  const std::string good = dump_all(f.folder);
  SECTION("another program wrote the database") {
    SQLite::Database(f.folder.database().string(), SQLite::OPEN_READWRITE)
        .exec("DELETE FROM step_window; DELETE FROM source");
  }
  SECTION("the database was removed") {
    fs::remove(f.folder.database());
  }
  SECTION("another version made the database") {
    SQLite::Database(f.folder.database().string(), SQLite::OPEN_READWRITE)
        .exec("DROP TABLE step_window; PRAGMA user_version = 11");
  }
  CHECK(writes(f.folder));
  CHECK(dump_all(f.folder) == good);
}

}  // namespace dlscale::analysis
