// SPDX-License-Identifier: Apache-2.0
// Thread that negotiates and reduces tensors while other threads compute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/autotune.hpp"
#include "trainer/sync/horovod/negotiation.hpp"
#include "trainer/sync/horovod/reduction.hpp"
#include "trainer/sync/horovod/tensor_queue.hpp"
#include "trainer/sync/horovod/timeline.hpp"

namespace dlscale::trainer::horovod {

/// Options of the loop, with the defaults of Horovod.
struct Options {
  Tuned tuned;  ///< values that autotune changes; threshold 0 disables fusion
  bool autotune = false;
  int cache_capacity = 1024;
  bool hierarchical_all_reduce = false;
  double stall_warning_s = 60;
  std::filesystem::path timeline;  ///< trace file of rank 0; empty: no trace
  NodeOfRank node_of_rank;         ///< node of each rank; empty: detect the nodes
};

/// Thread that runs cycles in a loop. In a cycle, the ranks negotiate the tensors that were
/// submitted since the previous cycle. They then reduce the tensors that all ranks have submitted.
/// The next cycle starts when the cycle time has passed since the start of this cycle, or at once
/// if this cycle took longer. The thread uses a communicator that is split from the communicator of
/// the caller.
class BackgroundLoop {
 public:
  /// **Collective.** Starts the thread. No other code may use `communicator` until the constructor
  /// returns, and `communicator` must outlive the loop. `fusion` is the buffer in which tensors are
  /// fused. If `fusion` is null, tensors are fused in host memory.
  BackgroundLoop(Communicator& communicator, const base::Clock& clock, const Options& options,
                 Warn warn, std::unique_ptr<FusionBuffer> fusion = nullptr);
  /// Ends the loops of all ranks. Tensors that are not reduced yet, and tensors that another rank
  /// submits later, fail with an error that states the reason.
  ~BackgroundLoop();
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;

  /// Submits a tensor and returns at once. See TensorQueue::add.
  std::future<void> submit(Tensor tensor);
  /// Returns the counters. They include at least all cycles up to the cycle that reduced the last
  /// tensor for which the caller has waited.
  Counters counters() const;

 private:
  void serve();
  bool cycle();
  void tune();
  void wait_for_data(const std::vector<std::string>& names,
                     const std::vector<TensorQueue::Entry>& entries);
  void perform(const Response& response);
  void count(const Response& response);
  void adopt(const Tuned& tuned);
  bool is_stopping() const;
  void sleep_until(std::chrono::steady_clock::time_point time);
  void publish();

  std::unique_ptr<Communicator> communicator_;
  const base::Clock& clock_;
  Warn tell_;
  NodeOfRank node_of_rank_;
  std::unique_ptr<HierarchicalSum> hierarchical_;
  std::unique_ptr<Timeline> timeline_;
  Tuned tuned_;
  std::optional<Autotune> autotune_;
  Negotiation negotiation_;
  Reduction reduction_;
  TensorQueue tensors_;

  mutable std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  Counters counters_;   ///< counters that only the thread of the loop uses
  Counters published_;  ///< copy that other threads may read
  std::thread thread_;
};

}  // namespace dlscale::trainer::horovod
