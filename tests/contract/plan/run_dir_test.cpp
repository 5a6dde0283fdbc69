// SPDX-License-Identifier: Apache-2.0
#include "contract/plan/run_dir.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using namespace dlscale::contract;
namespace fs = std::filesystem;

TEST_CASE("generated folder names are parsed back to their numbers") {
  const RunDir run("runs/x");
  for (int k : {1, 2, 10, 999}) CHECK(run.launch(k).number() == k);
  for (int n : {1, 2, 10, 999}) CHECK(run.launch(1).saved(n).number() == n);
}

TEST_CASE("finished checkpoints are listed by number, and unfinished ones are left out") {
  const test::TempDir dir;
  const LaunchDir launch(dir / "launch-1");
  CHECK(launch.all_saved().empty());
  for (int n : {10, 2, 3}) fs::create_directories(launch.saved(n).root());
  fs::create_directories(launch.saved(11).draft());
  std::vector<int> numbers;
  for (const CheckpointDir& saved : launch.all_saved()) numbers.push_back(saved.number());
  CHECK(numbers == std::vector<int>{2, 3, 10});
}

TEST_CASE("a folder that is not a launch folder has the number 0") {
  for (const char* name :
       {"launch-", "launch-0", "launch--1", "launch-1a", "lunch-1", "launch-01x"}) {
    CHECK(LaunchDir(fs::path("runs/x") / name).number() == 0);
  }
}

TEST_CASE("launches are listed by number, and other files are ignored") {
  const test::TempDir dir;
  for (const char* name : {"launch-10", "launch-2", "launch-1", "notes"})
    fs::create_directory(dir / name);
  std::vector<int> numbers;
  for (const LaunchDir& launch : RunDir(dir.path()).launches()) numbers.push_back(launch.number());
  CHECK(numbers == std::vector<int>{1, 2, 10});
}

TEST_CASE("a run without a folder has no launches") {
  CHECK(RunDir("/no/such").launches().empty());
}

TEST_CASE("concurrent starters get separate launch folders") {
  const test::TempDir dir;
  std::vector<int> numbers(8);
  std::vector<std::thread> starters;
  for (int& number : numbers) {
    starters.emplace_back([&] { number = RunDir(dir.path()).make_next_launch().number(); });
  }
  for (auto& starter : starters) starter.join();
  CHECK(std::set<int>(numbers.begin(), numbers.end()).size() == 8);
  CHECK(*std::max_element(numbers.begin(), numbers.end()) == 8);
}

TEST_CASE("a launch in a missing folder fails with the path") {
  CHECK_THROWS_WITH(RunDir("/no/such").make_next_launch(),
                    "cannot make folder /no/such/launch-1: No such file or directory");
}
