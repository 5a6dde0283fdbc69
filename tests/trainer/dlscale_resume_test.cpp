// SPDX-License-Identifier: Apache-2.0
// Tests of dlscale-train as a process that is signalled or killed and then launched again.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/checkpoint.hpp"
#include "tests/trainer/told_job.hpp"

using namespace dlscale;
using contract::RunOutcome;
using test::all;
using test::description;
using test::Job;
using test::stop_of;
using test::wait_for_windows;
namespace fs = std::filesystem;

namespace {

/// Evaluation results by epoch, and the learning rate at the end of each epoch.
struct Curve {
  std::map<int, std::pair<std::int64_t, double>> evals;
  std::map<int, double> rates;
  void add(const contract::ResultsFile& results) {
    for (const auto& eval : all<contract::EvalRecord>(results)) {
      evals[eval.epoch] = {eval.correct, eval.loss};
    }
    for (const auto& epoch : all<contract::EpochRecord>(results)) rates[epoch.epoch] = epoch.lr;
  }
  bool operator==(const Curve&) const = default;
};

/// Returns a run that is long enough for no launch to complete before the test interrupts it.
contract::RunSpec curved(int ranks) {
  return description(std::max(ranks, 1), ranks == 2 ? 24 : 16);
}

/// Returns the curve of an uninterrupted run. The curve of one rank is the same with and without
/// mpirun.
const Curve& undisturbed(int ranks) {
  static std::map<int, Curve> curves;
  const auto found = curves.find(std::max(ranks, 1));
  if (found != curves.end()) return found->second;
  Job job(curved(ranks));
  REQUIRE(job.run(ranks).exit_code == 0);
  Curve& curve = curves[std::max(ranks, 1)];
  curve.add(job.results());
  return curve;
}

}  // namespace

TEST_CASE("after SIGUSR1 a run saves its state, exits with 99 and resumes to the same results") {
  const int ranks = GENERATE(0, 1, 2);
  Job job(curved(ranks));
  Curve curve;
  for (const int launch : {1, 2}) {
    job.start(ranks);
    wait_for_windows(job, launch, 5);
    ::kill(job.pid(), SIGUSR1);
    const auto end = job.end();
    INFO(end.err);
    CHECK(end.exit_code == contract::kExitRunAgain);
    const auto results = job.results(launch);
    curve.add(results);
    CHECK(stop_of(results).outcome == RunOutcome::Preempted);
    CHECK_THAT(stop_of(results).reason, Catch::Contains("before the time limit; launch the run "));
    const auto saved = all<contract::CheckpointRecord>(results);
    REQUIRE(saved.size() == 1);
    CHECK(fs::exists(contract::RunDir(job.folder()).launch(launch).root() / saved[0].path));
  }
  CHECK(job.run(ranks).exit_code == 0);
  const auto start = std::get<contract::RunStart>(job.results(3).records.at(0));
  CHECK(start.resumed_from == "launch-2");
  CHECK(start.resumed_step == all<contract::CheckpointRecord>(job.results(2))[0].step);
  curve.add(job.results(3));
  CHECK(curve == undisturbed(ranks));
  for (const int launch : {1, 2, 3}) {
    CHECK_FALSE(fs::exists(contract::RunDir(job.folder()).launch(launch).checkpoint()));
  }
}

TEST_CASE("a run that starts with SIGUSR1 blocked or ignored saves its state after SIGUSR1") {
  const bool is_blocked = GENERATE(true, false);
  sigset_t warning, before;
  sigemptyset(&warning);
  sigaddset(&warning, SIGUSR1);
  ::pthread_sigmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &warning, &before);
  const auto former = ::signal(SIGUSR1, is_blocked ? SIG_DFL : SIG_IGN);
  Job job(curved(1));
  job.start(0);
  ::signal(SIGUSR1, former);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  wait_for_windows(job, 1, 5);
  ::kill(job.pid(), SIGUSR1);
  CHECK(job.end().exit_code == contract::kExitRunAgain);
  CHECK(stop_of(job.results()).outcome == RunOutcome::Preempted);
}

