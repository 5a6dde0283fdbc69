// SPDX-License-Identifier: Apache-2.0
// Horovod's negotiation. In each cycle, the ranks agree on the tensors to reduce next.
//
// Problem: gradients become ready in a different order on each rank, but all ranks must call the
// same collectives in the same order. Idea: rank 0 is the coordinator, which collects the requests
// of all ranks and broadcasts the order. Messages through the coordinator are slow, so tensors that
// were reduced before are cached on all ranks. The ranks agree on cached tensors with an all-reduce
// of one bit for each tensor.
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
  std::int64_t slow_cycles = 0;    ///< number of cycles with requests to the coordinator
  std::int64_t cache_hits = 0;     ///< number of tensors negotiated by bits alone
  std::int64_t invalidations = 0;  ///< number of tensors removed from the response cache
  std::int64_t control_bytes = 0;  ///< bytes that this rank has sent or received in the negotiation
  std::int64_t reductions = 0;     ///< number of reductions; fused tensors count as one reduction
  std::int64_t fused_tensors = 0;  ///< number of tensors reduced in a fusion buffer
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;  ///< bytes of reduced tensors
};

// The following types let the ranks agree, cycle by cycle, on the tensors to reduce next.

/// Callback that prints a warning of one line for the user.
using Warn = std::function<void(const std::string&)>;

/// Negotiation between the ranks. Tensors that were reduced before are in a cache. In every cycle,
/// the ranks vote on the cached tensors with one bit for each tensor (CacheVote). If any rank has a
/// tensor that is not in the cache, all ranks send the requests for such tensors to rank 0, the
/// coordinator. The coordinator collects the requests in a MessageTable and broadcasts the
/// responses. A tensor that is not ready on all ranks waits for a later cycle.
class Negotiation {
 public:
  struct Options {
    std::int64_t fusion_threshold_bytes = 0;
    int cache_capacity = 0;
    double stall_warning_s = 60;
  };
  /// Prepares the negotiation. The communicator, the clock and the timeline must outlive this
  /// object. `timeline` may be null.
  Negotiation(Communicator& communicator, const base::Clock& clock, const Options& options,
              Timeline* timeline);

  /// **Collective.** Runs one cycle. `arrived` are the tensors submitted since the previous cycle.
  /// Returns responses that are the same on all ranks. A tensor of `arrived` appears in a response
  /// of this cycle or of a later cycle, as soon as all ranks have submitted the tensor. After a
  /// shutdown, cycle() must not be called again.
  ResponseList cycle(std::vector<Request> arrived, bool shut_down);

  /// Sets the function that prints warnings about stalled tensors. Only rank 0 calls the function.
  void on_stall(Warn warn) { warn_ = std::move(warn); }
  /// Sets the fusion threshold. All ranks must change the threshold between the same two cycles.
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
  std::unordered_map<std::string, Request> sent_;  ///< sent requests without a response
  MessageTable table_;                             ///< table of the coordinator
  StallCheck stall_check_;
  Counters counters_;
};

}  // namespace dlscale::trainer::horovod
