// SPDX-License-Identifier: Apache-2.0
// Tests of dlscale-train as a process, including failures.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "tests/support/records.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/job.hpp"

using namespace dlscale;
using contract::RunOutcome;
using test::Job;

namespace {

contract::RunSpec description(int ranks, int epochs = 3) {
  contract::RunSpec spec;
  spec.run_id = "digits";
  spec.gpus = ranks;
  spec.global_batch = 64 * ranks;
  spec.epochs = epochs;
  spec.lr = {.base = 0.05, .peak = 0.05};
  spec.optimizer.momentum = 0.9;
  return spec;
}

const contract::RunStop& stop_of(const contract::ResultsFile& results) {
  REQUIRE(!results.records.empty());
  REQUIRE(std::holds_alternative<contract::RunStop>(results.records.back()));
  return std::get<contract::RunStop>(results.records.back());
}

/// Returns the lines that dlscale-train itself wrote, without the output of mpirun.
std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("dlscale-train")) lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

/// Checks that a run ends with one line on stderr that contains `message`, with
/// kExitBadRunDescription and without a launch folder.
void check_refused(Job& job, int ranks, const std::string& message) {
  const auto end = job.run(ranks);
  CHECK(end.exit_code == contract::kExitBadRunDescription);
  const auto lines = own_lines(end.err);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains(message));
  CHECK(contract::RunDir(job.folder()).launches().empty());
}

/// Result of a complete run of one or two ranks that learn the digits. Several tests share one run.
struct LearntDigits {
  test::JobEnd end;
  std::string text;
  contract::ResultsFile results;
};

const LearntDigits& learnt_digits(int ranks) {
  static std::map<int, LearntDigits> runs;
  const auto found = runs.find(ranks);
  if (found != runs.end()) return found->second;
  auto spec = description(ranks);
  spec.lr.warmup_steps = 7;
  Job job(spec);
  auto end = job.run(ranks);
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  return runs[ranks] = {std::move(end), job.results_text(), job.results()};
}

/// Returns the size of the address space of a process in bytes.
rlim_t memory_of(pid_t process) {
  rlim_t pages = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("one and two ranks learn the digits and write complete results") {
  const int ranks = GENERATE(1, 2);
  const auto& [end, text, results] = learnt_digits(ranks);
  CHECK(own_lines(end.out).size() == 2);
  CHECK(results.skipped.empty());
  CHECK(!results.truncated);
  const auto& start = std::get<contract::RunStart>(results.records.at(0));
  CHECK(start.world_size == ranks);
  CHECK(start.hosts.size() == static_cast<std::size_t>(ranks));
  CHECK(start.parameters == 669706);
  CHECK(start.steps_per_epoch == (ranks == 1 ? 94 : 47));
  CHECK(start.warmup_steps == 7);
  for (const char* key : {"torch", "mpi", "compiler", "cpu", "allocator", "threads_per_rank"}) {
    CHECK(start.environment.contains(key));
  }
  CHECK(start.environment.at("all_reduce") == (ranks == 1 ? "tuned" : "shared_memory"));
  CHECK(stop_of(results).outcome == RunOutcome::Completed);
  const auto& last = results.records.at(results.records.size() - 2);
  CHECK(std::get<contract::EvalRecord>(last).accuracy > 0.95);
}

TEST_CASE("the step parts of a real run sum to its wall time") {
  const int ranks = GENERATE(1, 2);
  int windows = 0;
  for (const auto& record : learnt_digits(ranks).results.records) {
    const auto* window = std::get_if<contract::StepWindow>(&record);
    if (!window) continue;
    ++windows;
    double sum = 0;
    for (const auto& part : window->parts) sum += part.mean;
    // The wall time is that of the slowest rank. The parts are means over the ranks.
    if (ranks == 1) CHECK(sum == Approx(window->wall_s).epsilon(1e-6));
    CHECK(sum <= window->wall_s * (1 + 1e-6));
    CHECK(window->parts[static_cast<int>(contract::StepPart::other)].mean > -1e-6);
  }
  CHECK(windows > 1);
}

TEST_CASE("the work time of each rank in an epoch is at most the wall time of its windows") {
  contract::StepWindow counted;  // sum of the windows after warm-up, or the only window
  int found = 0;
  for (const auto& record : learnt_digits(2).results.records) {
    if (const auto* window = std::get_if<contract::StepWindow>(&record)) {
      if (counted.warmup) counted = {};
      counted.warmup = window->warmup;
      counted.wall_s += window->wall_s;
      counted.steps += window->steps;
    }
    const auto* times = std::get_if<contract::RankTimes>(&record);
    if (times == nullptr) continue;
    ++found;
    CHECK(times->steps == counted.steps);
    CHECK(times->stages == 0);
    REQUIRE(times->work_s.size() == 2);
    for (const double work_s : times->work_s) {
      CHECK(work_s > 0.2 * counted.wall_s);  // ranks mostly compute and rarely wait
      CHECK(work_s <= counted.wall_s * (1 + 1e-4));
    }
    counted = {};
  }
  CHECK(found == 3);
}

TEST_CASE("invalid run descriptions are rejected in one line") {
  Job broken("{\"schema_version\": 1,\n");
  check_refused(broken, 0, "run.json:2:1: not valid JSON");
  auto spec = description(1);
  spec.model = "ccn";
  Job unknown(spec);
  check_refused(unknown, 0, "model: unknown model \"ccn\"; did you mean \"cnn\"?");
  spec.model = "cnn";
  spec.loader = "dali_gpu";
  Job lacking(spec);
  check_refused(lacking, 0, "this dlscale-train has no loader \"dali_gpu\" (it has: memory,");
  Job missing(description(1));
  std::filesystem::remove(missing.folder() / "run.json");
  check_refused(missing, 2, "run.json: No such file or directory");
}

TEST_CASE("a wrong number of ranks is rejected with the correct command") {
  Job two(description(2));
  check_refused(two, 0, "gpus: is 2, but 1 rank was started; start the run with: mpirun -n 2 ");
  Job one(description(1));
  check_refused(one, 2, "gpus: is 1, but 2 ranks were started; start the run with: mpirun -n 1 ");
}

TEST_CASE("the devices of a data_parallel run belong to one process") {
  auto spec = description(2, 1);
  spec.dataset.train_samples = 640;
  spec.framework = "data_parallel";
  Job one(spec);
  const auto end = one.run(1);
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("digits on 2 devices of 1 node"));
  const auto results = one.results();
  const auto& start = std::get<contract::RunStart>(results.records.at(0));
  CHECK(start.world_size == 2);
  CHECK_THAT(start.environment.at("devices"), Catch::StartsWith("2 devices of 1 core"));
  Job two(spec);
  check_refused(two, 2,
                "gpus: is 2, which data_parallel runs in one process, but 2 ranks were started; "
                "start the run with: mpirun -n 1 ");
}