TEST_CASE("a long window is cut short") {
  auto spec = description(2, 100000);
  spec.window_steps = 1000000000;
  spec.dataset.train_samples = 60000;
  Job job(spec);
  job.start(2);
  job.wait_for([&] { return job.results_text().find("run_start") != std::string::npos; });
  ::usleep(1'000'000);
  ::kill(job.pid(), SIGUSR1);
  const auto end = job.end();
  CHECK(end.exit_code == contract::kExitRunAgain);
  CHECK(end.wall_s < 15);
  CHECK(all<contract::StepWindow>(job.results()).size() == 1);
}

TEST_CASE("a killed run resumes from its last periodic checkpoint") {
  auto spec = curved(2);
  spec.checkpoint.every_epochs = 2;
  Job job(spec);
  job.start(2);
  job.wait_for([&] { return all<contract::CheckpointRecord>(job.results()).size() >= 3; });
  ::kill(job.pid_of_rank(0), SIGKILL);
  CHECK(job.end().exit_code != 0);
  Curve curve;
  curve.add(job.results());
  CHECK(job.run(2).exit_code == 0);
  const auto start = std::get<contract::RunStart>(job.results(2).records.at(0));
  CHECK(start.resumed_from == "launch-1");
  CHECK(start.resumed_step % 40 == 0);
  curve.add(job.results(2));
  CHECK(curve == undisturbed(2));
}

