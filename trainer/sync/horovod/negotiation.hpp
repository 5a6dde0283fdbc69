// SPDX-License-Identifier: Apache-2.0
// What the background thread has done so far, in numbers.
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
  std::int64_t slow_cycles = 0;    ///< in which requests went through the coordinator
  std::int64_t cache_hits = 0;     ///< tensors agreed on by a bit, without the coordinator
  std::int64_t invalidations = 0;  ///< tensors that lost their place in the response cache
  std::int64_t control_bytes = 0;  ///< this rank's part in the negotiation
  std::int64_t reductions = 0;     ///< of one tensor or of several as one
  std::int64_t fused_tensors = 0;  ///< reduced with others, so copied into a buffer and back
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;  ///< of tensors
};

// How ranks agree, cycle by cycle, on what to reduce next.

/// Tells the user something, in one line.
using Warn = std::function<void(const std::string&)>;

/// Tensors reduced before are agreed on by a bit each (CacheVote), in every cycle. In a cycle in
/// which a rank has another tensor, all ranks send such requests to rank 0, the coordinator, who
/// keeps the MessageTable and broadcasts the responses. A tensor that is not ready on all ranks
/// waits for a later cycle.
class Negotiation {
 public:
  struct Options {
    std::int64_t fusion_threshold_bytes = 0;
    int cache_capacity = 0;
    double stall_warning_s = 60;
  };
  /// What it is given must outlive it. `timeline` may be null.
  Negotiation(Communicator& communicator, const base::Clock& clock, const Options& options,
              Timeline* timeline);

  /// **Collective.** One cycle: `arrived` are the tensors submitted since the last. The responses
  /// are the same on all ranks; a tensor of `arrived` is in one of them, now or in a later cycle,
  /// once all ranks have submitted it. After a shutdown it must not be called again.
  ResponseList cycle(std::vector<Request> arrived, bool shut_down);

  /// On rank 0: where warnings of stalled tensors go.
  void on_stall(Warn warn) { warn_ = std::move(warn); }
  /// On all ranks between the same cycles.
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
  std::vector<Waiting> waiting_;                   ///< not agreed on and not sent
  std::unordered_map<std::string, Request> sent_;  ///< to the coordinator, unanswered
  MessageTable table_;                             ///< the coordinator's
  StallCheck stall_check_;
  Counters counters_;
};

}  // namespace dlscale::trainer::horovod
