// SPDX-License-Identifier: Apache-2.0
// Cycle of the negotiation. The ranks first vote on cached tensors with bits. If a rank has a
// tensor that is not in the cache, the ranks send requests to the coordinator. Finally, the
// responses are fused.
#include "trainer/sync/horovod/negotiation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "trainer/sync/horovod/fusion.hpp"

namespace dlscale::trainer::horovod {
namespace {

Span span_of(Bytes& bytes) {
  return {bytes.data(), static_cast<std::int64_t>(bytes.size()), ElementType::uint8};
}

Span span_of(std::int64_t& number) {
  return {&number, 1, ElementType::int64};
}

}  // namespace

Negotiation::Negotiation(Communicator& communicator, const base::Clock& clock,
                         const Options& options, Timeline* timeline)
    : communicator_(communicator),
      clock_(clock),
      options_(options),
      timeline_(timeline),
      cache_(options.cache_capacity),
      table_(communicator.size()),
      stall_check_(options.stall_warning_s) {}

ResponseList Negotiation::cycle(std::vector<Request> arrived, bool shut_down) {
  ++counters_.cycles;
  const double now_s = clock_.steady_s();
  for (Request& request : arrived) waiting_.push_back({std::move(request), now_s});
  ResponseList answer = negotiate(shut_down);
  if (const auto warning = stall_check_.warning(table_, now_s)) warn_(*warning);
  return answer;
}

ResponseList Negotiation::negotiate(bool shut_down) {
  // Without a cache, there are no bits to vote with, so all ranks send requests to the coordinator
  // in every cycle.
  if (cache_.capacity() == 0) {
    RequestList mine = take_uncached();
    mine.shut_down = shut_down;
    return ask_coordinator(mine, {});
  }
  CacheVote vote(cache_.bits());
  vote_on_waiting(vote);
  if (shut_down) vote.shut_down();
  vote.agree(communicator_);
  counters_.control_bytes += vote.bytes();
  if (vote.any_shut_down()) return {{}, true};
  std::vector<Response> cached = agreed(vote);
  if (vote.any_uncached()) return ask_coordinator(take_uncached(), std::move(cached));
  return {fuse(cached, options_.fusion_threshold_bytes), false};
}

void Negotiation::vote_on_waiting(CacheVote& vote) {
  const double now_s = clock_.steady_s();
  for (const Waiting& waiting : waiting_) {
    const ResponseCache::Lookup found = cache_.find(waiting.request);
    if (found == ResponseCache::Lookup::miss) {
      vote.uncached();
      continue;
    }
    const int bit = cache_.bit_of(waiting.request.name);
    // A stalled tensor is removed from the cache, so that the ranks send requests for it. Requests
    // show the coordinator which rank has not submitted the tensor. Bits do not show this.
    const bool stalled = now_s - waiting.since_s >= stall_check_.after_s();
    if (found == ResponseCache::Lookup::invalid || stalled) {
      vote.invalid(bit);
    } else {
      vote.hit(bit);
      if (timeline_ != nullptr) timeline_->begin_negotiation(waiting.request.name);
    }
  }
}

/// Returns the responses to cached tensors for which all ranks are ready. Removes the tensors that
/// became invalid from the cache.
std::vector<Response> Negotiation::agreed(const CacheVote& vote) {
  std::vector<Response> responses;
  std::vector<bool> is_agreed(static_cast<std::size_t>(cache_.bits()));
  for (const int bit : vote.hits()) {
    is_agreed[static_cast<std::size_t>(bit)] = true;
    responses.push_back(cache_.use(bit));
    if (timeline_ != nullptr) timeline_->end_negotiation(responses.back().names.front());
  }
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    return cache_.find(waiting.request) == ResponseCache::Lookup::hit &&
           is_agreed[static_cast<std::size_t>(cache_.bit_of(waiting.request.name))];
  });
  counters_.cache_hits += static_cast<std::int64_t>(responses.size());
  const std::vector<int> invalid = vote.invalid_bits();
  std::for_each(invalid.rbegin(), invalid.rend(), [this](int bit) { cache_.erase(bit); });
  counters_.invalidations += static_cast<std::int64_t>(invalid.size());
  return responses;
}

/// Removes the requests for uncached tensors from waiting_, stores them in sent_ and returns them.
RequestList Negotiation::take_uncached() {
  const double now_s = clock_.steady_s();
  RequestList list;
  std::vector<Waiting> cached;
  for (Waiting& waiting : waiting_) {
    if (cache_.find(waiting.request) == ResponseCache::Lookup::hit) {
      cached.push_back(std::move(waiting));
      continue;
    }
    waiting.request.waited_s = now_s - waiting.since_s;
    sent_[waiting.request.name] = waiting.request;
    list.requests.push_back(std::move(waiting.request));
  }
  waiting_ = std::move(cached);
  return list;
}

ResponseList Negotiation::ask_coordinator(const RequestList& mine, std::vector<Response> cached) {
  ++counters_.slow_cycles;
  ResponseList answer;
  if (is_coordinator()) {
    answer = coordinate(mine, std::move(cached));
    broadcast(pack(answer));
  } else {
    send(pack(mine));
    answer = unpack_responses(broadcast({}));
  }
  remember(answer.responses);
  return answer;
}

ResponseList Negotiation::coordinate(const RequestList& mine, std::vector<Response> cached) {
  tabulate(0, mine);
  bool shut_down = mine.shut_down;
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    const RequestList theirs = unpack_requests(receive(rank));
    tabulate(rank, theirs);
    shut_down = shut_down || theirs.shut_down;
  }
  if (shut_down) return {{}, true};
  std::vector<Response> ready = table_.take_ready();
  if (timeline_ != nullptr) {
    for (const Response& response : ready) timeline_->end_negotiation(response.names.front());
  }
  std::move(ready.begin(), ready.end(), std::back_inserter(cached));
  return {fuse(cached, options_.fusion_threshold_bytes), false};
}

void Negotiation::tabulate(int rank, const RequestList& list) {
  for (const Request& request : list.requests) {
    table_.add(rank, request, clock_.steady_s());
    if (timeline_ == nullptr) continue;
    timeline_->begin_negotiation(request.name);
    timeline_->rank_ready(request.name, rank);
  }
}

/// Adds the negotiated tensors to the cache. All ranks have the same responses in the same order,
/// so each tensor gets the same bit on all ranks.
void Negotiation::remember(const std::vector<Response>& responses) {
  for (const Response& response : responses) {
    for (const std::string& name : response.names) {
      const auto request = sent_.extract(name);
      if (!request.empty() && response.error.empty()) cache_.put(request.mapped());
    }
  }
}

void Negotiation::send(Bytes bytes) {
  auto length = static_cast<std::int64_t>(bytes.size());
  communicator_.send(span_of(length), 0);
  communicator_.send(span_of(bytes), 0);
  counters_.control_bytes += 8 + length;
}

Bytes Negotiation::receive(int from) {
  std::int64_t length = 0;
  communicator_.receive(span_of(length), from);
  Bytes text(static_cast<std::size_t>(length));
  communicator_.receive(span_of(text), from);
  return text;
}

Bytes Negotiation::broadcast(Bytes bytes) {
  auto length = static_cast<std::int64_t>(bytes.size());
  communicator_.broadcast(span_of(length), 0);
  bytes.resize(static_cast<std::size_t>(length));
  communicator_.broadcast(span_of(bytes), 0);
  counters_.control_bytes += 8 + length;
  return bytes;
}

}  // namespace dlscale::trainer::horovod