TEST_CASE("the option --profile records a profile") {
  auto spec = description(2, 1);
  spec.dataset.train_samples = 640;
  Job job(spec);
  REQUIRE(job.run(2, {"--profile"}).exit_code == 0);
  CHECK_THAT(job.results_text(), Catch::Contains("{\"record\":\"profile\","));
  CHECK(learnt_digits(2).text.find("profile") == std::string::npos);
}

TEST_CASE("missing data ends every rank with exit code 3 and a recorded reason") {
  auto spec = description(2);
  spec.dataset = {"mnist", "/nowhere"};
  Job job(spec);
  const auto end = job.run(2);
  CHECK(end.exit_code == contract::kExitData);
  const auto lines = own_lines(end.err);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("cannot read /nowhere/train-images-idx3-ubyte: "));
  const auto results = job.results();
  CHECK(stop_of(results).exit_code == contract::kExitData);
  CHECK(stop_of(results).outcome == RunOutcome::Failed);
}

TEST_CASE("a diverging run ends every rank with exit code 5") {
  auto spec = description(2);
  spec.lr = {.base = 1e30, .peak = 1e30};
  Job job(spec);
  CHECK(job.run(2).exit_code == contract::kExitDiverged);
  CHECK(stop_of(job.results()).outcome == RunOutcome::Diverged);
}

TEST_CASE("a full disk ends the job at once instead of silently losing records") {
  Job job(description(2, 10000));
  job.start(2);
  job.wait_for_training();
  // Files of rank 0 may not grow any further, which has the same effect as a full disk.
  const rlimit none{0, 0};
  ::prlimit(job.pid_of_rank(0), RLIMIT_FSIZE, &none, nullptr);
  const auto end = job.end();
  CHECK(end.exit_code == 1);
  CHECK(end.wall_s < 10);
  CHECK_THAT(end.err, Catch::Contains("dlscale-train: rank 0: cannot write "));
}

namespace {

/// Waits until a rank has recorded why it fails, and checks that the job then ends within 10 s.
test::JobEnd end_of_failing(Job& job) {
  const contract::LaunchDir launch = contract::RunDir(job.folder()).launch(1);
  job.wait_for([&] {
    return std::filesystem::exists(launch.rank_stop()) ||
           job.results_text().find("run_stop") != std::string::npos;
  });
  auto end = job.end();
  CHECK(end.wall_s < 10);
  return end;
}

}  // namespace

