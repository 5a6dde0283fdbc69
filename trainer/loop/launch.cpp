// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/run_spec/process_count.hpp"
#include "contract/version.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/nccl.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/device/gpu.hpp"
#include "trainer/failure/failure.hpp"
#include "trainer/kernels/cpu_kernels.hpp"
#include "trainer/kernels/gpu_kernels.hpp"
#include "trainer/loop/assemble.hpp"
#include "trainer/loop/inference.hpp"
#include "trainer/record/result_writer.hpp"

namespace dlscale::trainer {

using contract::RunOutcome;

namespace {

/// Returns the exit code of a launch that did not complete its run.
int exit_code_of(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::Diverged:
      return contract::kExitDiverged;
    case RunOutcome::Preempted:
      return contract::kExitRunAgain;
    default:
      return 1;
  }
}

/// Returns true when `failure` is a lost connection. Such a failure may be the consequence of a
/// failure on another rank, and that rank then reports the cause.
bool is_consequence(const Failure& failure) {
  return failure.exit_code == contract::kExitCommunication;
}

}  // namespace

Launch::Launch(const std::string& run_folder, bool profile)
    : folder_(run_folder),
      profile_(profile),
      watch_([this](const std::string& signal, int exit_code) { stop_by(signal, exit_code); }) {}

int Launch::run() {
  allocator_ = keep_freed_memory();
  session_.emplace();
  placement_ = session_->placement();
  communicator_ = make_mpi(*session_);
  queue_.emplace(*communicator_, clock_);
  shown_monitor_ = &monitor_.emplace(*queue_);
  const contract::RunSpec spec = read_description();
  choose_communicator(spec);
  open_folder(spec);
  TrainerParts& parts = parts_.emplace(assemble(spec, placement_.local_rank, *queue_, clock_));
  Checkpointer checkpoints(
      {spec, folder_, number_, *queue_, writer_, clock_, parts.digests["model_sha256"]},
      *parts.style);
  const Resumed resumed = checkpoints.resume();
  write_start(spec, parts, resumed);
  const TrainerTools tools{
      *queue_, writer_, clock_, checkpoints, [this] { return watch_.time_is_nearly_up(); },
      profile_};
  const FitResult result = spec.mode == "inference"
                               ? measure_inference(spec, parts, tools)
                               : Trainer(spec, parts, tools, resumed.progress).fit();
  const int exit_code = finish(result);
  if (result.outcome == RunOutcome::Completed) checkpoints.discard();
  return exit_code;
}

Launch::~Launch() = default;

/// Reads and checks the run description. Only rank 0 opens the file and broadcasts its text,
/// because parallel file systems are slow when a thousand ranks open the same file.
contract::RunSpec Launch::read_description() {
  const std::string file = folder_.run_json().string();
  std::string text;
  all_or_none(*queue_, [&] {
    if (!is_root()) return;
    if (::access(file.c_str(), R_OK) != 0) {
      throw base::UsageError(
          fmt::format("cannot read {}: {}; --run needs the folder of a planned run", file,
                      std::strerror(errno)));
    }
    text = base::read_file(file);
  });
  text = broadcast_text(std::move(text), *queue_);
  contract::RunSpec spec;
  all_or_none(*queue_, [&] {
    spec = contract::run_spec_from_json(text, file);
    require_available(spec, file);
    require_started(spec, file);
  });
  return spec;
}

void Launch::require_started(const contract::RunSpec& spec, const std::string& file) const {
  const int started = session_->size();
  const int wanted = contract::process_count(spec);
  if (started == wanted) return;
  const std::string count = wanted == spec.gpus ? fmt::format("is {}", spec.gpus)
                                                : fmt::format("is {}, which {} runs in one process",
                                                              spec.gpus, spec.framework);
  throw base::SpecError(
      {file}, "gpus",
      fmt::format("{}, but {} started; start the run with: mpirun -n {} dlscale-train --run {}",
                  count, base::count_of(started, "rank was", "ranks were"), wanted,
                  folder_.root().string()));
}