namespace {

constexpr int kSteps = 20;  ///< steps per epoch

/// Returns a run of two ranks with this framework style. The run saves a checkpoint after each
/// window and each epoch, and keeps all checkpoints.
contract::RunSpec killed(const std::string& framework, std::uint64_t seed) {
  auto spec = description(2, 100000);  // no launch may complete
  spec.framework = framework;
  spec.seed = seed;
  spec.checkpoint = {
      .every_epochs = 1, .every_minutes = 1e-6, .keep = 100000, .asynchronous = seed % 2 == 1};
  return spec;
}

/// Returns the header of the checkpoint after `epoch` epochs, or nothing if it does not exist.
std::optional<contract::CheckpointHeader> saved_after(const Job& job, int epoch) {
  for (const auto& launch : contract::RunDir(job.folder()).launches()) {
    for (const auto& saved : launch.all_saved()) {
      const std::string file = saved.header().string();
      auto header = contract::checkpoint_header_from_json(base::read_file(file), file);
      const contract::Progress& at = header.progress;
      if (at.epoch == epoch && at.step == epoch * kSteps) return header;
    }
  }
  return std::nullopt;
}

/// Returns the last epoch for which a checkpoint exists.
int saved_epoch(const Job& job) {
  int furthest = 0;
  for (const auto& launch : contract::RunDir(job.folder()).launches()) {
    for (const auto& saved : launch.all_saved()) {
      const std::string file = saved.header().string();
      const auto header = contract::checkpoint_header_from_json(base::read_file(file), file);
      furthest = std::max(furthest, header.progress.epoch);
    }
  }
  return furthest;
}

/// Starts a launch and kills it at a random time after it has saved one to five checkpoints.
void kill_at_random(Job& job, int launch, std::mt19937& random) {
  const std::size_t saves = 1 + random() % 5;
  job.start(2);
  job.wait_for(
      [&] { return all<contract::CheckpointRecord>(job.results(launch)).size() >= saves; });
  ::usleep(static_cast<useconds_t>(random() % 150'000));
  ::kill(job.pid_of_rank(launch % 2), SIGKILL);
  CHECK(job.end().exit_code != 0);
}

void run_to(Job& job, int epoch) {
  job.start(2);
  job.wait_for([&] { return saved_after(job, epoch).has_value(); });
  ::kill(job.pid_of_rank(1), SIGKILL);
  CHECK(job.end().exit_code != 0);
}

}  // namespace

TEST_CASE("a run killed at any step resumes to the same bits of parameters and optimizer") {
  const std::string framework = GENERATE("ddp", "horovod", "deepspeed");
  const std::uint64_t seed = std::random_device()();
  std::cout << framework << ": killed at random, seed " << seed << '\n';
  INFO(framework << " with seed " << seed);
  const auto spec = killed(framework, seed);
  Job job(spec);
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (const int launch : {1, 2}) kill_at_random(job, launch, random);
  const int epochs = saved_epoch(job) + 2;
  run_to(job, epochs);
  for (const int launch : {2, 3}) {
    const auto start = std::get<contract::RunStart>(job.results(launch).records.at(0));
    CHECK(start.resumed_from == "launch-" + std::to_string(launch - 1));
    CHECK(start.resumed_step > 0);
    std::cout << framework << ": launch " << launch << " went on at step " << start.resumed_step
              << '\n';
  }
  Job whole(spec);
  run_to(whole, epochs);
  const auto files = saved_after(whole, epochs)->files;
  CHECK(files.size() == (framework == "deepspeed" ? 2 : 1));
  CHECK(saved_after(job, epochs)->files == files);
}

TEST_CASE("a launch killed during a save leaves a usable checkpoint") {
  auto spec = description(1, 100000);
  spec.checkpoint.every_minutes = 1e-6;  // saves a checkpoint after each window
  Job job(spec);
  std::int64_t step = 0;
  for (int launch = 1; launch <= 6; ++launch) {
    job.start(0);
    job.wait_for([&] { return all<contract::CheckpointRecord>(job.results(launch)).size() >= 2; });
    ::usleep(static_cast<useconds_t>(7919 * launch));
    ::kill(job.pid(), SIGKILL);
    job.end();
    const auto start = std::get<contract::RunStart>(job.results(launch).records.at(0));
    CHECK(start.resumed_step >= step);
    if (launch > 1) CHECK(start.resumed_from == "launch-" + std::to_string(launch - 1));
    step = all<contract::CheckpointRecord>(job.results(launch)).back().step;
  }
}

TEST_CASE("a truncated checkpoint is skipped with a warning") {
  Job job(description(2, 100000));  // no launch may complete
  const auto stop_requested = [&](int launch) {
    job.start(2);
    wait_for_windows(job, launch, 2);
    ::kill(job.pid(), SIGUSR1);
    const auto end = job.end();
    REQUIRE(end.exit_code == contract::kExitRunAgain);
    return end.err;
  };
  CHECK(stop_requested(1).find("is skipped") == std::string::npos);
  const auto saved = contract::RunDir(job.folder()).launch(1).all_saved();
  REQUIRE(saved.size() == 1);
  fs::resize_file(saved[0].root() / contract::CheckpointDir::rank_file(0), 4096);
  CHECK_THAT(stop_requested(2), Catch::Contains("dlscale-train: a checkpoint is skipped: ") &&
                                    Catch::Contains("rank-0.pt has 4096 bytes instead of "));
  CHECK(std::get<contract::RunStart>(job.results(2).records.at(0)).resumed_from.empty());
}

TEST_CASE("a run that gets SIGTERM after SIGUSR1 has timed out") {
  auto spec = description(2, 100000);
  Job job(spec);
  job.start(2);
  wait_for_windows(job, 1, 2);
  ::kill(job.pid_of_rank(1), SIGSTOP);  // prevents the ranks from agreeing to stop
  ::usleep(300'000);
  ::kill(job.pid_of_rank(0), SIGUSR1);
  ::usleep(200'000);
  ::kill(job.pid_of_rank(0), SIGTERM);
  job.end();
  CHECK(stop_of(job.results()).outcome == RunOutcome::TimedOut);
  CHECK(stop_of(job.results()).reason == "received SIGTERM near the time limit");
}
