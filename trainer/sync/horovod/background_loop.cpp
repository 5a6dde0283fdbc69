// SPDX-License-Identifier: Apache-2.0
// Loop that runs cycles until a rank ends or the transport fails.
#include "trainer/sync/horovod/background_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/realtime_thread.hpp"
#include "trainer/sync/horovod/fusion.hpp"

namespace dlscale::trainer::horovod {
namespace {

constexpr double kBytesPerMb = 1024 * 1024;
constexpr std::chrono::milliseconds kGrace{500};

std::unique_ptr<Timeline> open_timeline(const Options& options, int rank,
                                        const base::Clock& clock) {
  if (options.timeline.empty() || rank != 0) return nullptr;
  return std::make_unique<Timeline>(options.timeline, clock);
}

}  // namespace

BackgroundLoop::BackgroundLoop(Communicator& communicator, const base::Clock& clock,
                               const Options& options, Warn warn,
                               std::unique_ptr<FusionBuffer> fusion)
    : communicator_(communicator.split(0)),
      clock_(clock),
      tell_(std::move(warn)),
      node_of_rank_(options.node_of_rank.empty() ? find_nodes(*communicator_)
                                                 : options.node_of_rank),
      hierarchical_(options.hierarchical_all_reduce
                        ? std::make_unique<HierarchicalSum>(*communicator_, node_of_rank_)
                        : nullptr),
      timeline_(open_timeline(options, communicator.rank(), clock)),
      negotiation_(*communicator_, clock, {0, options.cache_capacity, options.stall_warning_s},
                   timeline_.get()),
      reduction_(*communicator_, hierarchical_.get(), timeline_.get(),
                 fusion ? std::move(fusion) : make_host_fusion_buffer()) {
  if (options.autotune) autotune_.emplace(options.tuned, clock);
  negotiation_.on_stall(tell_);
  adopt(options.tuned);
  thread_ = std::thread([this] { serve(); });
}

BackgroundLoop::~BackgroundLoop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

std::future<void> BackgroundLoop::submit(Tensor tensor) {
  if (tensor.data.memory == Memory::device) tensor.fence = communicator_->fence();
  return tensors_.add(tensor);
}

Counters BackgroundLoop::counters() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

void BackgroundLoop::serve() {
  using Clock = std::chrono::steady_clock;
  request_realtime_priority();
  std::exception_ptr end;
  try {
    for (bool goes_on = true; goes_on;) {
      const Clock::time_point begin = Clock::now();
      goes_on = cycle();
      publish();
      const std::chrono::duration<double, std::milli> cycle_time(tuned_.cycle_time_ms);
      if (goes_on) sleep_until(begin + std::chrono::duration_cast<Clock::duration>(cycle_time));
    }
    // Another rank has ended, perhaps because of a failure. Only that rank knows the reason. This
    // rank therefore waits before it fails, so that the other rank reports its error first.
    sleep_until(Clock::now() + kGrace);
    end = std::make_exception_ptr(base::RunError(
        "horovod: a rank has ended, so no more tensors are reduced", contract::kExitCommunication));
  } catch (...) {
    end = std::current_exception();
  }
  tensors_.close(end);
}

/// Runs one cycle. Returns false after the last cycle.
bool BackgroundLoop::cycle() {
  if (timeline_) timeline_->cycle_start();
  const ResponseList answer = negotiation_.cycle(tensors_.take_arrived(), is_stopping());
  if (answer.shut_down) return false;
  if (timeline_) {
    for (const Response& response : answer.responses) {
      timeline_->begin(response.names);
      timeline_->begin_activity(response.names, "QUEUE");
    }
  }
  for (const Response& response : answer.responses) perform(response);
  if (autotune_ && autotune_->record(answer.responses)) tune();
  return true;
}

void BackgroundLoop::tune() {
  adopt(autotune_->agree(*communicator_));
  if (!autotune_->done() || communicator_->rank() != 0) return;
  tell_(fmt::format("horovod: autotune selects fusion_threshold_mb = {:g}, cycle_time_ms = {:g}",
                    tuned_.fusion_threshold_mb, tuned_.cycle_time_ms));
}

/// Waits until the device has computed the tensors. Gradients on a GPU are submitted before the GPU
/// has computed them.
void BackgroundLoop::wait_for_data(const std::vector<std::string>& names,
                                   const std::vector<TensorQueue::Entry>& entries) {
  const bool waits = std::any_of(entries.begin(), entries.end(),
                                 [](const auto& entry) { return entry.fence != nullptr; });
  if (!waits) return;
  if (timeline_) timeline_->begin_activity(names, "WAIT_FOR_DATA");
  for (const auto& entry : entries) {
    if (entry.fence) entry.fence->wait();
  }
  if (timeline_) timeline_->end_activity(names);
}

void BackgroundLoop::perform(const Response& response) {
  if (timeline_) timeline_->end_activity(response.names);
  std::vector<TensorQueue::Entry> entries;
  std::vector<Span> spans;
  for (const std::string& name : response.names) {
    entries.push_back(tensors_.take_entry(name));
    spans.push_back(entries.back().data);
  }
  std::exception_ptr trouble;
  try {
    if (!response.error.empty()) {
      throw base::RunError(response.error, contract::kExitCommunication);
    }
    wait_for_data(response.names, entries);
    reduction_.run(response, spans);
    count(response);
  } catch (...) {
    trouble = std::current_exception();
  }
  if (timeline_) timeline_->end(response.names);
  for (auto& entry : entries) {
    trouble ? entry.done.set_exception(trouble) : entry.done.set_value();
  }
  // A failure of the transport ends the loop. A response with an error means that the ranks
  // disagree about the tensors of the response, so only these tensors fail.
  if (trouble && response.error.empty()) std::rethrow_exception(trouble);
}

void BackgroundLoop::count(const Response& response) {
  const auto tensors = static_cast<std::int64_t>(response.names.size());
  ++counters_.reductions;
  counters_.tensors += tensors;
  counters_.fused_tensors += tensors > 1 ? tensors : 0;
  counters_.bytes += response.bytes();
  publish();
}

void BackgroundLoop::adopt(const Tuned& tuned) {
  tuned_ = tuned;
  const auto bytes = static_cast<std::int64_t>(tuned.fusion_threshold_mb * kBytesPerMb);
  const int local_size =
      is_homogeneous(node_of_rank_) ? ranks_beside(node_of_rank_, communicator_->rank()) : 1;
  negotiation_.set_fusion_threshold(rounded_threshold(bytes, local_size));
}

bool BackgroundLoop::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

/// Sleeps until `time`, or returns at once when this rank ends.
void BackgroundLoop::sleep_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(mutex_);
  stop_.wait_until(lock, time, [this] { return stopping_; });
}

/// Copies the counters of the negotiation and the counters that count() updates to published_,
/// which other threads read.
void BackgroundLoop::publish() {
  Counters all = negotiation_.counters();
  all.reductions = counters_.reductions;
  all.fused_tensors = counters_.fused_tensors;
  all.tensors = counters_.tensors;
  all.bytes = counters_.bytes;
  const std::lock_guard lock(mutex_);
  published_ = all;
}

}  // namespace dlscale::trainer::horovod
