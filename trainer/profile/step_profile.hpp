// SPDX-License-Identifier: Apache-2.0
// The shares of computation, communication and I/O in kernel time, over a block of steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/result_record.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/profile/kernel_watch.hpp"

namespace dlscale::trainer {

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
