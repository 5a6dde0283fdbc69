// SPDX-License-Identifier: Apache-2.0
// Tests that stopped and resumed runs compute the same bits as an uninterrupted run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/checkpoint.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/models/script_module.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using contract::RunOutcome;
using test::all;
using test::ThreadLaunch;
namespace fs = std::filesystem;

namespace {

/// Returns a run with 6 steps per epoch. An evaluation takes all test samples of a rank in one
/// batch.
contract::RunSpec resume_recipe(int ranks) {
  contract::RunSpec spec;
  spec.run_id = "r";
  spec.dataset = {"synthetic_digits", "", 130, 24};
  spec.gpus = ranks;
  spec.batch_per_gpu = 24 / ranks;
  spec.global_batch = 24;
  spec.epochs = 3;
  spec.warmup_epochs = 1;
  spec.lr = {.base = 0.01, .peak = 0.1};
  spec.lr_schedule.kind = "cosine";
  spec.optimizer = {.momentum = 0.9, .nesterov = true, .weight_decay = 1e-4};
  spec.window_steps = 4;
  return spec;
}

/// Learning rates by the last step of their window, accuracies, losses and correct training samples
/// by epoch, and the final parameters.
struct Curve {
  std::map<std::int64_t, double> lr;
  std::map<int, double> epoch_loss;
  std::map<int, std::int64_t> epoch_correct;
  std::map<int, std::pair<std::int64_t, double>> eval;
  std::string parameters;

  void add(const ThreadLaunch& launch) {
    for (const auto& window : all<contract::StepWindow>(launch.records)) {
      lr[window.first_step + window.steps] = window.lr;
    }
    for (const auto& epoch : all<contract::EpochRecord>(launch.records)) {
      epoch_loss[epoch.epoch] = epoch.train_loss;
      if (epoch.correct) epoch_correct[epoch.epoch] = *epoch.correct;
    }
    for (const auto& eval_record : all<contract::EvalRecord>(launch.records)) {
      eval[eval_record.epoch] = {eval_record.correct, eval_record.loss};
    }
    parameters = launch.parameters;
  }
};

Curve undisturbed(const contract::RunSpec& spec) {
  test::TempDir folder;
  Curve curve;
  curve.add(test::launch(spec, folder.path()));
  return curve;
}

/// Checks that `resumed` has the results of `whole`. The windows of `resumed` may end at other
/// steps.
void check_same(const Curve& resumed, const Curve& whole) {
  CHECK(resumed.parameters == whole.parameters);
  CHECK(resumed.eval == whole.eval);
  for (const auto& [step, lr] : whole.lr) CHECK(resumed.lr.at(step) == lr);
  CHECK(resumed.epoch_correct == whole.epoch_correct);
  REQUIRE(resumed.epoch_loss.size() == whole.epoch_loss.size());
  for (const auto& [epoch, loss] : whole.epoch_loss) {
    CHECK(resumed.epoch_loss.at(epoch) == Approx(loss).epsilon(1e-12));
  }
}

/// Overwrites the middle of a file.
void damage(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
  file << "damage";
}

contract::CheckpointDir newest(const contract::RunDir& run, int launch) {
  const auto saved = run.launch(launch).all_saved();
  REQUIRE_FALSE(saved.empty());
  return saved.back();
}

}  // namespace

TEST_CASE("a run that is stopped at any poll resumes to the same bits") {
  const auto spec = resume_recipe(GENERATE(1, 2));
  const Curve whole = undisturbed(spec);
  int stopped = 0;
  for (int question = 1; question < 14; ++question) {
    INFO("stopped at question " << question);
    test::TempDir folder;
    Curve curve;
    const auto first = test::launch(spec, folder.path(), {spec.gpus - 1, question});
    curve.add(first);
    if (first.outcome == RunOutcome::Preempted) {
      ++stopped;
      CHECK(all<contract::CheckpointRecord>(first.records).size() == 1);
      const auto second = test::launch(spec, folder.path());
      CHECK(second.resumed_from == "launch-1");
      curve.add(second);
      CHECK(second.outcome == RunOutcome::Completed);
    }
    check_same(curve, whole);
  }
  CHECK(stopped > 8);
}