void Launch::choose_communicator(const contract::RunSpec& spec) {
  const bool on_gpus = spec.resources.communicator == "nccl";
  if (on_gpus) all_or_none(*queue_, [this] { require_gpu(placement_.local_rank); });
  queue_.reset();
  if (spec.resources.communicator == "single") {
    communicator_ = make_single();
  } else {
    const std::string all_reduce = spec.all_reduce.empty() ? "auto" : spec.all_reduce;
    session_->choose_all_reduce(all_reduce);
    communicator_ = with_all_reduce(make_mpi(*session_), all_reduce);
  }
  if (on_gpus) {
    const char* shares = std::getenv("DLSCALE_SHARE_GPUS");
    communicator_ = make_nccl(std::move(communicator_),
                              {.local_rank = placement_.local_rank,
                               .share_gpus = shares != nullptr && std::string_view(shares) == "1"});
  }
  queue_.emplace(*communicator_, clock_);
}

void Launch::open_folder(const contract::RunSpec& spec) {
  all_or_none(*queue_, [&] {
    if (!is_root()) return;
    const contract::LaunchDir launch = folder_.make_next_launch();
    number_ = launch.number();
    writer_.open(launch);
    const char* worker = contract::process_count(spec) < spec.gpus ? "device" : "rank";
    const std::string line =
        fmt::format("dlscale-train {}: {} on {} of {}, {}", contract::version(), spec.run_id,
                    base::count_of(spec.gpus, worker), base::count_of(placement_.nodes, "node"),
                    launch.root().string());
    writer_.say(line);
    fmt::print("{}\n", line);
    std::fflush(stdout);
  });
  queue_->broadcast({&number_, 1, ElementType::int32}, 0)->wait();
  monitor_->enter(folder_.launch(number_));
}

void Launch::write_start(const contract::RunSpec& spec, const TrainerParts& parts,
                         const Resumed& resumed) {
  contract::RunStart start;
  start.run_id = spec.run_id;
  start.launch = number_;
  start.resumed_from = resumed.from;
  start.resumed_step = resumed.progress.step;
  start.time = clock_.unix_s();
  start.world_size = spec.gpus;
  start.nodes = placement_.nodes;
  start.hosts = placement_.hostnames;
  start.trainer_version = contract::version();
  start.environment = built_with();
  start.environment["cpu"] = cpu_model();
  if (spec.resources.device == "cuda") start.environment["gpu"] = gpu_name(placement_.local_rank);
  if (spec.resources.device == "cuda") {
    start.environment["gpu_kernels"] = uses_gpu_kernels() ? kFastKernels : kFrameworkKernels;
  }
  if (spec.resources.device == "cpu") {
    start.environment["cpu_kernels"] = uses_fast_cpu_kernels() ? kFastKernels : kFrameworkKernels;
  }
  if (spec.loader.starts_with("dali")) start.environment["dali"] = dali_here();
  start.environment["threads_per_rank"] = std::to_string(spec.resources.cores_per_rank);
  start.environment["interop_threads"] = "1";
  if (!parts.placement.empty()) start.environment["devices"] = parts.placement;
  start.environment["allocator"] = allocator_;
  start.environment["all_reduce"] = communicator_->all_reduce_name();
  if (spec.resources.communicator == "nccl") start.environment["nccl"] = nccl_version();
  start.environment["task"] = parts.task->name;
  start.environment["dataset_path"] = expand_variables(spec.dataset.path, ::getenv);
  if (!parts.dataset->sha256.empty()) {
    start.environment["dataset_sha256"] = parts.dataset->sha256;
  }
  start.environment.insert(parts.digests.begin(), parts.digests.end());
  start.parameters = parts.parameters;
  start.trainable_parameters = parts.trainable_parameters;
  start.train_samples = parts.dataset->train.size();
  start.test_samples = parts.dataset->test.size();
  start.steps_per_epoch = parts.sampler.steps_per_epoch();
  if (spec.mode.empty()) start.warmup_steps = parts.learning_rate.warmup_steps();
  start.padded_samples = parts.sampler.padded_samples();
  start.dropped_samples = parts.sampler.dropped_samples();
  writer_.write(start);
  report_skipped(parts.dataset->skipped);
  if (!parts.placement.empty()) writer_.say(parts.placement);
  if (resumed.from.empty()) return;
  writer_.say(fmt::format("resumes from {} at epoch {}, step {}", resumed.from,
                          resumed.progress.epoch + 1, resumed.progress.step));
}

