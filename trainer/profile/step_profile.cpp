// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/step_profile.hpp"

#include <c10/core/Device.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "trainer/profile/gpu_watch.hpp"
#include "trainer/profile/operator_watch.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::array kCommunication{"nccl", "Memcpy PtoP"};
constexpr std::array kIo{"Memcpy HtoD", "Memcpy DtoH", "dali::", "nvjpeg"};
constexpr std::array kComputation{"conv",  "mm",        "gemv",       "cudnn",    "xmma",
                                  "wgrad", "dgrad",     "fprop",      "winograd", "batch_norm",
                                  "bn_",   "batchnorm", "layer_norm", "pool",     "softmax"};

}  // namespace

KernelKind kind_of(std::string_view kernel) {
  const auto names_one_of = [kernel](const auto& words) {
    return std::any_of(words.begin(), words.end(),
                       [kernel](const char* word) { return kernel.find(word) != kernel.npos; });
  };
  if (names_one_of(kCommunication)) return KernelKind::communication;
  if (names_one_of(kIo)) return KernelKind::io;
  return names_one_of(kComputation) ? KernelKind::computation : KernelKind::other;
}

std::unique_ptr<KernelWatch> watch_kernels(const c10::Device& device) {
  return device.is_cuda() ? make_gpu_watch() : make_operator_watch();
}

namespace {

constexpr std::size_t kMostKernels = 15;  // maximum number of kernels in the record

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Returns the CPU time of this process in seconds.
double cpu_time_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

StepProfile::StepProfile(const c10::Device& device, int gpus, int cores, CollectiveQueue& queue,
                         const base::Clock& clock)
    : make_watch_([device] { return watch_kernels(device); }),
      is_gpu_(device.is_cuda()),
      is_alone_(gpus == 1),
      cores_(cores),
      queue_(queue),
      clock_(clock) {}

void StepProfile::start() {
  before_ = queue_.stats();
  start_s_ = clock_.steady_s();
  start_cpu_s_ = cpu_time_s();
  watch_ = make_watch_();
}

void StepProfile::stop() {
  mine_.wall_s += clock_.steady_s() - start_s_;
  mine_.cpu_s += cpu_time_s() - start_cpu_s_;
  const CommStats now = queue_.stats();
  std::vector<KernelTime> found = watch_->stop();
  const bool has_nccl = std::any_of(found.begin(), found.end(), [](const KernelTime& each) {
    return each.name.find("nccl") != std::string::npos;
  });
  const bool counts_calls = is_gpu_ ? queue_.size() > 1 && !has_nccl : !is_alone_;
  if (counts_calls && now.busy_s > before_.busy_s) {
    found.push_back({"collectives", KernelKind::communication,
                     now.collectives - before_.collectives, now.busy_s - before_.busy_s});
  }
  for (const KernelTime& kernel : found) {
    mine_.kind_s[static_cast<int>(kernel.kind)] += kernel.self_s;
    KernelTime& sum = kernels_[kernel.name];
    sum = {kernel.name, kernel.kind, sum.calls + kernel.calls, sum.self_s + kernel.self_s};
  }
}

contract::ProfileRecord StepProfile::record(int epoch, std::int64_t first_step, int steps) {
  constexpr auto kDoubles = static_cast<std::int64_t>(sizeof(RankProfile) / sizeof(double));
  const auto ranks = static_cast<std::size_t>(queue_.size());
  std::vector<RankProfile> all(ranks);
  queue_
      .all_gather({&mine_, kDoubles, ElementType::float64},
                  {all.data(), kDoubles * queue_.size(), ElementType::float64})
      ->wait();
  contract::ProfileRecord record{
      .epoch = epoch, .first_step = first_step, .steps = steps, .time = clock_.unix_s()};
  double sums[kKernelKinds] = {};
  for (const RankProfile& rank : all) {
    for (int kind = 0; kind < kKernelKinds; ++kind) sums[kind] += rank.kind_s[kind];
    record.wall_s = std::max(record.wall_s, rank.wall_s);
    record.cpu_occupancy += rank.cpu_s / (rank.wall_s * cores_) / static_cast<double>(ranks);
  }
  const double kernel_s = std::accumulate(std::begin(sums), std::end(sums), 0.0);
  record.kernel_s = kernel_s / static_cast<double>(ranks);
  double* const shares[] = {&record.communication, &record.io, &record.computation, &record.other};
  for (int kind = 0; kind < kKernelKinds; ++kind) {
    *shares[kind] = kernel_s > 0 ? sums[kind] / kernel_s : 0;
  }
  for (const auto& [name, each] : kernels_) {
    record.kernels.push_back(
        {name, kKernelKindNames[static_cast<int>(each.kind)], each.calls, each.self_s});
  }
  std::ranges::sort(record.kernels, std::greater(), &contract::ProfiledKernel::self_s);
  record.kernels.resize(std::min(record.kernels.size(), kMostKernels));
  return record;
}

}  // namespace dlscale::trainer
