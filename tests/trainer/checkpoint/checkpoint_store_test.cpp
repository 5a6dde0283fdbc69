// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoint_store.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

const contract::RunSpec kSpec{.run_id = "r"};

using Write = std::function<void(trainer::StateFile&)>;

/// Arguments of the function save() of this test.
struct Saving {
  int keep = 1;
  std::vector<contract::LaunchDir> earlier = {};
  std::vector<std::string> other_ranks = {};  ///< content of the files of ranks 1, 2, ...
};

trainer::Saved save(const contract::LaunchDir& launch, const Write& write,
                    const Saving& saving = {}) {
  const contract::CheckpointDir next = trainer::begin_checkpoint(launch);
  contract::CheckpointHeader header{.run_id = "r",
                                    .description_hash = contract::description_hash(kSpec)};
  try {
    header.files.push_back(trainer::write_rank_file(next, 0, write));
  } catch (const base::RunError&) {
    trainer::abandon_checkpoint(next);
    throw;
  }
  for (const std::string& state : saving.other_ranks) {
    header.files.push_back(
        trainer::write_rank_file(next, static_cast<int>(header.files.size()),
                                 [&](trainer::StateFile& file) { file.append(state); }));
  }
  return trainer::finish_checkpoint({launch, next, header, saving.keep, saving.earlier});
}

trainer::Saved save(const contract::LaunchDir& launch, const std::string& state,
                    const Saving& saving = {}) {
  return save(
      launch, [&](trainer::StateFile& file) { file.append(state); }, saving);
}

struct Taken {
  std::string state;
  std::string from;
  std::vector<std::string> warnings;
};

Taken take(const contract::RunDir& folder, int launch) {
  Taken taken;
  const auto found = trainer::restore_newest(
      {kSpec.gpus, contract::description_hash(kSpec), folder, launch,
       [&](const contract::CheckpointDir& saved, const contract::CheckpointHeader& header) {
         taken.state = trainer::read_saved(saved.root(), header.files.at(0));
       },
       [&](const std::string& line) { taken.warnings.push_back(line); }});
  if (found) taken.from = found->launch.root().filename().string();
  return taken;
}

}  // namespace

TEST_CASE("the newest checkpoint is loaded, and the older one is removed") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  const contract::LaunchDir launch = run.make_next_launch();
  CHECK(save(launch, "one").path == "checkpoint/save-1");
  CHECK(save(launch, "second").bytes == 6);
  const Taken taken = take(run, 2);
  CHECK(taken.state == "second");
  CHECK(taken.from == "launch-1");
  CHECK(taken.warnings.empty());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(launch.checkpoint())) {
    names.push_back(entry.path().filename().string());
  }
  CHECK(names == std::vector<std::string>{"save-2"});
}

TEST_CASE("a launch loads only checkpoints of earlier launches") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  save(run.make_next_launch(), "first");
  save(run.make_next_launch(), "second");
  CHECK(take(run, 1).from.empty());
  CHECK(take(run, 2).state == "first");
  CHECK(take(run, 3).state == "second");
}

TEST_CASE("a failed save keeps the previous checkpoint and removes its draft") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  const contract::LaunchDir launch = run.make_next_launch();
  save(launch, "good");
  const Write half = [](trainer::StateFile& file) {
    file.append("half");
    throw base::RunError("no space left");
  };
  CHECK_THROWS_WITH(save(launch, half), "no space left");
  CHECK(take(run, 2).state == "good");
  CHECK_FALSE(fs::exists(launch.saved(2).draft()));
  CHECK(save(launch, "next").path == "checkpoint/save-2");
}

TEST_CASE("an incomplete checkpoint of a killed launch is ignored and later removed") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  const contract::LaunchDir launch = run.make_next_launch();
  save(launch, "good");
  fs::copy(launch.saved(1).root(), launch.saved(2).draft());
  CHECK(launch.all_saved().size() == 1);
  CHECK(take(run, 2).state == "good");
  save(launch, "next");
  CHECK_FALSE(fs::exists(launch.saved(2).draft()));
}

TEST_CASE("the first checkpoint of a resumed launch replaces the earlier launch's checkpoint") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  const contract::LaunchDir first = run.make_next_launch();
  save(first, "first");
  const contract::LaunchDir second = run.make_next_launch();
  save(second, "second", {.earlier = {first}});
  CHECK_FALSE(fs::exists(first.checkpoint()));
  CHECK(second.all_saved().size() == 1);
}

TEST_CASE("the newest N checkpoints are kept across launches") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  const contract::LaunchDir first = run.make_next_launch();
  for (const char* state : {"1", "2", "3", "4"}) save(first, state, {.keep = 3});
  CHECK_FALSE(fs::exists(first.saved(1).root()));
  CHECK(first.all_saved().size() == 3);
  const contract::LaunchDir second = run.make_next_launch();
  save(second, "5", {.keep = 3, .earlier = {first}});
  CHECK(first.all_saved().size() == 2);
  save(second, "6", {.keep = 3, .earlier = {first}});
  save(second, "7", {.keep = 3, .earlier = {first}});
  CHECK_FALSE(fs::exists(first.checkpoint()));
  CHECK(second.all_saved().size() == 3);
  CHECK(take(run, 3).state == "7");
}

TEST_CASE("a checkpoint has one file for each saving rank and reports their total size") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  const contract::LaunchDir launch = run.make_next_launch();
  CHECK(save(launch, "common", {.other_ranks = {"one", "two2"}}).bytes == 13);
  CHECK(base::read_file(launch.saved(1).root() / "rank-2.pt") == "two2");
}

TEST_CASE("each damaged checkpoint causes a warning, and the next older one is tried") {
  const test::TempDir folder;
  const contract::RunDir run(folder.path());
  save(run.make_next_launch(), "good");
  const auto spoil = [&](const char* file, const std::string& content) {
    const contract::LaunchDir launch = run.make_next_launch();
    save(launch, "good");
    base::write_file_atomically(launch.saved(1).root() / file, content);
  };
  spoil("rank-0.pt", "goo");
  spoil("rank-0.pt", "evil");
  spoil("header.json", "{}");
  spoil("header.json", R"({"schema_version": 99})");
  const contract::LaunchDir last = run.make_next_launch();
  save(last, "good");
  fs::remove(last.saved(1).root() / "rank-0.pt");
  const Taken taken = take(run, 9);
  CHECK(taken.from == "launch-1");
  REQUIRE(taken.warnings.size() == 5);
  for (const auto& [warning, what] : {std::pair{0, "rank-0.pt: No such file"},
                                      {1, "header.json: run_id: missing"},
                                      {2, "header.json: schema_version: missing"},
                                      {3, "is damaged: its checksum is wrong"},
                                      {4, "has 3 bytes instead of 4"}}) {
    CHECK_THAT(taken.warnings[static_cast<std::size_t>(warning)],
               Catch::Contains("a checkpoint is skipped: ") && Catch::Contains(what));
  }
}

TEST_CASE("a checkpoint folder that cannot be created is an error with its path") {
  CHECK_THROWS_WITH(save(contract::LaunchDir("/proc/launch-1"), "x"),
                    Catch::Contains("cannot make folder /proc/launch-1/checkpoint/save-1.part"));
}
