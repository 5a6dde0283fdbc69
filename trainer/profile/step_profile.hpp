// SPDX-License-Identifier: Apache-2.0
// The shares of computation, communication and I/O in kernel time, over a block of steps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/result_record.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace c10 {
struct Device;
}

namespace dlscale::trainer {

// What runs on a rank's device, for how long: operators on a CPU, kernels on a GPU.

enum class KernelKind { communication, io, computation, other };
inline constexpr int kKernelKinds = 4;
inline constexpr const char* kKernelKindNames[kKernelKinds] = {"communication", "io", "computation",
                                                               "other"};

/// By its name. Computation is what cuDNN and cuBLAS do: convolutions, products of matrices,
/// normalisation, pools, softmax; communication NCCL's and copies between GPUs; I/O copies between
/// host and GPU.
KernelKind kind_of(std::string_view kernel);

/// All calls of one kernel.
struct KernelTime {
  std::string name;
  KernelKind kind = KernelKind::other;
  std::int64_t calls = 0;
  double self_s = 0;  ///< without the kernels it called
};

/// Watches from its making on. One at a time in a thread.
class KernelWatch {
 public:
  virtual ~KernelWatch() = default;
  /// Ends the watch. In no order.
  virtual std::vector<KernelTime> stop() = 0;
};

/// To be stopped by the thread that makes it.
std::unique_ptr<KernelWatch> watch_kernels(const c10::Device& device);

/// Of one block of steps, from its making on. All ranks profile the same steps.
///
/// On a CPU communication is the time in which a collective was under way, as NCCL's kernels wait
/// for other ranks, too.
class StepProfile {
 public:
  /// `gpus`: the run's; one alone has nobody to communicate with. `cores`: what this process
  /// computes with.
  StepProfile(const c10::Device& device, int gpus, int cores, CollectiveQueue& queue,
              const base::Clock& clock);
  /// The steps are over.
  void stop();
  /// **Collective.** Their record, after stop().
  contract::ProfileRecord record(int epoch, std::int64_t first_step, int steps);

 private:
  /// What one rank measured. Holds doubles only: it travels as such.
  struct RankProfile {
    double kind_s[kKernelKinds] = {};
    double wall_s = 0;
    double cpu_s = 0;
  };
  const bool is_gpu_;
  const bool is_alone_;
  const int cores_;
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  const CommStats before_;
  const double start_s_;
  const double start_cpu_s_;
  std::unique_ptr<KernelWatch> watch_;
  RankProfile mine_;
  std::vector<KernelTime> kernels_;
};

}  // namespace dlscale::trainer
