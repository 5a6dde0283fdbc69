// SPDX-License-Identifier: Apache-2.0
// Tests of the HTML page that `dlscale status --page` writes.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/planned_demo.hpp"
#include "tests/support/skip.hpp"

using namespace dlscale;
using Catch::Contains;
using test::PlannedDemo;
namespace fs = std::filesystem;

namespace {

std::string page_of(const test::DlscaleProgram& dlscale, const std::string& folder) {
  return base::read_file(dlscale.folder / folder / "index.html");
}

/// Waits until `condition` is true. Returns false if it is still false after about 50 s.
bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("status --page writes the states, the reasons and the progress of the runs") {
  PlannedDemo demo;
  demo.complete(demo.ids[0]);
  demo.fail(demo.ids[2], "disk <full>");
  const test::Ran ran = demo.dlscale.run({"status", "demo", "--offline", "--page", "public/demo"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, Catch::EndsWith("wrote public/demo/index.html\n"));
  const std::string page = page_of(demo.dlscale, "public/demo");
  CHECK_THAT(page, Contains("2 of 4 runs ended. 1 run failed.") && Contains("disk &lt;full&gt;") &&
                       Contains(">2 planned</li>") && Contains(">" + demo.ids[3] + "</th>"));
  CHECK_THAT(page, Contains("<meta http-equiv=\"refresh\" content=\"30\">") &&
                       Contains("The end cannot be estimated yet.") &&
                       Contains("No completed run has results that can be shown."));
  CHECK(std::distance(fs::directory_iterator(demo.dlscale.folder / "public/demo"), {}) == 1);
}

TEST_CASE("status --page shows results with intervals while the study runs") {
  test::WrittenStudy study;
  for (int repetition = 1; repetition <= 3; ++repetition) {
    study.add("ddp", 1, {.samples_per_s = 1000.0 + repetition}, repetition);
    study.add("ddp", 2, {.samples_per_s = 1900.0 - repetition}, repetition);
  }
  study.plan_run("ddp", 4);
  test::DlscaleProgram dlscale;
  const std::vector<std::string> words{"status", study.folder.root(), "--offline", "--page",
                                       "page"};
  CHECK(dlscale.run(words).exit_code == 0);
  const std::string page = page_of(dlscale, "page");
  CHECK_THAT(page, Contains("6 of 7 runs ended.") &&
                       Contains("Results of the runs that have completed so far.") &&
                       Contains("<dt>How many ranks?</dt>") &&
                       Contains("id=\"table-efficiency\"") && Contains("id=\"figure-efficiency\""));
  CHECK_THAT(page, Contains("(range ") && Contains("n = 3)"));
  study.launch("ddp-g4-r1", 4);
  CHECK(dlscale.run(words).exit_code == 0);
  CHECK_THAT(page_of(dlscale, "page"),
             Contains("7 of 7 runs ended.") && Contains("All runs have ended.") &&
                 !Contains("http-equiv=\"refresh\"") && !Contains("completed so far"));
}

TEST_CASE("status --page shows the selected runs and their results only") {
  test::WrittenStudy study;
  study.add("ddp", 1);
  study.add("ddp", 2);
  test::DlscaleProgram dlscale;
  CHECK(dlscale
            .run({"status", study.folder.root(), "--offline", "--page", "page", "--where",
                  "gpus == 2"})
            .exit_code == 0);
  CHECK_THAT(page_of(dlscale, "page"),
             Contains("1 of 1 run ended.") && Contains("ddp-g2-r1") && !Contains("ddp-g1-r1"));
}

TEST_CASE("status --watch writes the page until all runs have ended") {
  PlannedDemo demo;
  for (std::size_t i = 0; i < 3; ++i) demo.complete(demo.ids[i]);
  const fs::path file = demo.dlscale.folder / "page/index.html";
  bool was_running = false;
  std::thread later([&] {
    for (int i = 0; i < 500 && !fs::exists(file); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::error_code ignored;
    if (fs::exists(file, ignored)) {
      const std::string page = base::read_file(file);
      was_running = page.find("content=\"1\"") != std::string::npos &&
                    page.find("3 of 4 runs ended.") != std::string::npos;
    }
    demo.fail(demo.ids[3], "disk full");
  });
  const test::Ran ran =
      demo.dlscale.run({"status", "demo", "--watch", "-n", "0.2", "--offline", "--page", "page"});
  later.join();
  CHECK(ran.exit_code == 0);
  CHECK(was_running);
  CHECK_THAT(base::read_file(file),
             Contains("4 of 4 runs ended.") && !Contains("http-equiv=\"refresh\""));
}

TEST_CASE("status --watch continues after a page that could not be written") {
  PlannedDemo demo;
  for (std::size_t i = 0; i < 3; ++i) demo.complete(demo.ids[i]);
  const fs::path file = demo.dlscale.folder / "page/index.html";
  bool has_tried = false;
  std::thread later([&] {
    std::error_code ignored;
    wait_until([&] { return fs::is_regular_file(file, ignored); });
    // A folder in place of the page cannot be replaced by a file.
    wait_until([&] {
      fs::remove(file, ignored);
      return fs::create_directory(file, ignored) && !ignored;
    });
    // Each attempt adds a temporary file to the folder of the page and removes it.
    const auto attempt = [&] {
      const auto before = fs::last_write_time(file.parent_path(), ignored);
      return wait_until([&] { return fs::last_write_time(file.parent_path(), ignored) != before; });
    };
    has_tried = attempt() && attempt() && attempt();
    fs::remove(file, ignored);
    demo.fail(demo.ids[3], "disk full");
  });
  const test::Ran ran =
      demo.dlscale.run({"status", "demo", "--watch", "-n", "0.2", "--offline", "--page", "page"});
  later.join();
  CHECK(has_tried);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.err, Contains("page/index.html") && Contains("Is a directory") &&
                          Contains("the next update writes the page again"));
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  CHECK_THAT(base::read_file(file), Contains("4 of 4 runs ended."));
}

TEST_CASE("status --watch writes results that arrive after the last run has ended") {
  PlannedDemo demo;
  for (std::size_t i = 1; i < 4; ++i) demo.complete(demo.ids[i]);
  demo.log_launch(demo.ids[0], "token", 1000);
  demo.log_end(demo.ids[0], "token", contract::RunOutcome::Completed, 2000);
  const fs::path file = demo.dlscale.folder / "page/index.html";
  const std::string without = "No completed run has results that can be shown.";
  bool lacked_results = false;
  std::thread later([&] {
    std::error_code ignored;
    wait_until([&] { return fs::exists(file, ignored); });
    if (fs::exists(file, ignored)) {
      const std::string page = base::read_file(file);
      lacked_results = page.find("4 of 4 runs ended.") != std::string::npos &&
                       page.find(without) != std::string::npos;
    }
    contract::StepWindow window;
    window.steps = 10;
    window.samples = 640;
    window.wall_s = 1;
    contract::RunStart start;
    start.run_id = demo.ids[0];
    start.time = 1001;
    start.world_size = 1;
    demo.launch(demo.ids[0], {start, window, contract::RunStop{}});
  });
  const test::Ran ran =
      demo.dlscale.run({"status", "demo", "--watch", "-n", "0.2", "--offline", "--page", "page"});
  later.join();
  CHECK(lacked_results);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.err, Contains("until page/index.html contains the results of all runs"));
  CHECK_THAT(base::read_file(file), Contains("id=\"table-") && !Contains(without));
}

TEST_CASE("status --watch does not wait for results of a program that writes no records") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(
      dlscale.folder / "study.toml",
      "[study]\nname = 'mine'\n[matrix]\nmodel = 'net'\ngpus = 1\nbatch_per_gpu = 8\n"
      "[trainer]\ncommand = 'echo done'\n");
  REQUIRE(dlscale.run({"run", "study.toml", "-o", "out", "--no-figures"}).exit_code == 0);
  const test::Ran ran =
      dlscale.run({"status", "out", "--watch", "-n", "0.2", "--offline", "--page", "page"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.err, !Contains("waiting up to"));
  CHECK_THAT(page_of(dlscale, "page"), Contains("1 of 1 run ended."));
}

TEST_CASE("status --page with --json keeps standard output a JSON object") {
  PlannedDemo demo;
  const test::Ran ran =
      demo.dlscale.run({"status", "demo", "--offline", "--json", "--page", "page"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Catch::StartsWith("{") && Catch::EndsWith("}\n"));
  CHECK_THAT(page_of(demo.dlscale, "page"), Contains("0 of 4 runs ended."));
}

TEST_CASE("status --page rejects files, folders of the plan and pages from other sources") {
  PlannedDemo demo;
  base::write_file_atomically(demo.dlscale.folder / "file", "mine");
  fs::create_directory(demo.dlscale.folder / "home");
  base::write_file_atomically(demo.dlscale.folder / "home/index.html", "<title>home</title>");
  const std::pair<std::string, std::string> faults[] = {
      {"file", "is a file, not a folder; choose a folder"},
      {"file/page", "cannot be created ("},
      {"demo/plan.json", "is a file, not a folder; choose a folder"},
      {"demo", "is the plan folder; choose another folder, for example demo/page"},
      {"demo/runs", "is inside "},
      {"demo/logs/page", "is inside "},
      {"home", "contains an index.html that dlscale status --page did not write"},
      {"", "must be the path of a folder"},
  };
  for (const auto& [folder, problem] : faults) {
    for (const bool watch : {false, true}) {
      std::vector<std::string> words{"status", "demo", "--offline", "--page", folder};
      if (watch) words.emplace_back("--watch");
      const test::Ran ran = demo.dlscale.run(words);
      CHECK(ran.exit_code == 2);
      CHECK_THAT(ran.err, Contains("--page") && Contains(problem));
      CHECK(ran.out == "");
    }
  }
  CHECK(base::read_file(demo.dlscale.folder / "file") == "mine");
  CHECK(page_of(demo.dlscale, "home") == "<title>home</title>");
  CHECK_FALSE(fs::exists(demo.folder.logs() / "page"));
  CHECK(demo.dlscale.run({"status", "demo", "--offline", "--page", "demo/page"}).exit_code == 0);
  CHECK(demo.dlscale.run({"status", "demo", "--offline", "--page", "demo/page"}).exit_code == 0);
}

TEST_CASE("status --page rejects a folder that cannot be written") {
  if (::geteuid() == 0) return test::skip("root can write to every folder");
  PlannedDemo demo;
  fs::create_directory(demo.dlscale.folder / "closed");
  fs::permissions(demo.dlscale.folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const test::Ran ran = demo.dlscale.run({"status", "demo", "--offline", "--page", "closed"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("--page closed: cannot be written (Permission denied)"));
}