void Launch::report_skipped(const std::string& lines) {
  if (!is_root() || lines.empty()) return;
  writer_.say(lines.substr(0, lines.size() - 1));
  fmt::print("{}", lines);
  std::fflush(stdout);
}

int Launch::finish(const FitResult& result) {
  watch_.let_leave();
  if (result.outcome != RunOutcome::Completed) {
    const Failure failure{result.summary, exit_code_of(result.outcome), result.outcome};
    if (is_root()) fmt::print(stderr, "dlscale-train: {}\n", failure.message);
    writer_.stop(stop_of(failure));
    return failure.exit_code;
  }
  writer_.stop(stop_of({result.early, contract::kExitDone, RunOutcome::Completed}));
  if (is_root()) {
    fmt::print("dlscale-train: completed in {:.1f} s; {}\n", clock_.steady_s() - start_s_,
               result.summary);
  }
  return contract::kExitDone;
}

int Launch::fail(const std::exception& error) {
  const auto* shared = dynamic_cast<const SharedError*>(&error);
  const Failure failure = shared ? shared->failure() : failure_of(error);
  const bool alone = !session_ || session_->size() == 1;
  if (!shared || is_root()) {
    const std::string rank = shared || alone ? "" : fmt::format("rank {}: ", session_->rank());
    fmt::print(stderr, "dlscale-train: {}{}\n", rank, failure.message);
  }
  const bool lost = !shared && !alone && is_consequence(failure);
  contract::RunStop stop = stop_of(failure);
  if (monitor_ && !shared) {
    if (!is_root()) {
      monitor_->report_failure(stop, lost);
    } else if (is_consequence(failure)) {
      stop = monitor_->first_reported(std::move(stop), lost);
    }
  }
  writer_.stop(stop);
  // The other ranks are aborted, because they do not notice the failure of this rank and would wait
  // for this rank forever.
  if (!shared && !alone) session_->abort(failure.exit_code);
  return failure.exit_code;
}

contract::RunStop Launch::stop_of(const Failure& failure) const {
  return {.outcome = failure.outcome,
          .exit_code = failure.exit_code,
          .reason = failure.message,
          .time = clock_.unix_s(),
          .wall_s = clock_.steady_s() - start_s_};
}

/// Records a signal as the reason why the launch stops. Called on the thread of the signal watch.
void Launch::stop_by(const std::string& signal, int exit_code) {
  const std::string received = "received " + signal;
  RankMonitor* const monitor = shown_monitor_;
  if (watch_.time_is_nearly_up()) {
    const Failure failure{received + " near the time limit", exit_code, RunOutcome::TimedOut};
    contract::RunStop stop = stop_of(failure);
    if (monitor != nullptr && is_root()) stop = monitor->first_reported(std::move(stop), false);
    return writer_.stop(stop);
  }
  const contract::RunStop stop = stop_of({received, exit_code, RunOutcome::Cancelled});
  if (monitor == nullptr) return writer_.stop(stop);
  if (!is_root()) return monitor->handle_signal(stop);
  writer_.stop(monitor->reason_of_signal(stop));
}

}  // namespace dlscale::trainer