TEST_CASE("a rank that fails alone is recorded as the reason of the stop, in every style") {
  const auto [framework, failing] = GENERATE(table<std::string, int>({{"synchronous", 0},
                                                                      {"ddp", 1},
                                                                      {"horovod", 1},
                                                                      {"deepspeed", 0},
                                                                      {"vanilla_data_parallel", 1},
                                                                      {"layerwise", 1},
                                                                      {"pipeline", 0},
                                                                      {"hybrid", 0}}));
  CAPTURE(framework);
  auto spec = description(2);
  spec.framework = framework;
  if (framework == "hybrid") spec.framework_options.model_parallel_size = 2;
  spec.model = "cnn";
  spec.loader = "synthetic";
  spec.dataset = {.kind = "synthetic", .train_samples = 16000, .shape = "1x28x28", .classes = 10};
  spec.batch_per_gpu = 8000;
  spec.global_batch = 16000;
  Job job(spec);
  job.start(2);
  job.wait_for([&] { return !contract::RunDir(job.folder()).launches().empty(); });
  // The limit suffices for the data and the model but not for a step with 8000 samples.
  const rlim_t most = memory_of(job.pid_of_rank(failing)) + (rlim_t{1} << 30);
  const rlimit limit{most, most};
  ::prlimit(job.pid_of_rank(failing), RLIMIT_AS, &limit, nullptr);
  const auto end = end_of_failing(job);
  INFO(end.err);
  const auto results = job.results();
  CHECK(stop_of(results).outcome == RunOutcome::OutOfMemory);
  if (failing > 0) CHECK_THAT(stop_of(results).reason, Catch::StartsWith("rank 1: "));
}

TEST_CASE("more stages than blocks of a model are rejected at the start, with the reason") {
  auto spec = description(4, 1);
  spec.framework = "pipeline";
  spec.dataset.train_samples = 256;
  Job job(spec);
  job.start(4);
  const auto end = job.end();
  CHECK(end.exit_code == contract::kExitBadRunDescription);
  CHECK_THAT(end.err, Catch::Contains("gpus: is 4, but the model mlp has only 3 blocks"));
}

TEST_CASE("a rank that is paused for a while delays the run but does not fail it") {
  auto spec = description(2, 15);
  spec.framework = GENERATE("ddp", "pipeline");
  CAPTURE(spec.framework);
  spec.model = "cnn";
  spec.dataset = {.kind = "synthetic",
                  .train_samples = 640,
                  .test_samples = 32,
                  .shape = "1x6x6",
                  .classes = 5};
  spec.batch_per_gpu = 16;
  spec.global_batch = 32;
  spec.window_steps = 5;
  spec.evaluate_every = 15;
  Job job(spec);
  job.start(2);
  job.wait_for_training();
  const pid_t straggler = job.pid_of_rank(1);
  ::kill(straggler, SIGSTOP);
  ::usleep(1'500'000);
  ::kill(straggler, SIGCONT);
  const auto end = job.end();
  INFO(end.err);
  CHECK(end.exit_code == 0);
  double slowest_s = 0;
  const auto results = job.results();
  for (const auto& window : test::all<contract::StepWindow>(results)) {
    slowest_s = std::max(slowest_s, window.wall_s);
  }
  CHECK(slowest_s > 1);
  CHECK(stop_of(results).outcome == RunOutcome::Completed);
}

TEST_CASE("SIGINT and SIGTERM write a run_stop record, with and without mpirun") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  const int ranks = GENERATE(0, 2);
  Job job(description(std::max(ranks, 1), 10000));
  job.start(ranks);
  job.wait_for_training();
  ::kill(job.pid(), signal);
  const auto end = job.end();
  CHECK(end.wall_s < 10);
  // mpirun forwards both signals as SIGTERM.
  const bool interrupted = signal == SIGINT && ranks == 0;
  const auto results = job.results();
  CHECK(stop_of(results).outcome == RunOutcome::Cancelled);
  CHECK(stop_of(results).reason == (interrupted ? "received SIGINT" : "received SIGTERM"));
  if (ranks == 0) CHECK(end.exit_code == 128 + signal);
}

TEST_CASE("a rank that is stuck in a collective still reacts to a signal") {
  Job job(description(2, 10000));
  job.start(2);
  job.wait_for_training();
  ::kill(job.pid_of_rank(1), SIGSTOP);
  ::usleep(300'000);  // rank 0 now waits for rank 1
  ::kill(job.pid_of_rank(0), SIGTERM);
  const auto end = job.end();
  CHECK(end.wall_s < 10);
  CHECK(stop_of(job.results()).reason == "received SIGTERM");
}

TEST_CASE("a second launch of a run gets its own folder") {
  auto spec = description(1, 1);
  spec.dataset.train_samples = 640;
  Job job(spec);
  CHECK(job.run(0).exit_code == 0);
  CHECK(job.run(0).exit_code == 0);
  CHECK(contract::RunDir(job.folder()).launches().size() == 2);
}
