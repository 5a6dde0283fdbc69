// SPDX-License-Identifier: Apache-2.0
// Profile of a block of training steps: the shares of computation, communication and I/O in the
// total kernel time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

// The following types describe the times of the kernels that the device of a rank runs. On a CPU, a
// kernel is a LibTorch operator. On a GPU, a kernel is a CUDA kernel or a copy.

enum class KernelKind { communication, io, computation, other };
inline constexpr int kKernelKinds = 4;
inline constexpr const char* kKernelKindNames[kKernelKinds] = {"communication", "io", "computation",
                                                               "other"};

/// Returns the kind of the kernel named `kernel`, derived from the name:
/// - Computation: kernels of cuDNN and cuBLAS, which are convolutions, matrix products,
///   normalisation, pooling and softmax.
/// - Communication: kernels of NCCL, and copies between GPUs.
/// - I/O: copies between host and GPU, and kernels of DALI and nvJPEG, which decode, crop and scale
///   images.
KernelKind kind_of(std::string_view kernel);

/// Number of calls and total time of one kernel.
struct KernelTime {
  std::string name;
  KernelKind kind = KernelKind::other;
  std::int64_t calls = 0;
  double self_s = 0;  ///< seconds of all calls, excluding other kernels called within them
};

/// Watch that measures kernels from its construction to stop(). A thread can have only one watch at
/// a time.
class KernelWatch {
 public:
  virtual ~KernelWatch() = default;
  /// Ends the watch. Returns the measured kernels in no particular order.
  virtual std::vector<KernelTime> stop() = 0;
};

/// Starts a watch for `device`. The thread that starts the watch must stop it.
std::unique_ptr<KernelWatch> watch_kernels(const c10::Device& device);

/// Profile of one or more blocks of training steps. Each block starts with start() and ends with
/// stop(). All ranks must profile the same steps. A profile of many steps consists of many blocks,
/// because a watch of a GPU keeps each call of a kernel in memory until the block ends.
///
/// On a CPU, communication is the time in which collectives run. This time includes the wait for
/// other ranks. Times of GPUs include this wait as well, because NCCL kernels wait for other ranks.
class StepProfile {
 public:
  /// Creates the profile. `gpus` is the number of devices of the run, even if the devices are CPUs.
  /// With a single device, the profile counts no communication. `cores` is the number of CPU cores
  /// that this process uses.
  StepProfile(const c10::Device& device, int gpus, int cores, CollectiveQueue& queue,
              const base::Clock& clock);
  /// Starts a block of steps.
  void start();
  /// Ends the block, and adds its times to the times of the earlier blocks. The device must have
  /// finished the steps.
  void stop();
  /// **Collective.** Returns the record of all blocks. Must be called after stop().
  contract::ProfileRecord record(int epoch, std::int64_t first_step, int steps);

 private:
  /// Measurements of one rank. All members are doubles, because the struct is sent as an array of
  /// doubles.
  struct RankProfile {
    double kind_s[kKernelKinds] = {};
    double wall_s = 0;
    double cpu_s = 0;
  };
  const std::function<std::unique_ptr<KernelWatch>()> make_watch_;
  const bool is_gpu_;
  const bool is_alone_;
  const int cores_;
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  CommStats before_;  ///< communication statistics at the start of the block
  double start_s_ = 0, start_cpu_s_ = 0;
  std::unique_ptr<KernelWatch> watch_;
  RankProfile mine_;
  std::map<std::string, KernelTime> kernels_;
};

}  // namespace dlscale::trainer
