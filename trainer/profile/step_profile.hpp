// SPDX-License-Identifier: Apache-2.0
// Shares of computation, communication and I/O in kernel time, over a block of steps.
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

// Times of the operations on the device of a rank: operators on a CPU, kernels on a GPU.

enum class KernelKind { communication, io, computation, other };
inline constexpr int kKernelKinds = 4;
inline constexpr const char* kKernelKindNames[kKernelKinds] = {"communication", "io", "computation",
                                                               "other"};

/// Returns the kind of a kernel from its name.
///
/// - Computation: kernels of cuDNN and cuBLAS, which are convolutions, matrix products,
///   normalisation, pooling and softmax.
/// - Communication: kernels of NCCL, and copies between GPUs.
/// - I/O: copies between host and GPU.
KernelKind kind_of(std::string_view kernel);

/// Sum over all calls of one kernel.
struct KernelTime {
  std::string name;
  KernelKind kind = KernelKind::other;
  std::int64_t calls = 0;
  double self_s = 0;  ///< seconds without the kernels that it called
};

/// Watch of kernels that starts with its construction. A thread can have only one watch at a time.
class KernelWatch {
 public:
  virtual ~KernelWatch() = default;
  /// Ends the watch. Returns the kernels in no particular order.
  virtual std::vector<KernelTime> stop() = 0;
};

/// Starts a watch for `device`. The thread that starts the watch must stop it.
std::unique_ptr<KernelWatch> watch_kernels(const c10::Device& device);

/// Profile of one block of steps, which starts with its construction. All ranks profile the same
/// steps.
///
/// On a CPU, communication is the time inside collectives. This time includes the wait for other
/// ranks, because the kernels of NCCL wait for other ranks as well.
class StepProfile {
 public:
  /// Starts the profile. `gpus` is the number of GPUs of the run. A single GPU does not
  /// communicate. `cores` is the number of cores with which this process computes.
  StepProfile(const c10::Device& device, int gpus, int cores, CollectiveQueue& queue,
              const base::Clock& clock);
  /// Ends the profiled steps.
  void stop();
  /// **Collective.** Returns the record of the steps. Must be called after stop().
  contract::ProfileRecord record(int epoch, std::int64_t first_step, int steps);

 private:
  /// Measurements of one rank. All members are doubles, because the struct is sent as an array of
  /// doubles.
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