TEST_CASE("a stopped run of N steps resumes to the same bits and ends after N steps") {
  auto spec = resume_recipe(2);
  spec.epochs = 0;
  spec.steps = 14;
  const Curve whole = undisturbed(spec);
  test::TempDir folder;
  Curve curve;
  std::int64_t steps = 0;
  ThreadLaunch last;
  do {
    last = test::launch(spec, folder.path(), {0, 2});
    curve.add(last);
    for (const auto& window : all<contract::StepWindow>(last.records)) steps += window.steps;
    REQUIRE(last.outcome != RunOutcome::TimedOut);
  } while (last.outcome != RunOutcome::Completed && steps < 100);
  CHECK(steps == 14);
  check_same(curve, whole);
}

TEST_CASE("a repeatedly stopped run completes and trains each step once") {
  const auto spec = resume_recipe(2);
  const Curve whole = undisturbed(spec);
  test::TempDir folder;
  Curve curve;
  std::int64_t steps = 0;
  ThreadLaunch last;
  do {
    last = test::launch(spec, folder.path(), {0, 2});
    curve.add(last);
    for (const auto& window : all<contract::StepWindow>(last.records)) steps += window.steps;
    REQUIRE(last.outcome != RunOutcome::TimedOut);
  } while (last.outcome != RunOutcome::Completed && steps < 100);
  CHECK(steps == 18);
  check_same(curve, whole);
}

TEST_CASE("a launch that is stopped before its first step has timed out") {
  test::TempDir folder;
  const auto first = test::launch(resume_recipe(2), folder.path(), {1, 0});
  CHECK(first.outcome == RunOutcome::TimedOut);
  CHECK(first.summary ==
        "the time limit is near and no step after step 0 is complete; "
        "give the job more time");
  CHECK_FALSE(fs::exists(contract::RunDir(folder.path()).launch(1).checkpoint()));
  CHECK(test::launch(resume_recipe(2), folder.path(), {1, 1}).outcome == RunOutcome::Preempted);
  CHECK(test::launch(resume_recipe(2), folder.path(), {1, 0}).outcome == RunOutcome::TimedOut);
  CHECK(test::launch(resume_recipe(2), folder.path()).resumed_from == "launch-2");
}

TEST_CASE("checkpoints are saved at the requested interval, and only the last one is kept") {
  auto spec = resume_recipe(1);
  spec.epochs = 5;
  spec.checkpoint.every_epochs = 2;
  test::TempDir folder;
  const auto records = test::launch(spec, folder.path()).records;
  std::vector<std::int64_t> steps;
  for (const auto& record : all<contract::CheckpointRecord>(records)) {
    steps.push_back(record.step);
    CHECK(record.bytes > 0);
    CHECK(record.wall_s > 0);
  }
  CHECK(steps == std::vector<std::int64_t>{12, 24});
  REQUIRE(contract::RunDir(folder.path()).launch(1).all_saved().size() == 1);
  CHECK(newest(contract::RunDir(folder.path()), 1).number() == 2);
  spec.checkpoint = {.every_minutes = 1e-9};
  test::TempDir other;
  CHECK(all<contract::CheckpointRecord>(test::launch(spec, other.path()).records).size() == 10);
}

TEST_CASE("a damaged checkpoint is skipped for an older one or a fresh start") {
  const auto spec = resume_recipe(1);
  test::TempDir folder;
  const contract::RunDir run(folder.path());
  test::launch(spec, folder.path(), {0, 3});
  const contract::CheckpointDir good = newest(run, 1);
  const contract::LaunchDir torn = run.launch(2);
  fs::create_directories(torn.checkpoint());
  fs::copy(good.root(), torn.saved(1).root());
  fs::copy(good.root(), torn.saved(2).root());
  damage(torn.saved(1).root() / contract::CheckpointDir::rank_file(0));
  fs::resize_file(torn.saved(2).root() / contract::CheckpointDir::rank_file(0), 1000);
  CHECK(test::launch(spec, folder.path(), {0, 3}).resumed_from == "launch-1");
  CHECK_THAT(base::read_file(run.launch(3).err()),
             Catch::Contains("rank-0.pt has 1000 bytes instead of ") &&
                 Catch::Contains("rank-0.pt is damaged: its checksum is wrong"));
  base::write_file_atomically(newest(run, 3).header(), "{");
  fs::remove_all(torn.root());
  const auto fresh = test::launch(spec, folder.path());
  CHECK(fresh.resumed_from.empty());
  CHECK(fresh.outcome == RunOutcome::Completed);
  CHECK_THAT(base::read_file(run.launch(4).err()), Catch::Contains("header.json:1:"));
}

