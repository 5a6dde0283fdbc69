// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/code_versions.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/records/software_record.hpp"
#include "contract/run_spec/run_id.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;

namespace {

void describe(const test::WrittenPlan& written, const std::string& name, const std::string& json) {
  base::make_directories(written.folder.software());
  base::write_file_atomically(written.folder.software_record(name), json);
}

/// Writes that a run was submitted with the description `before` and started with `after`.
void submit(const test::WrittenPlan& written, const std::string& job, const std::string& before,
            const std::string& after) {
  const std::string launch = "token-" + job, run = "run-" + job;
  base::LineAppender(written.folder.launch_log())
      .append(to_json_line(contract::LaunchRecord{
          .event = "submitting", .job = job, .launch = launch, .runs = {run}, .software = before}));
  for (const char* event : {"started", "described"}) {
    const bool describes = std::string_view(event) == "described";
    base::LineAppender(written.folder.run_notes(run))
        .append(to_json_line(contract::LaunchRecord{.event = event,
                                                    .job = job,
                                                    .launch = launch,
                                                    .run_id = run,
                                                    .software = describes ? after : ""}));
  }
}

/// Writes that the job of a run read the description `software` at `time` (Unix time), and that the
/// run then ended.
void complete(const test::WrittenPlan& written, const std::string& run, const std::string& software,
              double time, int exit_code = 0) {
  base::LineAppender notes(written.folder.run_notes(run));
  for (const char* event : {"started", "described", "ended"}) {
    contract::LaunchRecord record{.event = event, .job = "j", .run_id = run, .time = time};
    if (record.event == "described") record.software = software;
    if (record.event == "ended") record.exit_code = exit_code;
    notes.append(to_json_line(record));
  }
}

/// Plan of external runs that all names of `jobs` have.
struct ExternalRuns : test::WrittenPlan {
  explicit ExternalRuns(const std::vector<std::string>& jobs) : WrittenPlan(jobs) {
    for (contract::PlannedRun& run : plan.runs) {
      run.log_format = "timm";
      all.insert(run.run_id);
    }
  }
  std::vector<std::string> warnings() const {
    return workspace::old_code_warnings(plan, folder, all);
  }
  workspace::RunIds all;
};

}  // namespace

TEST_CASE("a change of the code between submission and start is reported once for all runs") {
  const test::WrittenPlan written({"a", "b"});
  describe(written, "one", R"({"commit":"1111111111111111"})");
  describe(written, "two", R"({"commit":"2222222222222222"})");
  submit(written, "a", "one", "two");
  submit(written, "b", "one", "two");
  CHECK(workspace::code_changes(written.plan, written.folder, {"run-a", "run-b"}) ==
        std::vector<std::string>{
            "the code changed from 111111111111 to 222222222222 between the submission and the "
            "start of 2 runs: run-a, run-b"});
  CHECK(workspace::code_changes(written.plan, written.folder, {}).empty());
}

TEST_CASE("equal, unknown and unreadable descriptions cause no warning") {
  const test::WrittenPlan written({"a", "b"});
  describe(written, "one", R"({"commit":"1111111111111111"})");
  submit(written, "a", "one", "one");
  submit(written, "b", "one", "missing");
  CHECK(workspace::code_changes(written.plan, written.folder, {"run-a", "run-b"}).empty());
  const test::WrittenPlan earlier({"a"});
  submit(earlier, "a", "", "");
  CHECK(workspace::code_changes(earlier.plan, earlier.folder, {"run-a"}).empty());
}

TEST_CASE("completed runs of other code than the newest run are named with what differs") {
  const ExternalRuns written({"a", "b", "c"});
  describe(written, "one", R"({"script":"/home/u/train.py","script_digest":"111111111111"})");
  describe(written, "two", R"({"script":"/home/u/train.py","script_digest":"222222222222"})");
  complete(written, "run-a", "one", 10);
  complete(written, "run-b", "two", 30);
  complete(written, "run-c", "one", 20);
  CHECK(written.warnings() ==
        std::vector<std::string>{
            "2 runs used other code than run-b, the newest completed run (file that differs: "
            "/home/u/train.py): run-a, run-c; \"dlscale retry " +
            written.folder.root().string() + " --old-code\" repeats them with the present code"});
  complete(written, "run-a", "two", 40, 1);  // the results are still those of the first launch
  CHECK(workspace::old_code(written.plan, written.folder, {"run-a"}).size() == 1);
  complete(written, "run-a", "two", 50);
  CHECK(workspace::old_code(written.plan, written.folder, written.all).at(0).runs ==
        std::vector<std::string>{"run-c"});
}

TEST_CASE("completed runs are of an earlier version if the script changed after all of them") {
  const ExternalRuns written({"a", "b"});
  const auto script = written.folder.root() / "train.py";
  base::write_file_atomically(script, "print(1)\n");
  const std::string json = R"({"script":")" + script.string() + R"(","script_digest":")";
  const std::string present = contract::sha256_hex("print(1)\n").substr(0, 12);
  describe(written, "one", json + "111111111111\"}");
  describe(written, "two", json + present + "\"}");
  complete(written, "run-a", "one", 10);
  complete(written, "run-b", "one", 20);
  CHECK(written.warnings() ==
        std::vector<std::string>{"2 runs used an earlier version of " + script.string() +
                                 ": run-a, run-b; the results stay valid for that version; "
                                 "\"dlscale retry " +
                                 written.folder.root().string() +
                                 " --old-code\" repeats them with the present version"});
  complete(written, "run-b", "two", 30);
  REQUIRE(written.warnings().size() == 1);
  CHECK_THAT(written.warnings().at(0),
             Catch::Contains("1 run used other code than run-b, the newest completed run"));
  complete(written, "run-a", "two", 40);
  CHECK(written.warnings().empty());
  std::filesystem::remove(script);
  CHECK(written.warnings().empty());
}

TEST_CASE("the commit or the changed files tell how the code of runs differs") {
  const ExternalRuns written({"a", "b"});
  describe(written, "one", R"({"commit":"1111111111111111"})");
  describe(written, "two", R"({"commit":"2222222222222222"})");
  describe(written, "three", R"({"commit":"2222222222222222","difference":"333333333333"})");
  base::write_file_atomically(written.folder.software() / "changes-333333333333.txt",
                              "abc  src/net.py\n");
  complete(written, "run-a", "one", 10);
  complete(written, "run-b", "two", 20);
  const auto difference = [&] {
    return workspace::old_code(written.plan, written.folder, written.all).at(0).difference;
  };
  CHECK(difference() == "commit 111111111111 instead of 222222222222");
  complete(written, "run-a", "three", 30);
  CHECK(difference() == "files that differ: src/net.py");
  std::filesystem::remove(written.folder.software() / "changes-333333333333.txt");
  CHECK(difference() == "commit 222222222222 instead of 222222222222 with changes 333333333333");
}

TEST_CASE("runs of the same or unknown code, and runs that run again, cause no warning") {
  const ExternalRuns written({"a", "b", "c"});
  CHECK(written.warnings().empty());
  describe(written, "one", R"({"commit":"1111111111111111"})");
  describe(written, "two", R"({"commit":"2222222222222222"})");
  describe(written, "none", "{}");
  complete(written, "run-a", "one", 10);
  complete(written, "run-b", "one", 20);
  complete(written, "run-c", "none", 30);
  CHECK(written.warnings().empty());
  complete(written, "run-b", "two", 40);
  CHECK(written.warnings().size() == 1);
  submit(written, "a", "two", "two");
  CHECK(written.warnings().empty());
}
