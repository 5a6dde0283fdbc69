// SPDX-License-Identifier: Apache-2.0
// Horovod's negotiation, in which the ranks agree in cycles on the tensors to reduce next.
//
// Problem: gradients become ready in a different order on each rank, but all ranks must call the
// same collectives in the same order.
// Idea: rank 0 is the coordinator, which collects the requests of all ranks and broadcasts the
// order. Messages through the coordinator are slow, so tensors that were reduced before are cached
// on all ranks. The ranks agree on cached tensors with an all-reduce of one bit for each tensor.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/message_table.hpp"
#include "trainer/sync/horovod/response_cache.hpp"
#include "trainer/sync/horovod/timeline.hpp"

namespace dlscale::trainer::horovod {

struct Counters {
  std::int64_t cycles = 0;
  std::int64_t slow_cycles = 0;  ///< number of cycles with requests to the coordinator
  std::int64_t cache_hits = 0;   ///< number of tensors agreed on by a bit, without the coordinator
  std::int64_t invalidations = 0;  ///< number of tensors removed from the response cache
  std::int64_t control_bytes = 0;  ///< bytes of this rank in the negotiation
  std::int64_t reductions = 0;     ///< number of reductions of one or several fused tensors
  std::int64_t fused_tensors = 0;  ///< number of tensors copied to a fusion buffer and back
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;  ///< bytes of reduced tensors
};

// Agreement of the ranks, cycle by cycle, on the tensors to reduce next.

/// Callback that prints a warning of one line for the user.
using Warn = std::function<void(const std::string&)>;

/// Negotiation between the ranks. In every cycle, the ranks agree on tensors that were reduced
/// before with one bit for each tensor (CacheVote). If a rank has another tensor, all ranks send
/// such requests to rank 0, the coordinator. The coordinator keeps the MessageTable and broadcasts
/// the responses. A tensor that is not ready on all ranks waits for a later cycle.
class Negotiation {
 public:
  struct Options {
    std::int64_t fusion_threshold_bytes = 0;
    int cache_capacity = 0;
    double stall_warning_s = 60;
  };
  /// Prepares the negotiation. All arguments must outlive it. `timeline` may be null.
  Negotiation(Communicator& communicator, const base::Clock& clock, const Options& options,
              Timeline* timeline);

  /// **Collective.** Runs one cycle. `arrived` are the tensors submitted since the previous cycle.
  /// Returns responses that are the same on all ranks. A tensor of `arrived` is in a response of
  /// this or a later cycle, once all ranks have submitted it. After a shutdown, cycle() must not be
  /// called again.
  ResponseList cycle(std::vector<Request> arrived, bool shut_down);

  /// Sets the receiver of warnings about stalled tensors, which only rank 0 issues.
  void on_stall(Warn warn) { warn_ = std::move(warn); }
  /// Sets the fusion threshold. All ranks must call this between the same cycles.
  void set_fusion_threshold(std::int64_t bytes) { options_.fusion_threshold_bytes = bytes; }
  const Counters& counters() const { return counters_; }

 private:
  struct Waiting {
    Request request;
    double since_s;
  };
  bool is_coordinator() const { return communicator_.rank() == 0; }
  ResponseList negotiate(bool shut_down);
  void vote_on_waiting(CacheVote& vote);
  std::vector<Response> agreed(const CacheVote& vote);
  RequestList take_uncached();
  ResponseList ask_coordinator(const RequestList& mine, std::vector<Response> cached);
  ResponseList coordinate(const RequestList& mine, std::vector<Response> cached);
  void tabulate(int rank, const RequestList& list);
  void remember(const std::vector<Response>& responses);
  void send(Bytes bytes);
  Bytes receive(int from);
  Bytes broadcast(Bytes bytes);

  Communicator& communicator_;
  const base::Clock& clock_;
  Options options_;
  Timeline* timeline_;
  Warn warn_ = [](const std::string&) {};
  ResponseCache cache_;
  std::vector<Waiting> waiting_;                   ///< requests neither agreed on nor sent
  std::unordered_map<std::string, Request> sent_;  ///< requests sent to the coordinator, unanswered
  MessageTable table_;                             ///< table of the coordinator
  StallCheck stall_check_;
  Counters counters_;
};

}  // namespace dlscale::trainer::horovod