TEST_CASE("a checkpoint of another run description or another number of ranks is skipped") {
  auto spec = resume_recipe(1);
  test::TempDir folder;
  test::launch(spec, folder.path(), {0, 3});
  spec.label_smoothing = 0.1;
  CHECK(test::launch(spec, folder.path(), {0, 0}).resumed_from.empty());
  const contract::RunDir run(folder.path());
  CHECK_THAT(base::read_file(run.launch(2).err()),
             Catch::Contains("belongs to another description of the run; run.json or the "
                             "model file has changed"));
  CHECK(test::launch(resume_recipe(2), folder.path(), {0, 0}).resumed_from.empty());
  CHECK_THAT(base::read_file(run.launch(3).err()),
             Catch::Contains("was saved by 1 ranks, but this launch has 2"));
  CHECK(test::launch(resume_recipe(1), folder.path()).resumed_from == "launch-1");
}

TEST_CASE("a run restarts if its script was replaced by another one with the same parameters") {
  test::TempDir folder;
  const fs::path script = folder.path() / "net.pt";
  auto spec = resume_recipe(1);
  spec.model = "script:" + script.string();
  test::save_script(script, 28 * 28, 10);
  test::launch(spec, folder.path(), {0, 3});
  const auto same = test::launch(spec, folder.path(), {0, 2});
  CHECK(same.resumed_from == "launch-1");
  test::save_script(script, 28 * 28, 10, R"(
def forward(self, x):
    return torch.matmul(torch.matmul(torch.flatten(x, 1), self.hidden), self.scores)
)");
  CHECK(test::launch(spec, folder.path()).resumed_from.empty());
  CHECK_THAT(base::read_file(contract::RunDir(folder.path()).launch(3).err()),
             Catch::Contains("or the model file has changed"));
}

TEST_CASE("a completed or diverged launch is not resumed") {
  for (const RunOutcome outcome : {RunOutcome::Completed, RunOutcome::Diverged}) {
    const auto spec = resume_recipe(1);
    test::TempDir folder;
    const contract::RunDir run(folder.path());
    test::launch(spec, folder.path(), {0, 3});
    base::LineAppender(run.launch(1).results())
        .append(contract::to_json_line(contract::RunStop{.outcome = outcome}));
    CHECK(test::launch(spec, folder.path(), {0, 0}).resumed_from.empty());
  }
}

TEST_CASE("a run continues if no checkpoint can be saved, and reports it once") {
  auto spec = resume_recipe(2);
  spec.checkpoint.every_epochs = 1;
  const auto block = [](const contract::LaunchDir& launch) {
    base::write_file_atomically(launch.checkpoint(), "in the way");
  };
  test::TempDir folder;
  const auto whole = test::launch(spec, folder.path(), {.prepare = block});
  CHECK(whole.outcome == RunOutcome::Completed);
  CHECK(all<contract::CheckpointRecord>(whole.records).empty());
  const std::string log = base::read_file(contract::RunDir(folder.path()).launch(1).err());
  CHECK(
      log.starts_with("no checkpoint could be saved at step 6, training continues: cannot make "));
  CHECK(std::count(log.begin(), log.end(), '\n') == 1);
  const auto last = test::launch(spec, folder.path(), {0, 3, block});
  CHECK(last.outcome == RunOutcome::TimedOut);
  CHECK_THAT(last.summary, Catch::Contains("but no checkpoint could be saved at step "));
}

