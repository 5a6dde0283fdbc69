// SPDX-License-Identifier: Apache-2.0
// The thread that negotiates and reduces while others compute.
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

/// Defaults are Horovod's.
struct Options {
  Tuned tuned;  ///< a threshold of 0 fuses nothing
  bool autotune = false;
  int cache_capacity = 1024;
  bool hierarchical_all_reduce = false;
  double stall_warning_s = 60;
  std::filesystem::path timeline;  ///< rank 0 writes it; empty: none
  NodeOfRank node_of_rank;         ///< empty: found out
};

/// A cycle begins one cycle time after the last began, or when that has ended if it took longer:
/// what was submitted meanwhile is negotiated, and what all ranks have submitted is reduced, on a
/// communicator of the thread's own.
class BackgroundLoop {
 public:
  /// **Collective.** Nobody else may use `communicator` until it returns; it must outlive the loop.
  /// `fusion`: where tensors are fused; null: in the host's memory.
  BackgroundLoop(Communicator& communicator, const base::Clock& clock, const Options& options,
                 Warn warn, std::unique_ptr<FusionBuffer> fusion = nullptr);
  /// Ends the loops of all ranks. Tensors that wait, and those submitted later to another rank's
  /// loop, fail with an error that says so.
  ~BackgroundLoop();
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;

  /// Returns at once. See TensorQueue::add.
  std::future<void> submit(Tensor tensor);
  /// At least what came before the end of the last tensor that was waited for.
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
  Counters counters_;   ///< the thread's own
  Counters published_;  ///< everyone's
  std::thread thread_;
};

}  // namespace dlscale::trainer::horovod