TEST_CASE("the newest N checkpoints are kept, and a launch resumes from the newest good one") {
  auto spec = resume_recipe(2);
  spec.epochs = 8;
  spec.checkpoint = {.every_epochs = 1, .keep = 3};
  test::TempDir folder;
  const contract::RunDir run(folder.path());
  const auto first = test::launch(spec, folder.path(), {0, 14});
  REQUIRE(first.outcome == RunOutcome::Preempted);
  CHECK(run.launch(1).all_saved().size() == 3);
  damage(newest(run, 1).root() / contract::CheckpointDir::rank_file(0));
  const auto second = test::launch(spec, folder.path());
  CHECK(second.resumed_from == "launch-1");
  CHECK(second.outcome == RunOutcome::Completed);
  CHECK(second.parameters == undisturbed(spec).parameters);
}

TEST_CASE(
    "a run resumes from asynchronous checkpoints to the same bits, and reports their failure") {
  auto spec = resume_recipe(2);
  spec.framework = "deepspeed";
  spec.checkpoint = {.every_minutes = 1e-9, .asynchronous = true};
  const Curve whole = undisturbed(spec);
  test::TempDir folder;
  const auto first = test::launch(spec, folder.path(), {1, 4});
  REQUIRE(first.outcome == RunOutcome::Preempted);
  const auto saved = all<contract::CheckpointRecord>(first.records);
  CHECK(saved.size() > 1);
  CHECK(newest(contract::RunDir(folder.path()), 1).number() == static_cast<int>(saved.size()));
  Curve curve;
  curve.add(first);
  curve.add(test::launch(spec, folder.path()));
  check_same(curve, whole);
  const auto spoil = [](const contract::LaunchDir& launch) {
    base::write_file_atomically(launch.checkpoint(), "in the way");
  };
  test::TempDir other;
  const auto failed = test::launch(spec, other.path(), {.prepare = spoil});
  CHECK(failed.outcome == RunOutcome::Completed);
  CHECK(all<contract::CheckpointRecord>(failed.records).empty());
  CHECK_THAT(base::read_file(contract::RunDir(other.path()).launch(1).err()),
             Catch::StartsWith("no checkpoint could be saved at step 4, training continues: "));
}

TEST_CASE("a resumed run knows its reached targets and its training time") {
  auto spec = resume_recipe(2);
  spec.epochs = 5;
  spec.target = {.accuracy = 0.01, .loss = 1e-9};
  test::TempDir folder;
  const auto first = test::launch(spec, folder.path(), {0, 6});
  REQUIRE(first.outcome == RunOutcome::Preempted);
  REQUIRE(all<contract::TargetRecord>(first.records).size() == 1);
  CHECK(all<contract::TargetRecord>(first.records)[0].metric == "accuracy");
  const auto header = contract::checkpoint_header_from_json(
      base::read_file(newest(contract::RunDir(folder.path()), 1).header()), "");
  CHECK(header.progress.accuracy_reached);
  CHECK_FALSE(header.progress.loss_reached);
  CHECK(header.progress.train_s == Approx(all<contract::EpochRecord>(first.records)[0].wall_s));
  CHECK(all<contract::TargetRecord>(test::launch(spec, folder.path()).records).empty());
}

TEST_CASE("a resumed run knows that it has reached its target on the training loss") {
  auto spec = resume_recipe(2);
  spec.window_steps = 1;
  spec.target = {.train_loss = 100};
  test::TempDir folder;
  const auto first = test::launch(spec, folder.path(), {0, 2});
  REQUIRE(first.outcome == RunOutcome::Preempted);
  const auto targets = all<contract::TargetRecord>(first.records);
  REQUIRE(targets.size() == 1);
  CHECK(targets[0].step == 1);
  const auto header = contract::checkpoint_header_from_json(
      base::read_file(newest(contract::RunDir(folder.path()), 1).header()), "");
  CHECK(header.progress.train_loss_reached);
  CHECK(all<contract::TargetRecord>(test::launch(spec, folder.path()).records).empty());
}
